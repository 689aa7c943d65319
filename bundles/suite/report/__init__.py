"""A suite's run as a report: the text people know from the format, and the common input model."""

from collections.abc import Iterator
from typing import Any

from bundles.reasons import next_step
from bundles.report.cut import cut, escaped
from bundles.report.model import Report
from bundles.suite.judge import SuiteReport, verdict_of
from bundles.suite.outcomes import AssertionOutcome, CaseOutcome, CaseStatus
from bundles.verdict import Layer, Severity

_MARKS = {
    CaseStatus.PASSED: "✓",
    CaseStatus.FAILED: "✗",
    CaseStatus.TIMED_OUT: "⧖",
    CaseStatus.OPERATION_FAILED: "⊘",
    CaseStatus.NOT_RUN: "·",
}
_WORDS = {
    CaseStatus.PASSED: "passed",
    CaseStatus.FAILED: "failed",
    CaseStatus.TIMED_OUT: "timed out",
    CaseStatus.OPERATION_FAILED: "without a result",
    CaseStatus.NOT_RUN: "not run",
}


def render_text(report: SuiteReport) -> str:
    """The run as text: every case, what failed and why, then the cases to look at again."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: SuiteReport) -> Iterator[str]:
    yield f"{escaped(report.name)}  ({len(report.cases)} cases)"
    width = max(len(escaped(case.id)) for case in report.cases)
    for case in report.cases:
        yield f"  {_MARKS[case.status]} {escaped(case.id):<{width}}  {escaped(case.name)}"
        yield from _why(case)
    again = [case for case in report.not_passed if case.status is not CaseStatus.NOT_RUN]
    if again:
        yield ""
        yield "Failed cases"
        for case in again:
            yield f"  {_MARKS[case.status]} {escaped(case.id)} → {_short(case)}"
    yield ""
    counts = report.summary
    parts = [f"{counts[s.value]} {word}" for s, word in _WORDS.items() if counts[s.value]]
    yield f"{', '.join(parts)} ({counts['total']} total)"


def _why(case: CaseOutcome) -> Iterator[str]:
    if case.operation.why:
        yield f"      {escaped(cut(case.operation.why, 1000))}"
    for assertion in case.failures:
        yield f"      {assertion.type}  {assertion.message}"
        yield from (f"        → {line}" for line in _details(assertion))
        yield f"        fix: {next_step(assertion.code)}"


def _details(assertion: AssertionOutcome) -> list[str]:
    return [violation["message"] for violation in assertion.violations] or list(assertion.notes)


def _short(case: CaseOutcome) -> str:
    if not case.failures:
        return escaped(cut(case.operation.why))
    first = case.failures[0]
    return next(iter(_details(first)), first.message)


def common_report(report: SuiteReport, *, title: str, subject: str, path: str) -> Report:
    """The run in the common model, a check per case, for JUnit and SARIF.

    `path` is the suite's file, where every finding points.
    """
    outcomes: list[dict[str, Any]] = []
    findings: list[dict[str, Any]] = []
    for case in report.cases:
        verdict = verdict_of(case)
        outcome: dict[str, Any] = {"id": case.id, "verdict": verdict.value}
        found = list(_findings(path, case))
        if found:
            outcome["reason_code"] = found[0]["reason_code"]
        outcome["message"] = found[0]["message"] if found else case.operation.why or case.name
        outcome["seconds"] = case.elapsed_us / 1_000_000
        outcomes.append(outcome)
        findings += found
    facts = {"suite": report.id}
    return Report(title, subject, report.verdict.value, outcomes, findings, facts=facts)


def _findings(path: str, case: CaseOutcome) -> Iterator[dict[str, Any]]:
    common = {
        "check_id": case.id,
        "severity": Severity.MUST.value,
        "path": path,
    }
    if case.operation.certain:
        layer = Layer.PROTOCOL
        yield common | {
            "reason_code": "SUITE_CALL_FAILED",
            "layer": layer.value,
            "blocks": layer.blocks,
            "message": case.operation.why,
        }
    for assertion in case.failures:
        layer = Layer.BEHAVIOR
        yield common | {
            "reason_code": assertion.code,
            "layer": layer.value,
            "blocks": layer.blocks,
            "message": "; ".join([f"{assertion.type}: {assertion.message}", *_details(assertion)]),
            "next_step": next_step(assertion.code),
        }
