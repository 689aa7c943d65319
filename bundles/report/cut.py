"""Showing values to people: whole where they are short, cut where not, never able to act.

What a server sends may hold terminal escapes, right-to-left overrides or megabytes. Reports show at
most 200 code points of a value, with every control character written as an escape.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from bundles.doubles import number_text
from bundles.key_order import key_order

SHOWN_CODE_POINTS = 200

# C0, DEL and C1 controls, line separators, bidirectional controls, byte-order mark, surrogates.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def escaped(text: str) -> str:
    """The text with control characters as JSON escapes: safe in a terminal, and one line."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def cut(text: str, limit: int = SHOWN_CODE_POINTS) -> str:
    """The first `limit` code points; what was cut is said, so that nobody takes it for whole."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def counted(number: int, noun: str) -> str:
    """`1 violation`, `2 violations`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def shown(value: object, limit: int = SHOWN_CODE_POINTS) -> str:
    """A plain JSON value as one safe line of at most about `limit` code points."""
    if isinstance(value, str):
        return json_string(value[:limit]) + (
            f"… ({len(value)} characters)" if len(value) > limit else ""
        )
    return escaped(compact(value, limit=limit))


def json_string(text: str) -> str:
    """The text as a JSON string, control characters escaped."""
    return escaped(json.dumps(text, ensure_ascii=False))


def _nothing_hidden(_key: str) -> bool:
    return False


def compact(
    value: object,
    *,
    limit: int | None = None,
    hides: Callable[[str], bool] = _nothing_hidden,
    secrets: frozenset[str] = frozenset(),
    mask: str = "[REDACTED]",
) -> str:
    """Compact JSON of a plain value of any depth, members as `JSON.stringify` orders them.

    Args:
        value: plain JSON; Infinity and NaN are written as null, as JavaScript does.
        limit: stop after about this many code points, and end with an ellipsis.
        hides: says of a member's name whether its value is masked.
        secrets: string values that are masked wherever they are the whole value.
        mask: what stands for a masked value.
    """
    pieces: list[str] = []
    length = 0
    for piece in _pieces(value, hides, secrets, mask):
        pieces.append(piece)
        length += len(piece)
        if limit is not None and length > limit:
            return "".join(pieces)[:limit] + "…"
    return "".join(pieces)


class _Written(str):
    """Text that is already JSON, between values that are not."""

    __slots__ = ()


def _pieces(
    value: object, hides: Callable[[str], bool], secrets: frozenset[str], mask: str
) -> Iterator[str]:
    """The text piece by piece, each made when it is asked for: most of it is often cut."""
    stack: list[Iterator[Any]] = [iter((value,))]
    while stack:
        for item in stack[-1]:
            if isinstance(item, _Written):
                yield item
            elif isinstance(item, dict):
                stack.append(_members(item, hides, mask))
                break
            elif isinstance(item, list | tuple):
                stack.append(_elements(item))
                break
            elif isinstance(item, str):
                yield json.dumps(mask if item in secrets else item, ensure_ascii=False)
            elif isinstance(item, float):
                yield number_text(item)
            else:
                yield json.dumps(item)
        else:
            stack.pop()


def _members(value: Mapping[str, Any], hides: Callable[[str], bool], mask: str) -> Iterator[Any]:
    lead = "{"
    for key in key_order(value):
        yield _Written(f"{lead}{json.dumps(key, ensure_ascii=False)}:")
        yield mask if hides(key) else value[key]
        lead = ","
    yield _Written("}" if value else "{}")


def _elements(value: Sequence[Any]) -> Iterator[Any]:
    lead = "["
    for item in value:
        yield _Written(lead)
        yield item
        lead = ","
    yield _Written("]" if value else "[]")
