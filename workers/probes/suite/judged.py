"""A suite on a session that is open: each case judged as it ends, nothing kept but its outcome."""

from collections.abc import Callable, Sequence

from bundles.suite.assertions import judge_case
from bundles.suite.judge import SuiteReport
from bundles.suite.model import Case, Suite
from bundles.suite.outcomes import CaseOutcome
from bundles.transcript import Exchange
from workers.budget import Budget
from workers.probes.session import Session
from workers.probes.suite.drive import drive

OnOutcome = Callable[[Case, Sequence[Exchange], CaseOutcome], None]
"""Told of each case as it ends; whoever needs more of the exchanges takes it now."""


async def judged(
    session: Session,
    suite: Suite,
    budget: Budget,
    *,
    concurrency: int = 1,
    on_outcome: OnOutcome | None = None,
) -> SuiteReport:
    """Run a suite on a session that is open already; see `run_live`."""
    outcomes: dict[int, CaseOutcome] = {}

    def judge(index: int, case: Case, exchanges: Sequence[Exchange]) -> None:
        outcomes[index] = outcome = judge_case(case, *exchanges)
        if on_outcome is not None:
            on_outcome(case, exchanges, outcome)

    stopped = await drive(session, suite, budget, judge, concurrency=concurrency)
    cases = (outcomes.get(index) or judge_case(case) for index, case in enumerate(suite.cases))
    return SuiteReport(suite.id, suite.name, tuple(cases), stopped)
