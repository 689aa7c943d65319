"""Driving a suite's cases over a session: it asks and hands on, and keeps nothing."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from bundles.mcp.probes import ALIVE
from bundles.suite.assertions import judge_case
from bundles.suite.course import Course, another_attempt, judge_attempts
from bundles.suite.judge import probe_id
from bundles.suite.model import Case, Suite
from bundles.suite.outcomes import CaseOutcome, Part, Stopped
from bundles.transcript import Exchange, Failure
from workers.budget import Budget
from workers.probes.session import Session
from workers.probes.suite.asking import ask
from workers.probes.suite.schedule import Schedule, at_once

TEARDOWN_S = 5.0
"""Seconds that teardown still gets once a run is cancelled, as by Ctrl-C."""

_GONE, _BUDGET = "serverGone", "budget"
_NOT_SENT = (Failure.UNREACHABLE, Failure.REFUSED_EGRESS)


@dataclass(frozen=True)
class Ended:
    """A case that ended.

    Attributes:
        index: its place in `Suite.everything`.
        part: the part of the suite it stands in.
        case: its variables replaced; as written where that could not be done.
        attempts: what came back, an entry for each attempt; empty where none could be made.
        why_not: the outcome of a case that could not be run.
    """

    index: int
    part: Part
    case: Case
    attempts: Sequence[Sequence[Exchange]] = ()
    why_not: CaseOutcome | None = None

    @property
    def exchanges(self) -> list[Exchange]:
        """The exchanges of every attempt, in order."""
        return [exchange for attempt in self.attempts for exchange in attempt]

    @cached_property
    def outcome(self) -> CaseOutcome:
        """How it went; judged when somebody wants to know."""
        return self.why_not or judge_attempts(self.part, self.case, self.attempts)


OnCase = Callable[[Ended], None]


async def drive(
    session: Session,
    suite: Suite,
    budget: Budget,
    on_case: OnCase,
    *,
    concurrency: int | None = None,
) -> Stopped | None:
    """Make every call of a suite; why it stopped early, None when it did not.

    Setup in order, then the cases as `Schedule` hands them out, then teardown in order. A case's
    timeout ends that case alone. A server that is gone ends the suite: `on_case` never hears of the
    cases that are left, which the judge reads as "not run". What was set up is torn down even when
    this is cancelled, within `TEARDOWN_S`.

    Args:
        session: where the calls go.
        suite: what to call.
        budget: bounds the whole suite.
        on_case: told of each case as it ends, not in the order written where calls overlap.
            Nothing of a case is kept once it returns.
        concurrency: calls in flight at once; None for what the suite says.
    """
    run = _Run(session, suite, budget, on_case)
    teardown = enumerate(suite.teardown, len(suite.setup) + len(suite.cases))
    try:
        await run.in_order("setup", enumerate(suite.setup))
        await run.cases(at_once(suite, concurrency))
        await run.in_order("teardown", teardown)
    except asyncio.CancelledError:
        with suppress(TimeoutError):
            async with asyncio.timeout(TEARDOWN_S):
                await run.in_order("teardown", teardown)
        raise
    return run.stopped or run.course.stopped


class _Run:
    """What the concurrent workers of one suite share, and whether to go on."""

    def __init__(self, session: Session, suite: Suite, budget: Budget, on_case: OnCase) -> None:
        self._session = session
        self._suite = suite
        self._budget = budget
        self._on_case = on_case
        self._asking_if_alive = asyncio.Lock()
        self.course = Course()
        self.stopped: Stopped | None = None

    async def in_order(self, part: Part, cases: Iterable[tuple[int, Case]]) -> None:
        """Run cases, each with its place in the suite, one after the other."""
        for index, case in cases:
            if self._over():
                return
            await self._run(index, part, case)

    async def cases(self, workers: int) -> None:
        """Run the cases proper, as many at once as there are workers."""
        schedule = Schedule(self._suite, workers)
        workers = min(workers, len(self._suite.cases))
        if workers <= 1:
            await self._work(schedule)
            return
        async with asyncio.TaskGroup() as tasks:
            for _ in range(workers):
                tasks.create_task(self._work(schedule))

    async def _work(self, schedule: Schedule) -> None:
        first = len(self._suite.setup)
        while not self._over() and (index := schedule.take()) is not None:
            await self._run(first + index, "cases", self._suite.cases[index])
            schedule.ended(index)

    def _over(self) -> bool:
        if self.stopped is None and self._budget.remaining_s() <= 0:
            self.stopped = Stopped(self._budget.refusal(""), kind=_BUDGET)
        return self.stopped is not None

    async def _run(self, index: int, part: Part, case: Case) -> None:
        ready = self.course.ready(part, case)
        if isinstance(ready, CaseOutcome):
            self._on_case(Ended(index, part, case, why_not=ready))
            self.course.ended(ready)
            return
        ended = Ended(index, part, ready, await self._attempts(ready))
        if part == "setup" or case.captures:
            self.course.ended(ended.outcome)
        self._on_case(ended)

    async def _attempts(self, case: Case) -> list[list[Exchange]]:
        attempts: list[list[Exchange]] = []
        judged: list[CaseOutcome] = []
        while True:
            exchanges = await ask(self._session, probe_id(self._suite.id, case.id), case)
            if attempts:
                exchanges = [_numbered(exchange, len(attempts) + 1) for exchange in exchanges]
            attempts.append(exchanges)
            await self._look_at(case, exchanges[-1])
            if case.retries is None or self._over():
                return attempts
            judged.append(judge_case(case, *exchanges))
            if not another_attempt(case, judged):
                return attempts

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


def _numbered(exchange: Exchange, attempt: int) -> Exchange:
    return replace(exchange, request={**exchange.request, "attempt": attempt})
