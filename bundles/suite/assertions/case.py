"""Judging one case by what came back for it."""

from collections.abc import Mapping, Sequence
from typing import Any

from bundles.suite.assertions.captures import judge_answers, judge_captures
from bundles.suite.assertions.operation import as_reported, judge_operation
from bundles.suite.assertions.registry import KINDS
from bundles.suite.assertions.seen import Seen
from bundles.suite.model import Case
from bundles.suite.outcomes import AssertionOutcome, CaseOutcome, CaseStatus, OperationOutcome
from bundles.suite.rejection import expects_rejection, rejection_basis
from bundles.transcript import Exchange

_STATUS_OF_OPERATION = {
    "failed": CaseStatus.OPERATION_FAILED,
    "timedOut": CaseStatus.TIMED_OUT,
    "notRun": CaseStatus.NOT_RUN,
}


def judge_case(case: Case, *exchanges: Exchange, secrets: Sequence[str] = ()) -> CaseOutcome:
    """Judge one attempt at a case.

    Args:
        case: the case, its variables replaced.
        exchanges: what was asked for it and what came back: one for a call, one a round where the
            server asked for input, one a page for a list, none when it was never made.
        secrets: values masked wherever the outcome quotes the server.
    """
    operation = judge_operation(case, exchanges, secrets)
    if operation.status != "completed":
        return _without_result(case, as_reported(operation, secrets), exchanges)
    seen = Seen(case, exchanges, operation, secrets)
    assertions = [KINDS[assertion.type].judge(assertion, seen) for assertion in case.assertions]
    captured: Mapping[str, Any] = {}
    if case.answers:
        assertions.append(judge_answers(case, seen))
    if case.captures:
        captured, outcomes = judge_captures(case, seen)
        assertions += outcomes
    failed = any(assertion.status == "failed" for assertion in assertions)
    return CaseOutcome(
        id=case.id,
        name=case.name,
        status=CaseStatus.FAILED if failed else CaseStatus.PASSED,
        operation=as_reported(operation, secrets),
        assertions=tuple(assertions),
        elapsed_us=seen.elapsed_us,
        rejection=_rejection(case, operation, exchanges[-1].result),
        captured=captured,
    )


def not_run(case: Case, why: str) -> CaseOutcome:
    """The outcome of a case that was not run, and why, in one sentence."""
    return _without_result(case, OperationOutcome("notRun", why), ())


def _without_result(
    case: Case, operation: OperationOutcome, exchanges: Sequence[Exchange]
) -> CaseOutcome:
    status = "notRun" if operation.status == "notRun" else "skipped"
    skipped = tuple(
        AssertionOutcome(
            assertion.type, status, "OPERATION_RESULT_UNAVAILABLE", "there is no result to look at"
        )
        for assertion in case.assertions
    )
    return CaseOutcome(
        id=case.id,
        name=case.name,
        status=_STATUS_OF_OPERATION[operation.status],
        operation=operation,
        assertions=skipped,
        elapsed_us=sum(exchange.elapsed_us for exchange in exchanges),
        rejection=_rejection(case, operation, None),
    )


def _rejection(case: Case, operation: OperationOutcome, result: object) -> str:
    """The basis of the rejection a case expects; a case that was not run had none to look at."""
    if operation.status == "notRun" or not expects_rejection(case.assertions):
        return "notApplicable"
    return rejection_basis(case.operation.tool, result)
