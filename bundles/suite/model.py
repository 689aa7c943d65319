"""A version-1 suite as the runner and the judge see it: valid, with its defaults applied."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bundles.errors import Refused
from bundles.reasons import reason
from bundles.suite.validate import validate_suite

DEFAULT_TIMEOUT_MS = 10_000

SUITE_VALIDATION_FAILED = reason(
    "SUITE_VALIDATION_FAILED",
    "The document is not a valid version-1 suite.",
    "run `bundlegate suite lint` on it and correct every issue it lists",
)


@dataclass(frozen=True, slots=True)
class Operation:
    """What a case asks the server: `listTools`, or `callTool` of a tool with an input."""

    type: str
    tool: str = ""
    input: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Assertion:
    """What a case expects. Which fields count follows from the type.

    Attributes:
        type: toolExists, isError, bodyMatchesSchema or structuredContentMatchesSchema.
        tool: the name toolExists looks for.
        expected: what isError expects.
        schema: the response schema of the two schema assertions.
    """

    type: str
    tool: str = ""
    expected: bool = False
    schema: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Case:
    """One case. `timeout_ms` is the case's own, else the suite's, else 10,000."""

    id: str
    name: str
    timeout_ms: int
    operation: Operation
    assertions: tuple[Assertion, ...]


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite: cases run in the order written."""

    id: str
    name: str
    cases: tuple[Case, ...]


def load_suite(document: object, *, path: str = "") -> Suite:
    """The suite of a document.

    Raises:
        Refused: SUITE_VALIDATION_FAILED, with the first issue and their number.
    """
    issues = validate_suite(document)
    if issues or not isinstance(document, dict):
        first = issues[0]
        raise Refused(
            SUITE_VALIDATION_FAILED,
            f"{len(issues)} issue(s); the first is {first.code} at {first.path}: {first.message}",
            path=path,
            seen=[issue.to_dict() for issue in issues[:10]],
        )
    default = document.get("defaultTimeoutMs", DEFAULT_TIMEOUT_MS)
    cases = tuple(_case(case, default) for case in document["cases"])
    return Suite(document["id"], document["name"], cases)


def _case(case: Mapping[str, Any], default_timeout_ms: float) -> Case:
    operation = case["operation"]
    return Case(
        id=case["id"],
        name=case["name"],
        timeout_ms=int(case.get("timeoutMs", default_timeout_ms)),
        operation=Operation(
            operation["type"], operation.get("tool", ""), operation.get("input", {})
        ),
        assertions=tuple(
            Assertion(a["type"], a.get("tool", ""), a.get("expected", False), a.get("schema", {}))
            for a in case["assertions"]
        ),
    )
