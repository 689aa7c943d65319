"""Suites as text: two spaces a level, members as they come, whatever the depth."""

import json
import re
from collections.abc import Iterator
from typing import Any

from bundles.report.cut import compact

_INDENT = "  "
_DEEPEST = 20
"""Levels that get lines of their own; deeper down a value is one line, or its indents alone would
outgrow it."""

_HALVES = re.compile("[\ud800-\udfff]")


def written(document: Any) -> str:
    """The file of a plain JSON value.

    Text that is not ASCII stays readable; half a character, which UTF-8 cannot say, is an escape.
    """
    text = "".join(_pieces(document))
    return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", text) + "\n"


def _pieces(document: Any, depth: int = 0) -> Iterator[str]:
    if not isinstance(document, dict | list) or not document or depth == _DEEPEST:
        yield compact(document)
        return
    opening, closing = "{}" if isinstance(document, dict) else "[]"
    entries = document.items() if isinstance(document, dict) else enumerate(document)
    yield opening
    lead = "\n" + _INDENT * (depth + 1)
    for name, value in entries:
        yield lead
        if isinstance(document, dict):
            yield f"{json.dumps(name, ensure_ascii=False)}: "
        yield from _pieces(value, depth + 1)
        lead = ",\n" + _INDENT * (depth + 1)
    yield f"\n{_INDENT * depth}{closing}"
