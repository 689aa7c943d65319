"""A suite inside a verification run: its exchanges, for the transcript."""

from bundles.suite.model import Suite
from bundles.transcript import Exchange
from workers.budget import Budget
from workers.probes.session import Session
from workers.probes.suite.drive import Ended, drive


async def run_suite(
    session: Session, suite: Suite, budget: Budget, *, concurrency: int | None = None
) -> list[Exchange]:
    """Make every call of a suite (`drive`); the exchanges in the order of its cases.

    They are judged later, by whoever reads the transcript; only what decides about further calls
    is judged on the way.
    """
    made: list[list[Exchange]] = [[] for _ in suite.everything]

    def keep(ended: Ended) -> None:
        made[ended.index] = ended.exchanges

    await drive(session, suite, budget, keep, concurrency=concurrency)
    return [exchange for exchanges in made for exchange in exchanges]
