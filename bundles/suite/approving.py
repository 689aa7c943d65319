"""Writing an approval into the text of a suite, and nothing else of it.

Suites are written by people and reviewed as differences, so layout, order, spelling of numbers and
line endings stay: only the fingerprint changes, or one member is added before `cases`.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^"{}\[\],:\s]+')


class _Member(NamedTuple):
    """Where a member stands: its name from `start`, its value from `value` to before `end`."""

    name: str
    start: int
    value: int
    end: int


def approved_text(text: str, fingerprint: str) -> str:
    """The text of a valid suite with the fingerprint as its approval.

    Args:
        text: JSON of a valid suite, without a byte-order mark.
        fingerprint: the suite's own, 64 hexadecimal digits.
    """
    members = {member.name: member for member in _members(text, 0)}  # of two, the last one counts
    quoted = f'"{fingerprint}"'
    if "approval" in members:
        inner = {member.name: member for member in _members(text, members["approval"].value)}
        recorded = inner["fingerprint"]
        return text[: recorded.value] + quoted + text[recorded.end :]
    cases = members["cases"]
    before = text[: cases.start]
    space = before[len(before.rstrip(" \t\r\n")) :]
    colon = text[cases.start : cases.value].partition('"cases"')[2] or ":"
    added = f'"approval"{colon}{{"fingerprint"{colon}{quoted}}},{space}'
    return before + added + text[cases.start :]


def _members(text: str, at: int) -> Iterator[_Member]:
    """The members of the object that starts at or after a place; texts are valid JSON."""
    depth, name, start, end = 0, "", 0, 0
    named, value = False, None
    for token in _TOKEN.finditer(text, at):
        sign = token[0]
        if depth == 1 and sign in (",", "}") and value is not None:
            yield _Member(name, start, value, end)
            value, named = None, False
        elif depth == 1 and sign == ":":
            named = True
        elif depth == 1 and named and value is None:
            value = token.start()
        elif depth == 1 and not named and sign[0] == '"':
            name, start = json.loads(sign), token.start()
        depth += (sign in ("{", "[")) - (sign in ("}", "]"))
        end = token.end()
        if depth == 0:
            return
