"""JSON pointers (RFC 6901) into plain JSON values."""

import re
from collections.abc import Iterable
from typing import Any, Final, TypeGuard

_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*")
_INDEX = re.compile(r"0|[1-9][0-9]*")


class _Absent:
    """What stands where a pointer leads nowhere; null is a value."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = _Absent()
"""Nothing is there."""


def is_pointer(text: object) -> TypeGuard[str]:
    """Whether a value is a JSON pointer: "" for the whole value, else steps that begin with "/"."""
    return isinstance(text, str) and _POINTER.fullmatch(text) is not None


def pointer_to(steps: Iterable[str | int]) -> str:
    """The pointer that takes these steps: names of members, indices of items."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def lookup(value: Any, pointer: str) -> Any:
    """What a pointer leads to, or ABSENT. "-", the place after an array's end, holds nothing."""
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and _INDEX.fullmatch(name) and _within(name, value):
            value = value[int(name)]
        else:
            return ABSENT
    return value


def _within(digits: str, items: list[Any]) -> bool:
    # the length first: thousands of digits are no index, and Python refuses to read them
    return len(digits) <= len(str(len(items))) and int(digits) < len(items)
