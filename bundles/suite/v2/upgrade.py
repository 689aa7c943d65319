"""From version 1 to version 2: the same cases, and the same verdicts on every answer."""

from collections.abc import Mapping
from typing import Any

from bundles.suite.v2.variables import LITERAL, has_marks
from bundles.suite.validate import FORMAT

_LEFT_BEHIND = ("schemaVersion", "approval")


def upgraded(document: Mapping[str, Any]) -> dict[str, Any]:
    """A valid version-1 suite as version 2.

    What version 2 would read as a variable is kept as the literal value it is. The approval is left
    out: somebody approved another file.
    """
    kept = {name: value for name, value in document.items() if name not in _LEFT_BEHIND}
    cases = [_case(case) for case in document["cases"]]
    return {"schemaVersion": 2, "format": FORMAT} | kept | {"cases": cases}


def _case(case: Mapping[str, Any]) -> dict[str, Any]:
    operation = case["operation"]
    if "input" not in operation or not has_marks(operation["input"]):
        return dict(case)
    return {**case, "operation": {**operation, "input": {LITERAL: operation["input"]}}}
