"""Driving a suite's cases over a session: it asks and hands on, keeps and judges nothing."""

import asyncio
from collections.abc import Callable, Iterator, Sequence

from bundles.mcp.probes import ALIVE
from bundles.suite.judge import probe_id
from bundles.suite.model import Case, Suite
from bundles.suite.outcomes import Stopped
from bundles.transcript import Exchange, Failure
from workers.budget import Budget
from workers.probes.session import Session
from workers.probes.suite.asking import ask

OnCase = Callable[[int, Case, Sequence[Exchange]], None]
"""Told of each case as it ends: its place in the suite, itself, and what came back for it."""

_GONE, _BUDGET = "serverGone", "budget"
_NOT_SENT = (Failure.UNREACHABLE, Failure.REFUSED_EGRESS)


async def drive(
    session: Session, suite: Suite, budget: Budget, on_case: OnCase, *, concurrency: int = 1
) -> Stopped | None:
    """Make every call of a suite; why it stopped early, None when it did not.

    A case's timeout ends that case alone. A server that is gone ends the suite: `on_case` never
    hears of the cases that are left, which the judge reads as "not run".

    Args:
        session: where the calls go.
        suite: what to call, in the order written.
        budget: bounds the whole suite.
        on_case: told of each case as it ends, not in the order written where calls overlap.
            Nothing of a case is kept once it returns.
        concurrency: calls in flight at once; 1 makes them one after the other.
    """
    run = _Run(session, suite, budget, on_case)
    workers = min(max(concurrency, 1), len(suite.cases))
    if workers == 1:
        await run.work()
    else:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(workers):
                tasks.create_task(run.work())
    return run.stopped


class _Run:
    """What the concurrent workers of one suite share: the next case, and whether to go on."""

    def __init__(self, session: Session, suite: Suite, budget: Budget, on_case: OnCase) -> None:
        self._session = session
        self._suite = suite
        self._budget = budget
        self._on_case = on_case
        self._left: Iterator[tuple[int, Case]] = iter(enumerate(suite.cases))
        self._asking_if_alive = asyncio.Lock()
        self.stopped: Stopped | None = None

    async def work(self) -> None:
        """Take cases until none is left or there is no going on."""
        for index, case in self._left:
            if self.stopped is None and self._budget.remaining_s() <= 0:
                self.stopped = Stopped(self._budget.refusal(""), kind=_BUDGET)
            if self.stopped is not None:
                return
            probe = probe_id(self._suite.id, case.id)
            exchanges = await ask(self._session, probe, case)
            self._on_case(index, case, exchanges)
            await self._look_at(case, exchanges[-1])

    async def _look_at(self, case: Case, last: Exchange) -> None:
        """Note it when nothing more can be asked."""
        if last.failure is Failure.BUDGET:
            self._stop(_BUDGET, last, case)
        elif last.failure in _NOT_SENT:
            self._stop(_GONE, last, case)
        elif last.failure is Failure.CLOSED:
            async with self._asking_if_alive:
                if self.stopped is None:
                    await self._ask_if_alive(case, last)

    async def _ask_if_alive(self, case: Case, last: Exchange) -> None:
        """A closed connection may be one answer cut short: only a server that is asked knows."""
        if self._session.dead:
            self._stop(_GONE, last, case)
            return
        greeting = await self._session.greet(ALIVE + last.probe)
        if greeting.failure in (*_NOT_SENT, Failure.CLOSED):
            self._stop(_GONE, last, case)

    def _stop(self, kind: str, last: Exchange, case: Case) -> None:
        if self.stopped is None:
            self.stopped = Stopped(last.note or f"{last.failure}", case.id, kind)
