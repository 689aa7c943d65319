"""On which line of its file a case stands, so that a finding about it can be shown there."""

import json
import re
from typing import get_args

from bundles.suite.outcomes import Part

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]', re.DOTALL)
_PARTS = get_args(Part)
_DEPTH = 3  # suite, list of cases, case


def lines_of_cases(text: str) -> dict[str, int]:
    """Case id → the line, from 1, on which the case begins in the text of a valid suite.

    Only the ids of cases count, whatever their inputs and schemas hold. Nesting of any depth is
    read; where an id is given twice, the last one counts, as in the suite itself.
    """
    lines: dict[str, int] = {}
    # the containers that are open: of an object the member being read, of an array nothing
    members: list[str | None] = []
    name, is_value = "", False
    line, counted_to, begun = 1, 0, 0
    for found in _TOKEN.finditer(text):
        piece = found[0]
        if piece in "{[":
            if len(members) == 2 and piece == "{":
                line += text.count("\n", counted_to, found.start())
                counted_to, begun = found.start(), line
            members.append("" if piece == "{" else None)
        elif piece in "}]":
            members.pop()
        elif piece == ":":
            members[-1] = name  # deeper down nobody asks which
        elif piece != "," and len(members) <= _DEPTH:
            name = json.loads(piece, strict=False)
            if is_value and _is_id(members):
                lines[name] = begun
        is_value = piece == ":"
    return lines


def _is_id(members: list[str | None]) -> bool:
    return len(members) == _DEPTH and members[0] in _PARTS and members[1:] == [None, "id"]
