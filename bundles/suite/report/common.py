"""A suite's run in the common model of every report: a check a case, for JUnit, SARIF and HTML."""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.report.model import Report
from bundles.suite.judge import verdict_of
from bundles.suite.language import ENGLISH
from bundles.suite.outcomes import CaseOutcome
from bundles.suite.report.around import approval_lines
from bundles.suite.report.model import Gate, SuiteRun
from bundles.suite.report.sentences import details_of, step_for
from bundles.verdict import Layer, Severity, Verdict


def common_report(run: SuiteRun, *, path: str, lines: Mapping[str, int] | None = None) -> Report:
    """The run as a report: its cases, those left out, then the gates that were asked for.

    Args:
        run: the run.
        path: the suite's file, where every finding points.
        lines: case id → its line there (`bundles.suite.lines`), where they are known.
    """
    lines = lines or {}
    outcomes: list[dict[str, Any]] = []
    findings: list[dict[str, Any]] = []
    for case in run.report.cases:
        outcome: dict[str, Any] = {"id": case.id, "verdict": verdict_of(case).value}
        found = list(_findings(path, lines.get(case.id), case))
        if found:
            outcome["reason_code"] = found[0]["reason_code"]
        outcome["message"] = found[0]["message"] if found else case.operation.why or case.name
        outcome["seconds"] = case.elapsed_us / 1_000_000
        outcomes.append(outcome)
        findings += found
    for left_out in run.report.left_out:
        verdict = Verdict.NOT_APPLICABLE.value
        outcomes.append({"id": left_out.id, "verdict": verdict, "message": left_out.why})
    for gate in run.gates:
        outcomes.append(gate.to_outcome())
        if not gate.passed:
            findings.append(_gate_finding(path, gate))
    # named after the suite: pipelines put the reports of many into one list
    title = f"suite {run.report.id}"
    return Report(title, run.target, run.verdict.value, outcomes, findings, facts=dict(_facts(run)))


def _facts(run: SuiteRun) -> Iterator[tuple[str, str]]:
    """What was found out around the cases, in a line each."""
    yield "name", run.report.name
    if run.report.revision:
        yield "revision", run.report.revision
    if run.report.stopped:
        yield "stopped", run.report.stopped.why
    unverified = len(run.report.unverified_rejections)
    if unverified:
        yield "rejections", ENGLISH.counted("rejections", unverified)
    if run.approval:
        first, *rest = approval_lines(run.approval, ENGLISH)
        yield "approval", " ".join([first, *(line.strip(" →") for line in rest)])
    if run.coverage and run.coverage.ratio is not None:
        yield "coverage", f"{run.coverage.covered} of {run.coverage.total} contract axes"
    if run.determinism:
        yield "determinism", run.determinism.conclusion.value


def _gate_finding(path: str, gate: Gate) -> dict[str, Any]:
    layer = Layer.BEHAVIOR
    return {
        "check_id": gate.id,
        "reason_code": gate.reason_code,
        "layer": layer.value,
        "severity": (Severity.MUST if gate.verdict is Verdict.FAIL else Severity.POLICY).value,
        "blocks": layer.blocks,
        "message": gate.message,
        "path": path,
        "next_step": step_for(gate.reason_code, ENGLISH),
    }


def _findings(path: str, line: int | None, case: CaseOutcome) -> Iterator[dict[str, Any]]:
    common = {
        "check_id": case.id,
        "severity": Severity.MUST.value,
        "path": path,
        **({"line": line} if line else {}),
    }
    if case.operation.certain:
        layer = Layer.PROTOCOL
        yield common | {
            "reason_code": "SUITE_CALL_FAILED",
            "layer": layer.value,
            "blocks": layer.blocks,
            "message": case.operation.why,
            "next_step": step_for(case.operation.code, ENGLISH),
        }
    for assertion in case.failures:
        layer = Layer.BEHAVIOR
        yield common | {
            "reason_code": assertion.code,
            "layer": layer.value,
            "blocks": layer.blocks,
            "message": "; ".join(
                [f"{assertion.type}: {assertion.message}", *details_of(assertion, ENGLISH)]
            ),
            "next_step": step_for(assertion.code, ENGLISH),
        }
