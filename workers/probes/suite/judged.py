"""A suite on a session that is open: each case judged as it ends, nothing kept but its outcome."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from bundles.suite.course import judge_attempts, parts
from bundles.suite.judge import SuiteReport
from bundles.suite.model import Case, Suite
from bundles.suite.outcomes import CaseOutcome, Stopped
from bundles.transcript import Exchange
from workers.budget import Budget
from workers.probes.session import Session
from workers.probes.suite.drive import Ended, drive

OnOutcome = Callable[[Case, Sequence[Exchange], CaseOutcome], None]
"""Told of each case as it ends, with the exchanges of its last attempt, none where it was not run;
whoever needs more of them than the outcome takes it now."""


async def judged(
    session: Session,
    suite: Suite,
    budget: Budget,
    *,
    concurrency: int | None = None,
    on_outcome: OnOutcome | None = None,
) -> SuiteReport:
    """Run a suite on a session that is open already; see `run_live`."""
    outcomes: dict[str, CaseOutcome] = {}

    def judge(ended: Ended) -> None:
        outcome = ended.outcome
        outcomes[outcome.id] = replace(outcome, captured={}) if outcome.captured else outcome
        if on_outcome is not None:
            last = ended.attempts[-1] if ended.attempts else ()
            on_outcome(ended.case, last, outcomes[outcome.id])

    stopped = await drive(session, suite, budget, judge, concurrency=concurrency)
    return report_of(suite, outcomes, stopped)


def report_of(
    suite: Suite, outcomes: Mapping[str, CaseOutcome], stopped: Stopped | None
) -> SuiteReport:
    """The report on a suite by the outcomes of those of its cases that ended, by id."""
    cases = tuple(
        outcomes.get(case.id) or judge_attempts(part, case, ())
        for part, cases in parts(suite)
        for case in cases
    )
    return SuiteReport(suite.id, suite.name, cases, stopped)
