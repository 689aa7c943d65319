"""Judging one case by what came back for it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bundles.mcp.wire import same_id
from bundles.reasons import reason
from bundles.report.cut import cut, escaped, shown
from bundles.suite.diagnostics import SHOWN_KEYS, body_lines, counted, describe
from bundles.suite.extraction import (
    Extracted,
    NotExtracted,
    extract_body,
    extract_structured,
)
from bundles.suite.javascript import sorted_names, type_name
from bundles.suite.model import Assertion, Case
from bundles.suite.schema import match
from bundles.transcript import Exchange, Failure

TOOL_NOT_FOUND = reason(
    "TOOL_NOT_FOUND",
    "A tool that a suite expects is not in the server's tools/list.",
    "check the server's tools/list and the suite",
)
IS_ERROR_MISMATCH = reason(
    "IS_ERROR_MISMATCH",
    "A tool answered with an error where a suite expects none, or the other way round.",
    "check the input of the tool and the server's error answer",
)
BODY_EXTRACTION_FAILED = reason(
    "BODY_EXTRACTION_FAILED",
    "A result has no body that a suite's schema could be compared with.",
    "bodyMatchesSchema is for results with exactly one text block",
)
BODY_SCHEMA_MISMATCH = reason(
    "BODY_SCHEMA_MISMATCH",
    "The body of a result differs from the schema in a suite.",
    "correct the answer; if the change is intended, update the suite",
)
STRUCTURED_CONTENT_EXTRACTION_FAILED = reason(
    "STRUCTURED_CONTENT_EXTRACTION_FAILED",
    "A result has no structuredContent that a suite's schema could be compared with.",
    "return structuredContent; text does not stand in for it",
)
STRUCTURED_CONTENT_SCHEMA_MISMATCH = reason(
    "STRUCTURED_CONTENT_SCHEMA_MISMATCH",
    "The structuredContent of a result differs from the schema in a suite.",
    "correct the answer; if the change is intended, update the suite",
)
OPERATION_FAILED = reason(
    "OPERATION_FAILED",
    "The call of a suite's case got no result.",
    "see why the server gave none; a failing tool answers with a result that has isError",
)
CASE_TIMEOUT = reason(
    "CASE_TIMEOUT",
    "The call of a suite's case was not answered within its timeout.",
    "see why the server is slow, or give the case a longer timeoutMs",
)
CASE_NOT_RUN = reason(
    "CASE_NOT_RUN",
    "A case of a suite was not run.",
    "see the case before it: the server was gone, or the run out of time",
)


class CaseStatus(StrEnum):
    """How a case ended."""

    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timedOut"
    OPERATION_FAILED = "operationFailed"
    NOT_RUN = "notRun"


@dataclass(frozen=True, slots=True)
class OperationOutcome:
    """How the call of a case went.

    Attributes:
        status: completed, failed, timedOut or notRun.
        why: one sentence where it did not complete.
        error: the JSON-RPC error object where the server answered with one: a protocol error,
            which no isError assertion can ask for.
        certain: whether the server answered, wrongly. A call that was cut short proves nothing.
    """

    status: str
    why: str = ""
    error: Mapping[str, Any] | None = None
    certain: bool = False


@dataclass(frozen=True, slots=True)
class AssertionOutcome:
    """How one assertion went: passed, failed or skipped, with plain JSON about a failure."""

    type: str
    status: str
    code: str = ""
    message: str = ""
    expected: Any = None
    actual: Any = None
    violations: tuple[Mapping[str, Any], ...] = ()
    total_violations: int = 0
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON in the format's own member names, absent members left out."""
        members: dict[str, Any] = {"type": self.type, "status": self.status}
        if self.code:
            members |= {"code": self.code, "message": self.message}
        if self.status == "failed":
            members |= {
                name: value
                for name, value in (("expected", self.expected), ("actual", self.actual))
                if value is not None
            }
        if self.violations:
            members["totalViolations"] = self.total_violations
            members["violations"] = list(self.violations)
        if self.notes:
            members["notes"] = list(self.notes)
        return members


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """How one case went."""

    id: str
    name: str
    status: CaseStatus
    operation: OperationOutcome
    assertions: tuple[AssertionOutcome, ...]
    elapsed_us: int = 0

    @property
    def failures(self) -> tuple[AssertionOutcome, ...]:
        """The assertions that failed."""
        return tuple(a for a in self.assertions if a.status == "failed")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON as the format reports it.

        A failed operation is a failed case there; `operation.status` tells the two apart.
        """
        operation: dict[str, Any] = {"status": self.operation.status}
        if self.operation.why:
            operation |= {"code": _OPERATION_CODES[self.operation.status]}
            operation |= {"message": self.operation.why}
        if self.operation.error is not None:
            operation["error"] = dict(self.operation.error)
        operation_failed = self.status is CaseStatus.OPERATION_FAILED
        return {
            "id": self.id,
            "name": self.name,
            "status": (CaseStatus.FAILED if operation_failed else self.status).value,
            "operation": operation,
            "assertions": [assertion.to_dict() for assertion in self.assertions],
            "durationMs": self.elapsed_us / 1000,
        }


_OPERATION_CODES = {
    "failed": OPERATION_FAILED,
    "timedOut": CASE_TIMEOUT,
    "notRun": CASE_NOT_RUN,
}

_STATUS_OF_OPERATION = {
    "failed": CaseStatus.OPERATION_FAILED,
    "timedOut": CaseStatus.TIMED_OUT,
    "notRun": CaseStatus.NOT_RUN,
}


def judge_case(case: Case, *exchanges: Exchange, secrets: Sequence[str] = ()) -> CaseOutcome:
    """Judge a case.

    Args:
        case: the case.
        exchanges: what was asked for it and what came back: one for a call, one a page for a
            list, none when it was never made.
        secrets: values masked wherever the outcome quotes the server.
    """
    operation = _operation(case, exchanges)
    elapsed_us = sum(exchange.elapsed_us for exchange in exchanges)
    if operation.status != "completed":
        status = "notRun" if operation.status == "notRun" else "skipped"
        skipped = tuple(
            AssertionOutcome(
                assertion.type,
                status,
                "OPERATION_RESULT_UNAVAILABLE",
                "there is no result to look at",
            )
            for assertion in case.assertions
        )
        ended = _STATUS_OF_OPERATION[operation.status]
        return CaseOutcome(case.id, case.name, ended, operation, skipped, elapsed_us)
    assertions = tuple(_assertion(assertion, exchanges, secrets) for assertion in case.assertions)
    failed = any(assertion.status == "failed" for assertion in assertions)
    ended = CaseStatus.FAILED if failed else CaseStatus.PASSED
    return CaseOutcome(case.id, case.name, ended, operation, assertions, elapsed_us)


def _operation(case: Case, exchanges: Sequence[Exchange]) -> OperationOutcome:
    if not exchanges:
        return OperationOutcome("notRun", "the suite stopped before this case")
    for exchange in exchanges:
        if exchange.failure is Failure.BUDGET:
            return OperationOutcome("notRun", exchange.note or "the run was out of time")
        if exchange.failure is Failure.TIMEOUT:
            return OperationOutcome("timedOut", f"no answer within {case.timeout_ms} ms")
        wrong = _failed(exchange) or _malformed(case, exchange.result)
        if wrong is not None:
            return wrong
    return OperationOutcome("completed")


def _failed(exchange: Exchange) -> OperationOutcome | None:
    if exchange.failure is not None:
        return OperationOutcome("failed", f"{exchange.failure}: {exchange.note}".rstrip(": "))
    message = exchange.message
    if message is not None and "id" in exchange.request:
        sent, received = exchange.request["id"], message.get("id")
        if not same_id(sent, received):
            why = f"the answer is to id {shown(received)}, the call had id {shown(sent)}"
            return OperationOutcome("failed", why, certain=True)
    if exchange.error is not None:
        code, text = exchange.error.get("code"), exchange.error.get("message")
        why = f"the server answered with JSON-RPC error {code}: {escaped(cut(str(text)))}"
        return OperationOutcome("failed", why, {"code": code, "message": text}, certain=True)
    if message is None:
        status = f" (HTTP {exchange.status})" if exchange.status is not None else ""
        why = f"the answer is no JSON-RPC response{status} {exchange.parse_error}".rstrip()
        return OperationOutcome("failed", why, certain=not _is_ours_or_passing(exchange))
    return None


_OUR_LIMITS = ("JSON_TOO_DEEP", "JSON_STRING_TOO_LONG", "JSON_TOO_MANY_NODES")
_PASSING_STATUSES = (429, 502, 503, 504)


def _is_ours_or_passing(exchange: Exchange) -> bool:
    """Whether an unreadable answer says nothing of the server.

    Either a limit of this harness cut the reading short, or something in between was in the way:
    a rate limit, or a gateway without its server.
    """
    return exchange.status in _PASSING_STATUSES or exchange.parse_error.startswith(_OUR_LIMITS)


def _malformed(case: Case, result: object) -> OperationOutcome | None:
    if not isinstance(result, dict):
        return OperationOutcome(
            "failed", f"the result is no object but {type_name(result)}", certain=True
        )
    if result.get("resultType") == "input_required":
        # Not a fault of the server: the tool may ask. A version-1 case has no way to answer.
        return OperationOutcome(
            "failed", "the tool asked for input, which a version-1 case cannot give"
        )
    if case.operation.type == "listTools" and not isinstance(result.get("tools"), list):
        return OperationOutcome("failed", "the list of tools is no array", certain=True)
    return None


def _assertion(
    assertion: Assertion, exchanges: Sequence[Exchange], secrets: Sequence[str]
) -> AssertionOutcome:
    if assertion.type == "toolExists":
        return _tool_exists(assertion, exchanges)
    result: Mapping[str, Any] = exchanges[-1].result
    if assertion.type == "isError":
        return _is_error(assertion, result, secrets)
    return _matches_schema(assertion, result, secrets)


def _tool_exists(assertion: Assertion, exchanges: Sequence[Exchange]) -> AssertionOutcome:
    names = {
        tool["name"]
        for exchange in exchanges
        for tool in exchange.result["tools"]
        if isinstance(tool, dict) and isinstance(tool.get("name"), str)
    }
    if assertion.tool in names:
        return AssertionOutcome(assertion.type, "passed")
    found = sorted_names(names)
    listed = ", ".join(f"'{escaped(cut(name))}'" for name in found[:SHOWN_KEYS]) or "none"
    if len(found) > SHOWN_KEYS:
        listed = f"{listed} and {len(found) - SHOWN_KEYS} more"
    message = f"tool '{escaped(assertion.tool)}' not found. Found tools: {listed}"
    return AssertionOutcome(
        assertion.type, "failed", TOOL_NOT_FOUND, message, assertion.tool, found
    )


def _is_error(
    assertion: Assertion, result: Mapping[str, Any], secrets: Sequence[str]
) -> AssertionOutcome:
    actual = result.get("isError") is True
    if actual is assertion.expected:
        return AssertionOutcome(assertion.type, "passed")
    message = (
        "expected an error result, got a normal one"
        if assertion.expected
        else "expected a normal result, got an error"
    )
    body = extract_body(result)
    notes = body_lines(body.value, body.form, secrets) if isinstance(body, Extracted) else []
    return AssertionOutcome(
        assertion.type,
        "failed",
        IS_ERROR_MISMATCH,
        message,
        assertion.expected,
        actual,
        notes=tuple(notes),
    )


_COMPARED = {
    "bodyMatchesSchema": ("body", extract_body, BODY_EXTRACTION_FAILED, BODY_SCHEMA_MISMATCH),
    "structuredContentMatchesSchema": (
        "structuredContent",
        extract_structured,
        STRUCTURED_CONTENT_EXTRACTION_FAILED,
        STRUCTURED_CONTENT_SCHEMA_MISMATCH,
    ),
}


def _matches_schema(
    assertion: Assertion, result: Mapping[str, Any], secrets: Sequence[str]
) -> AssertionOutcome:
    what, extract, not_extracted, mismatch = _COMPARED[assertion.type]
    extracted = extract(result)
    if isinstance(extracted, NotExtracted):
        return AssertionOutcome(
            assertion.type,
            "failed",
            not_extracted,
            f"the result has no {what} to compare: {extracted.code}, "
            f"found {json.dumps(extracted.actual)}",
            actual=extracted.actual,
        )
    found = match(assertion.schema, extracted.value)
    if not found.total:
        return AssertionOutcome(assertion.type, "passed")
    listed = len(found.violations)
    extent = counted(found.total)
    if listed < found.total:
        extent = f"{extent}, the first {listed} listed"
    return AssertionOutcome(
        assertion.type,
        "failed",
        mismatch,
        f"the {what} differs from the expected schema: {extent}",
        violations=tuple(describe(violation, secrets) for violation in found.violations),
        total_violations=found.total,
    )
