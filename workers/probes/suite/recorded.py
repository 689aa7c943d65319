"""A suite inside a verification run: its exchanges, for the transcript."""

from collections.abc import Sequence

from bundles.suite.model import Case, Suite
from bundles.transcript import Exchange
from workers.budget import Budget
from workers.probes.session import Session
from workers.probes.suite.drive import drive


async def run_suite(
    session: Session, suite: Suite, budget: Budget, *, concurrency: int = 1
) -> list[Exchange]:
    """Make every call of a suite (`drive`); the exchanges in the order of its cases."""
    made: list[Sequence[Exchange]] = [()] * len(suite.cases)

    def keep(index: int, _case: Case, exchanges: Sequence[Exchange]) -> None:
        made[index] = exchanges

    await drive(session, suite, budget, keep, concurrency=concurrency)
    return [exchange for exchanges in made for exchange in exchanges]
