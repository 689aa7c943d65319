"""The suite of the measurements: independent calls of `tests.bench.adder`, checked in full."""

from typing import Any

from bundles.suite.model import Suite, load_suite

SIZES = (1, 10, 100, 1000)

_SUM = {"type": "object", "required": ["sum"], "properties": {"sum": {"type": "integer"}}}


def document(cases: int) -> dict[str, Any]:
    """A suite of so many calls, each with its own arguments and three assertions."""
    return {
        "schemaVersion": 1,
        "id": "adder",
        "name": "Adder",
        "cases": [
            {
                "id": f"add-{number}",
                "name": f"adds {number}",
                "operation": {"type": "callTool", "tool": "add", "input": {"a": number, "b": 1}},
                "assertions": [
                    {"type": "isError", "expected": False},
                    {"type": "bodyMatchesSchema", "schema": _SUM},
                    {"type": "structuredContentMatchesSchema", "schema": _SUM},
                ],
            }
            for number in range(cases)
        ],
    }


def suite(cases: int) -> Suite:
    return load_suite(document(cases))


def must_add(number: int, answer: dict[str, Any]) -> None:
    """What the least client checks of an answer."""
    if answer["result"]["structuredContent"]["sum"] != number + 1:
        msg = "the server cannot add"
        raise RuntimeError(msg)
