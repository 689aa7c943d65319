"""Judging a whole suite by the transcript of its run."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bundles.mcp.probes import SUITE
from bundles.suite.course import Course, judge_attempts, parts
from bundles.suite.model import Case, Suite
from bundles.suite.outcomes import CaseOutcome, CaseStatus, ServerWords, Stopped
from bundles.suite.selection import LeftOut
from bundles.transcript import Exchange
from bundles.verdict import Verdict, of_run


def probe_id(suite: str, case: str) -> str:
    """The id under which the exchanges of a case are recorded, and of no other.

    Both ids may hold any character. A colon in the suite's is written as "%3A": case "b:c" of suite
    "a" would otherwise answer for case "c" of suite "a:b".
    """
    return f"{SUITE}{suite.replace('%', '%25').replace(':', '%3A')}:{case}"


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
        left_out: cases of the file that were not chosen, by tag or profile.
    """

    id: str
    name: str
    # asyncio.run spells out what it returns, to compare a signal handler: seconds for 10,000 cases
    cases: tuple[CaseOutcome, ...] = field(repr=False)
    stopped: Stopped | None = None
    server: ServerWords = field(default_factory=ServerWords)
    revision: str = ""
    left_out: tuple[LeftOut, ...] = ()

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

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON in the format's own member names."""
        return {
            "schemaVersion": 1,
            "suite": {"id": self.id, "name": self.name},
            "status": _STATUSES[self.verdict],
            **({"stopReason": self.stopped.to_dict()} if self.stopped else {}),
            "cases": [case.to_dict() for case in self.cases],
            "summary": self.summary,
            **({"leftOut": [case.to_dict() for case in self.left_out]} if self.left_out else {}),
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

    A case without an exchange was not run. Variables get the values they had: they are captured
    again from the same exchanges.
    """
    by_probe: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in exchanges:
        by_probe[exchange.probe].append(exchange)
    course = Course()
    outcomes: list[CaseOutcome] = []
    for part, cases in parts(suite):
        for case in cases:
            ready = course.ready(part, case)
            if isinstance(ready, Case):
                attempts = attempts_in(by_probe.get(probe_id(suite.id, case.id), ()))
                ready = judge_attempts(part, ready, attempts, secrets)
            course.ended(ready)
            outcomes.append(ready)
    return SuiteReport(suite.id, suite.name, tuple(outcomes), course.stopped)


def attempts_in(exchanges: Iterable[Exchange]) -> list[list[Exchange]]:
    """The exchanges of a case, those of each attempt at it together, in order."""
    attempts: dict[int, list[Exchange]] = {}
    for exchange in exchanges:
        attempts.setdefault(exchange.request.get("attempt", 1), []).append(exchange)
    return [attempts[number] for number in sorted(attempts)]
