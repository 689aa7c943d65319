"""Judging a whole suite by the transcript of its run."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bundles.mcp.probes import SUITE
from bundles.suite.assertions import judge_case
from bundles.suite.model import Suite
from bundles.suite.outcomes import CaseOutcome, CaseStatus, ServerWords, Stopped
from bundles.transcript import Exchange
from bundles.verdict import Verdict, of_run


def probe_id(suite: str, case: str) -> str:
    """The id under which the exchanges of a case are recorded."""
    return f"{SUITE}{suite}:{case}"


_VERDICTS = {
    CaseStatus.PASSED: Verdict.PASS,
    CaseStatus.FAILED: Verdict.FAIL,
    CaseStatus.TIMED_OUT: Verdict.INCONCLUSIVE,
    CaseStatus.NOT_RUN: Verdict.NOT_RUN,
}


def verdict_of(case: CaseOutcome) -> Verdict:
    """What a case says of the server: only an answer can fail it for certain."""
    if case.status is CaseStatus.OPERATION_FAILED:
        return Verdict.FAIL if case.operation.certain else Verdict.INCONCLUSIVE
    return _VERDICTS[case.status]


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """How a suite went, case by case, in the order written.

    Attributes:
        stopped: why it ended before its last case, None when it did not.
        server: what the server said besides its answers; known of a live run only.
        revision: protocol revision that was spoken, "" where the run did not say.
    """

    id: str
    name: str
    cases: tuple[CaseOutcome, ...]
    stopped: Stopped | None = None
    server: ServerWords = field(default_factory=ServerWords)
    revision: str = ""

    @property
    def verdict(self) -> Verdict:
        """FAIL when a case failed for certain, PASS when all passed, else INCONCLUSIVE."""
        return of_run(verdict_of(case) for case in self.cases)

    @property
    def summary(self) -> dict[str, int]:
        """Number of cases in all, and by status."""
        counted = Counter(case.status for case in self.cases)
        return {
            "total": len(self.cases),
            **{s.value: counted[s] for s in CaseStatus},
            "rejectionUnverified": len(self.unverified_rejections),
        }

    @property
    def unverified_rejections(self) -> tuple[CaseOutcome, ...]:
        """Cases that passed by a rejection that may have been another failure."""
        return tuple(
            case
            for case in self.cases
            if case.status is CaseStatus.PASSED and case.rejection == "unverified"
        )

    @property
    def not_passed(self) -> Iterator[CaseOutcome]:
        """The cases to look at again: failed or without a result."""
        return (case for case in self.cases if case.status is not CaseStatus.PASSED)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON in the format's own member names."""
        return {
            "schemaVersion": 1,
            "suite": {"id": self.id, "name": self.name},
            "status": _STATUSES[self.verdict],
            **({"stopReason": self.stopped.to_dict()} if self.stopped else {}),
            "cases": [case.to_dict() for case in self.cases],
            "summary": self.summary,
        }


_STATUSES: Mapping[Verdict, str] = {
    Verdict.PASS: "passed",
    Verdict.FAIL: "failed",
    Verdict.INCONCLUSIVE: "inconclusive",
}


def judge_suite(
    suite: Suite, exchanges: Iterable[Exchange], *, secrets: Sequence[str] = ()
) -> SuiteReport:
    """Judge a suite by the exchanges of a transcript, whatever else they hold.

    A case without an exchange was not run.
    """
    by_probe: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in exchanges:
        by_probe[exchange.probe].append(exchange)
    cases = tuple(
        judge_case(case, *by_probe.get(probe_id(suite.id, case.id), ()), secrets=secrets)
        for case in suite.cases
    )
    return SuiteReport(suite.id, suite.name, cases)
