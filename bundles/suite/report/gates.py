"""Conditions on a whole run that a pipeline may ask for, judged by what the run found out."""

from collections.abc import Collection, Iterator
from enum import StrEnum

from bundles.reasons import reason
from bundles.report.cut import counted
from bundles.suite.determinism import Conclusion
from bundles.suite.outcomes import CaseOutcome, CaseStatus
from bundles.suite.report.model import Gate, SuiteRun
from bundles.verdict import Verdict

REJECTION_UNVERIFIED = reason(
    "REJECTION_UNVERIFIED",
    "A case passed by an error that may not have been a rejection of its input.",
    "look at the answer of each case that is named; let the server say that the input is invalid",
)
REJECTION_NOT_SEEN = reason(
    "REJECTION_NOT_SEEN",
    "Cases of the suite have no answer, so nobody knows what their rejections would rest on.",
    "see why the cases that are named have no answer, and run the suite again",
)
SUITE_NOT_APPROVED = reason(
    "SUITE_NOT_APPROVED",
    "The suite has no approval that it could have drifted from.",
    "look through the suite and run `bundlegate suite approve` on it",
)
SUITE_NOT_COMPARED = reason(
    "SUITE_NOT_COMPARED",
    "Two runs of a suite could not be compared, so nobody knows whether it is deterministic.",
    "see what stopped a run; restore what the first run changed with --reset-cmd",
)
SUITE_TOOLS_UNKNOWN = reason(
    "SUITE_TOOLS_UNKNOWN",
    "What the tools declare is not known, so nothing can be said of a suite's inputs or coverage.",
    "make tools/list of the server answer, with input schemas that are objects with properties",
)


class FailOn(StrEnum):
    """What may fail a run although every case passed."""

    NONDETERMINISM = "nondeterminism"
    INPUT_FINDINGS = "input-findings"
    APPROVAL_DRIFT = "approval-drift"
    UNVERIFIED_REJECTIONS = "unverified-rejections"


def gates_of(
    run: SuiteRun, fail_on: Collection[FailOn], minimum_coverage: float | None = None
) -> tuple[Gate, ...]:
    """The gates that were asked for, in a fixed order; what is not known passes none.

    Args:
        run: the run, with what the gates ask about.
        fail_on: what fails the run.
        minimum_coverage: least ratio of contract axes, None where none is asked for.
    """
    return tuple(_gates(run, fail_on, minimum_coverage))


def _gates(run: SuiteRun, fail_on: Collection[FailOn], minimum: float | None) -> Iterator[Gate]:
    if minimum is not None:
        yield _coverage(run, minimum)
    if FailOn.NONDETERMINISM in fail_on:
        yield _determinism(run)
    if FailOn.INPUT_FINDINGS in fail_on:
        yield _inputs(run)
    if FailOn.APPROVAL_DRIFT in fail_on:
        yield _approval(run)
    if FailOn.UNVERIFIED_REJECTIONS in fail_on:
        yield _rejections(run)


def _coverage(run: SuiteRun, minimum: float) -> Gate:
    coverage = run.coverage
    if coverage is None or coverage.ratio is None:
        why = "no tool declares anything that can be read"
        if coverage is None:
            why = "what the tools declare is not known"
        return Gate("coverage", Verdict.INCONCLUSIVE, why, SUITE_TOOLS_UNKNOWN)
    message = f"{coverage.covered} of {coverage.total} contract axes are covered, {minimum:g} asked"
    if coverage.ratio >= minimum:
        return Gate("coverage", Verdict.PASS, message)
    return Gate("coverage", Verdict.FAIL, message, "SUITE_COVERAGE_TOO_LOW")  # NaN is no minimum


def _determinism(run: SuiteRun) -> Gate:
    found = run.determinism
    if found is None or (found.conclusion is Conclusion.NOT_COMPARED):
        why = found.why if found else "the suite was run once"
        return Gate("determinism", Verdict.INCONCLUSIVE, why, SUITE_NOT_COMPARED)
    if found.differences:
        message = f"{len(found.differences)} of {found.compared} cases came out different"
        return Gate("determinism", Verdict.FAIL, message, "SUITE_NONDETERMINISTIC")
    if not found.compared:
        return Gate("determinism", Verdict.INCONCLUSIVE, "no case was run", SUITE_NOT_COMPARED)
    return Gate(
        "determinism", Verdict.PASS, f"{counted(found.compared, 'case')} came out the same twice"
    )


def _inputs(run: SuiteRun) -> Gate:
    if run.findings is None:
        why = "what the tools declare is not known"
        return Gate("inputs", Verdict.INCONCLUSIVE, why, SUITE_TOOLS_UNKNOWN)
    blocking = run.findings.blocking
    if blocking:
        first = blocking[0]
        more = f" (and {len(blocking) - 1} more)" if blocking[1:] else ""
        message = f"case {first.case_id}: {first.message}{more}"
        return Gate("inputs", Verdict.FAIL, message, "SUITE_INPUT_UNDECLARED")
    return Gate("inputs", Verdict.PASS, "no input contradicts what the tools declare")


def _approval(run: SuiteRun) -> Gate:
    approval = run.approval
    if approval is None or approval.state == "none":
        why = "the suite has no approval"
        return Gate("approval", Verdict.INCONCLUSIVE, why, SUITE_NOT_APPROVED)
    if approval.state == "drifted":
        message = "the suite is not the one that was approved"
        return Gate("approval", Verdict.FAIL, message, "SUITE_APPROVAL_DRIFTED")
    return Gate("approval", Verdict.PASS, "the suite is the one that was approved")


def _rejections(run: SuiteRun) -> Gate:
    unverified = run.report.unverified_rejections
    if unverified:
        named = ", ".join(case.id for case in unverified[:10])
        more = f" and {len(unverified) - 10} more" if unverified[10:] else ""
        cases = counted(len(unverified), "case")
        message = f"the rejections of {cases} rest on nothing known: {named}{more}"
        return Gate("rejections", Verdict.FAIL, message, REJECTION_UNVERIFIED)
    unknown = [case.id for case in run.report.cases if _unseen(case)]
    if unknown:
        why = f"{len(unknown)} cases have no answer to look at, the first is {unknown[0]}"
        return Gate("rejections", Verdict.INCONCLUSIVE, why, REJECTION_NOT_SEEN)
    return Gate("rejections", Verdict.PASS, "every rejection is one of the input")


def _unseen(case: CaseOutcome) -> bool:
    """Whether a case may expect a rejection and has no answer that could be one."""
    if case.status in (CaseStatus.TIMED_OUT, CaseStatus.OPERATION_FAILED):
        return case.rejection != "notApplicable"
    return case.status is CaseStatus.NOT_RUN
