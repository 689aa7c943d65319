"""Judging one case by what came back for it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bundles.mcp.turned_away import refused_on_the_way
from bundles.mcp.wire import same_id
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
from bundles.suite.outcomes import (
    BODY_EXTRACTION_FAILED,
    BODY_SCHEMA_MISMATCH,
    IS_ERROR_MISMATCH,
    STRUCTURED_CONTENT_EXTRACTION_FAILED,
    STRUCTURED_CONTENT_SCHEMA_MISMATCH,
    TOOL_NOT_FOUND,
    AssertionOutcome,
    CaseOutcome,
    CaseStatus,
    OperationOutcome,
)
from bundles.suite.rejection import expects_rejection, rejection_basis
from bundles.suite.schema import match
from bundles.transcript import Exchange, Failure

_STATUS_OF_OPERATION = {
    "failed": CaseStatus.OPERATION_FAILED,
    "timedOut": CaseStatus.TIMED_OUT,
    "notRun": CaseStatus.NOT_RUN,
}
_NOT_SENT = (Failure.BUDGET, Failure.UNREACHABLE, Failure.REFUSED_EGRESS)


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
        rejection = _rejection(case, operation, None)
        return CaseOutcome(case.id, case.name, ended, operation, skipped, elapsed_us, rejection)
    assertions = tuple(_assertion(assertion, exchanges, secrets) for assertion in case.assertions)
    failed = any(assertion.status == "failed" for assertion in assertions)
    ended = CaseStatus.FAILED if failed else CaseStatus.PASSED
    rejection = _rejection(case, operation, exchanges[-1].result)
    return CaseOutcome(case.id, case.name, ended, operation, assertions, elapsed_us, rejection)


def _rejection(case: Case, operation: OperationOutcome, result: object) -> str:
    """The basis of the rejection a case expects; a case that was not run had none to look at."""
    if operation.status == "notRun" or not expects_rejection(case.assertions):
        return "notApplicable"
    return rejection_basis(case.operation.tool, result)


def _operation(case: Case, exchanges: Sequence[Exchange]) -> OperationOutcome:
    if not exchanges:
        return OperationOutcome("notRun", "the suite stopped before this case")
    if exchanges[0].failure in _NOT_SENT:
        return OperationOutcome("notRun", exchanges[0].note or f"not sent: {exchanges[0].failure}")
    for exchange in exchanges:
        if exchange.failure is Failure.TIMEOUT:
            return OperationOutcome("timedOut", f"no answer within {case.timeout_ms} ms")
        wrong = _failed(exchange) or _malformed(case, exchange.result)
        if wrong is not None:
            return wrong
    return OperationOutcome("completed")


def _failed(exchange: Exchange) -> OperationOutcome | None:
    if exchange.failure is not None:
        return OperationOutcome("failed", f"{exchange.failure}: {exchange.note}".rstrip(": "))
    if why := refused_on_the_way(exchange):
        return OperationOutcome("failed", f"{why} (HTTP {exchange.status})")
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
        return OperationOutcome("failed", why, certain=not _is_ours(exchange))
    return None


_OUR_LIMITS = ("JSON_TOO_DEEP", "JSON_STRING_TOO_LONG", "JSON_TOO_MANY_NODES")


def _is_ours(exchange: Exchange) -> bool:
    """Whether a limit of this harness cut the reading short, which says nothing of the server."""
    return exchange.parse_error.startswith(_OUR_LIMITS)


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
            cause=extracted.code.value,
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
