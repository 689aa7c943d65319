"""Everything a report of a suite's run may say: the run, and what was found out around it."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bundles.suite.judge import SuiteReport
from bundles.suite.outcomes import ServerWords
from bundles.verdict import Verdict, of_run

if TYPE_CHECKING:
    from bundles.suite.axes import Coverage
    from bundles.suite.determinism import Determinism
    from bundles.suite.fingerprint import Approval
    from bundles.suite.input_contract import InputFinding, InputFindings


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition on the whole run that somebody asked for, beside its cases.

    Attributes:
        id: its name, as `coverage` or `determinism`.
        verdict: PASS, FAIL, or INCONCLUSIVE where it could not be told.
        message: one sentence: what was asked, what was found.
        reason_code: published code of a verdict that is not PASS.
    """

    id: str
    verdict: Verdict
    message: str
    reason_code: str = ""

    @property
    def passed(self) -> bool:
        """Whether the condition holds for certain."""
        return self.verdict is Verdict.PASS

    def to_outcome(self) -> dict[str, Any]:
        """{"id", "verdict", "reason_code"?, "message"}, as every check is reported."""
        code = {"reason_code": self.reason_code} if self.reason_code else {}
        return {"id": self.id, "verdict": self.verdict.value, **code, "message": self.message}


@dataclass(frozen=True)
class SuiteRun:
    """One run of a suite. What was not asked for is None, and no report mentions it.

    Attributes:
        report: how the cases went.
        target: the URL or the command line of the server.
        approval: whether the suite is the one that was approved.
        findings: what of its inputs does not fit the tools' declarations.
        coverage: how much of what the tools declare it checks.
        determinism: what a second run showed.
        gates: conditions on the whole run that were asked for, and how they came out.
    """

    report: SuiteReport
    target: str = ""
    approval: "Approval | None" = None
    findings: "InputFindings | None" = None
    coverage: "Coverage | None" = None
    determinism: "Determinism | None" = None
    gates: tuple[Gate, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """That of the cases and the gates together: a certain failure outweighs the unknown."""
        return of_run([self.report.verdict, *(gate.verdict for gate in self.gates)])

    @property
    def all_passed(self) -> bool:
        """Whether there were cases, and every one passed."""
        return self.report.verdict is Verdict.PASS

    @cached_property
    def findings_by_case(self) -> "dict[str, tuple[InputFinding, ...]]":
        """Case id → its findings."""
        by_case: dict[str, tuple[InputFinding, ...]] = {}
        for finding in self.findings.findings if self.findings else ():
            by_case[finding.case_id] = (*by_case.get(finding.case_id, ()), finding)
        return by_case

    @cached_property
    def known_defects(self) -> frozenset[str]:
        """Ids of the cases that were approved as failing by a defect of the server."""
        cases = self.approval.cases if self.approval else ()
        return frozenset(case.id for case in cases if case.status == "serverDefect")

    def to_dict(self) -> dict[str, Any]:
        """The run as plain JSON, complete whatever the number of cases; English, no clock.

        {"schemaVersion": 1, "suite": {"id", "name"}, "status", "verdict", "target", "revision",
        "stopReason"?, "cases", "summary", "gates"?, "spec"?: {"approval"?, "fingerprint"?,
        "findings"?, "totalFindings"?}, "coverage"?, "determinism"?, "server"?: {"stderr", "noise",
        "exitCode"}}
        """
        report = self.report
        server = report.server
        optional: dict[str, Any] = {
            "gates": [gate.to_outcome() for gate in self.gates],
            "spec": self._spec(),
            "coverage": self.coverage.to_dict() if self.coverage else None,
            "determinism": self.determinism.to_dict() if self.determinism else None,
            "server": server.to_dict() if server != ServerWords() else None,
        }
        return (
            report.to_dict()
            | {
                "verdict": self.verdict.value,
                "target": self.target,
                "revision": report.revision,
            }
            | {name: value for name, value in optional.items() if value}
        )

    def _spec(self) -> dict[str, Any]:
        spec: dict[str, Any] = {}
        if self.approval:
            spec["approval"] = self.approval.to_dict()
            spec["fingerprint"] = self.approval.computed
        if self.findings:
            spec["findings"] = [finding.to_dict() for finding in self.findings.findings]
            spec["totalFindings"] = self.findings.total
        return spec
