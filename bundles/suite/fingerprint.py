"""The fingerprint of a suite, and whether what was approved is what is there now.

The fingerprint is the SHA-256 of the suite without its root `approval`, as compact JSON with names
sorted by UTF-16 code unit, and numbers and strings spelt as `JSON.stringify` spells them. So it is
the same whatever the layout of the file and the order of its members, and it is not RFC 8785 (which
refuses lone surrogates and large integers, where the format takes them).
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bundles.doubles import number_text
from bundles.suite.javascript import sorted_names

_ESCAPED = json.JSONEncoder(ensure_ascii=False).encode
_SORTED = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_SORTED_OTHERWISE = re.compile("[\ud800-\U0010ffff]")
_SPELT_OTHERWISE = re.compile(r"[.IN]|[0-9]e|[0-9]{16}")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ApprovedCase:
    """What was approved of one case: that it passes, or fails by a defect of the server."""

    id: str
    status: str  # passed or serverDefect


@dataclass(frozen=True, slots=True)
class Approval:
    """Whether somebody approved a suite, and whether it is still the one approved.

    Attributes:
        state: "none" where the suite records no approval; "current" where the fingerprint it
            records is its own; "drifted" where the suite has changed since.
        recorded: the recorded fingerprint, 64 hexadecimal digits; "" where there is none.
        computed: the fingerprint of the suite as it is.
        cases: what the approval says of single cases; the ids need not exist.
    """

    state: Literal["none", "current", "drifted"]
    recorded: str
    computed: str
    cases: tuple[ApprovedCase, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """{"state", "recorded"?, "computed", "cases"?: [{"id", "status"}]}."""
        members: dict[str, Any] = {"state": self.state}
        if self.recorded:
            members["recorded"] = self.recorded
        members["computed"] = self.computed
        if self.cases:
            members["cases"] = [{"id": case.id, "status": case.status} for case in self.cases]
        return members


def fingerprint(document: Mapping[str, Any]) -> str:
    """64 lower-case hexadecimal digits over a suite document, of any depth, without `approval`."""
    content = {name: member for name, member in document.items() if name != "approval"}
    text = _plain_text(content) or "".join(_pieces(content))
    return hashlib.sha256(text.encode()).hexdigest()


def approval_of(document: Mapping[str, Any]) -> Approval:
    """The approval of a valid suite document, compared with the suite as it is."""
    computed = fingerprint(document)
    approval = document.get("approval")
    if approval is None:
        return Approval("none", "", computed)
    recorded = approval["fingerprint"]
    cases = tuple(ApprovedCase(case["id"], case["status"]) for case in approval.get("cases", ()))
    return Approval("current" if recorded == computed else "drifted", recorded, computed, cases)


def _plain_text(content: Mapping[str, Any]) -> str | None:
    """The text by Python's own encoder, twenty times as fast, where it would be the same.

    It spells floats and sorts characters beyond U+D7FF in other ways, and has a limit of depth.
    """
    try:
        text = _SORTED(content)
    except RecursionError:
        return None
    if _SORTED_OTHERWISE.search(text) or _SPELT_OTHERWISE.search(_STRING.sub("", text)):
        return None
    return text


def _pieces(document: Mapping[str, Any]) -> Iterator[str]:
    """Canonical text piece by piece; tuples on the stack are text that is already written."""
    stack: list[Any] = [document]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            yield from item
        elif isinstance(item, dict):
            stack.append(("}",))
            names = sorted_names(item)
            for at in range(len(names) - 1, -1, -1):
                stack += (item[names[at]], ("," if at else "", _quoted(names[at]), ":"))
            stack.append(("{",))
        elif isinstance(item, list):
            stack.append(("]",))
            for at in range(len(item) - 1, -1, -1):
                stack += (item[at], (",",)) if at else (item[at],)
            stack.append(("[",))
        elif isinstance(item, str):
            yield _quoted(item)
        elif item is None or isinstance(item, bool):
            yield {None: "null", True: "true", False: "false"}[item]
        else:
            yield number_text(item)


def _quoted(text: str) -> str:
    """A string as `JSON.stringify` writes it: lone surrogates as escapes, the rest as it is."""
    written = _ESCAPED(text)
    if written.isascii():
        return written
    # A pair of escapes (😀 as \ud83d\ude00) may stand as two code points: it is one character.
    whole = written.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", whole)
