"""Driving a suite's cases over a session: it asks, records and judges nothing."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

from bundles.suite.judge import probe_id
from bundles.suite.model import Case, Suite
from bundles.transcript import Exchange, Failure
from workers.budget import Budget
from workers.probes.session import Session

MAX_PAGES = 100
"""Pages of one tool list that a listTools case looks at."""

_GONE = (Failure.UNREACHABLE, Failure.REFUSED_EGRESS, Failure.BUDGET)


async def run_suite(
    session: Session,
    suite: Suite,
    budget: Budget,
    *,
    concurrency: int = 1,
    on_case: Callable[[Case, list[Exchange]], None] | None = None,
) -> list[Exchange]:
    """Make every call of a suite and return the exchanges in the order of its cases.

    A case's timeout ends that case alone. A server that is gone ends the suite: the cases that
    are left have no exchange, which the judge reads as "not run".

    Args:
        session: where the calls go.
        suite: what to call, in the order written.
        budget: bounds the whole suite.
        concurrency: calls in flight at once; 1 makes them one after the other.
        on_case: told of each case as it ends, for progress.
    """
    made: list[list[Exchange]] = [[] for _ in suite.cases]
    run = _Run(session, suite, budget, made, on_case)
    workers = min(max(concurrency, 1), len(suite.cases))
    if workers == 1:
        await run.work()
    else:
        await asyncio.gather(*(run.work() for _ in range(workers)))
    return [exchange for exchanges in made for exchange in exchanges]


class _Run:
    """What the concurrent workers of one suite share: the next case, and whether to go on."""

    def __init__(
        self,
        session: Session,
        suite: Suite,
        budget: Budget,
        made: list[list[Exchange]],
        on_case: Callable[[Case, list[Exchange]], None] | None,
    ) -> None:
        self._session = session
        self._suite = suite
        self._budget = budget
        self._made = made
        self._on_case = on_case
        self._left: Iterator[tuple[int, Case]] = iter(enumerate(suite.cases))
        self._over = False
        self._closed_before = False

    async def work(self) -> None:
        """Take cases until none is left or the server is gone."""
        for index, case in self._left:
            if self._over or self._budget.remaining_s() <= 0:
                return
            exchanges = await self._case(case)
            if self._counts(exchanges[-1]):
                self._made[index] = exchanges
                if self._on_case is not None:
                    self._on_case(case, exchanges)

    def _counts(self, last: Exchange) -> bool:
        """Whether the case was run, and, noted in passing, whether to go on.

        A closed connection may be one answer cut short. Only when the next call fails as well is
        the server gone; that call told us so and nothing about its own case.
        """
        closed = last.failure is Failure.CLOSED
        confirms = self._closed_before and (closed or last.failure is Failure.UNREACHABLE)
        self._over = self._over or confirms or last.failure in _GONE
        self._closed_before = closed
        return not confirms

    async def _case(self, case: Case) -> list[Exchange]:
        probe = probe_id(self._suite.id, case.id)
        timeout_s = case.timeout_ms / 1000
        if case.operation.type == "callTool":
            params = {"name": case.operation.tool, "arguments": case.operation.input}
            return [await self._session.call(probe, "tools/call", params, timeout_s=timeout_s)]
        return await self._list(probe, timeout_s)

    async def _list(self, probe: str, timeout_s: float) -> list[Exchange]:
        """Every page of the tool list, all of them within the timeout of the case."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + timeout_s
        pages: list[Exchange] = []
        cursors: set[str] = set()
        params: dict[str, Any] = {}
        while True:
            left = max(deadline - clock(), 0.001)
            page = await self._session.call(probe, "tools/list", params, timeout_s=left)
            pages.append(page)
            cursor = page.result.get("nextCursor") if isinstance(page.result, dict) else None
            if not isinstance(cursor, str) or cursor in cursors or len(pages) == MAX_PAGES:
                return pages
            cursors.add(cursor)
            params = {"cursor": cursor}
