"""Builders of version-1 suites: Python that reads like the format, checked as it is written."""

from collections.abc import Mapping
from typing import Any

from bundlegate.suite.document import (
    Assertion,
    Call,
    Case,
    Document,
    Json,
    Kind,
    Operation,
    Tools,
    checked,
    written,
)


def list_tools() -> Operation[Tools]:
    """Ask for the tools, every page."""
    return Operation(type="listTools")


def call_tool(tool: str, given: Json | None = None, /, **arguments: Any) -> Operation[Call]:
    """Call a tool with its arguments: by name, or as a mapping where a name is no Python word."""
    return Operation(type="callTool", tool=tool, input={**(given or {}), **arguments})


def tool_exists(tool: str) -> Assertion[Tools]:
    """Expect a tool in the list."""
    return Assertion(type="toolExists", tool=tool)


def is_error(*, expected: bool = True) -> Assertion[Call]:
    """Expect the tool to report an error; with `expected=False`, to report none."""
    return Assertion(type="isError", expected=expected)


def body_matches(schema: Mapping[str, Any]) -> Assertion[Call]:
    """Expect the one text of the answer to match a schema of the format's subset."""
    return Assertion(type="bodyMatchesSchema", schema=dict(schema))


def structured_content_matches(schema: Mapping[str, Any]) -> Assertion[Call]:
    """Expect `structuredContent` to match a schema of the format's subset."""
    return Assertion(type="structuredContentMatchesSchema", schema=dict(schema))


def case(
    case_id: str,
    operation: Operation[Kind],
    *assertions: Assertion[Kind],
    name: str | None = None,
    timeout_ms: int | None = None,
) -> Case:
    """One call and what is expected of its answer.

    Args:
        case_id: unique in its suite.
        operation: what to ask.
        assertions: what has to hold, at least one; those that go with the operation.
        name: for people; the id unless given.
        timeout_ms: of this case, in milliseconds.
    """
    members = {
        "id": case_id,
        "name": case_id if name is None else name,
        "timeoutMs": timeout_ms,
        "operation": operation,
        "assertions": list(assertions),
    }
    return Case(written(members))


def suite(
    suite_id: str, *cases: Case, name: str | None = None, timeout_ms: int | None = None
) -> Document:
    """A version-1 suite. Its cases run in the order written.

    Args:
        suite_id: of the suite.
        cases: at least one.
        name: for people; the id unless given.
        timeout_ms: of each case that has none of its own; 10,000 milliseconds unless given.

    Raises:
        Refused: SUITE_VALIDATION_FAILED; `seen` lists the issues.
    """
    members = {
        "schemaVersion": 1,
        "id": suite_id,
        "name": suite_id if name is None else name,
        "defaultTimeoutMs": timeout_ms,
        "cases": list(cases),
    }
    return checked(written(members))
