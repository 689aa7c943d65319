"""isError: the tool answered with an error result, or with a normal one."""

from collections.abc import Mapping
from typing import Any

from bundles.suite.assertions.kind import Kind
from bundles.suite.assertions.seen import Seen
from bundles.suite.diagnostics import body_lines
from bundles.suite.extraction import Extracted, extract_body
from bundles.suite.issues import Issues
from bundles.suite.model import Assertion
from bundles.suite.outcomes import IS_ERROR_MISMATCH, AssertionOutcome
from bundles.suite.paths import Path


def _judge(assertion: Assertion, seen: Seen) -> AssertionOutcome:
    actual = seen.result.get("isError") is True
    if actual is assertion.expected:
        return AssertionOutcome(assertion.type, "passed")
    message = (
        "expected an error result, got a normal one"
        if assertion.expected
        else "expected a normal result, got an error"
    )
    body = extract_body(seen.result)
    notes = body_lines(body.value, body.form, seen.secrets) if isinstance(body, Extracted) else []
    return AssertionOutcome(
        assertion.type,
        "failed",
        IS_ERROR_MISMATCH,
        message,
        assertion.expected,
        actual,
        notes=tuple(notes),
    )


def _validate(given: Mapping[str, Any], path: Path, issues: Issues) -> None:
    if not isinstance(given.get("expected", False), bool):
        issues.wrong_type(path.field("expected"), "true or false", given["expected"])


IS_ERROR = Kind(
    type="isError",
    operations=("callTool",),
    members={"expected": {"type": "boolean"}},
    required={"expected": "true or false"},
    judge=_judge,
    validate=_validate,
)
