"""A suite's run beside pytest: it goes on while pytest reports the cases that have ended."""

import asyncio
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bundles.suite.judge import SuiteReport
from bundles.suite.model import Case, Suite
from bundles.suite.outcomes import CaseOutcome
from bundles.transcript import Exchange

if TYPE_CHECKING:
    from workers.endpoints import Endpoint


class BackgroundRun:
    """One run of a suite, begun when it is made, in an event loop of its own.

    Calls are made as the suite says, in its order and with its concurrency, whatever the order in
    which outcomes are asked for.
    """

    def __init__(self, suite: Suite, endpoint: "Endpoint") -> None:
        self.report: SuiteReport | None = None
        self._suite = suite
        self._endpoint = endpoint
        self._outcomes: dict[str, CaseOutcome] = {}
        self._failure: BaseException | None = None
        self._over = False
        self._closing = False
        self._news = threading.Condition()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._main, name="bundlegate-suite", daemon=True)
        self._thread.start()

    def outcome_of(self, case_id: str) -> CaseOutcome:
        """Wait for the outcome of a case.

        Raises:
            BundlegateError: the server could not be reached.
        """
        with self._news:
            self._news.wait_for(lambda: case_id in self._outcomes or self._over)
            if self._failure is not None and case_id not in self._outcomes:
                raise self._failure
            return self._outcomes[case_id]

    def wait(self) -> None:
        """Wait until the session is closed."""
        self._thread.join()

    def close(self) -> None:
        """End it now, whatever is left to ask."""
        with self._news:
            self._closing = True
            if self._loop is not None and self._task is not None and not self._over:
                self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join()

    def _main(self) -> None:
        failure: BaseException | None = None
        try:
            asyncio.run(self._go())
        except BaseException as error:
            failure = error
        with self._news:
            self._failure = failure
            self._over = True
            self._news.notify_all()

    async def _go(self) -> None:
        from workers.probes.suite.live import run_live

        with self._news:
            if self._closing:
                return
            self._loop = asyncio.get_running_loop()
            self._task = asyncio.current_task()
        report = await run_live(self._endpoint, self._suite, on_outcome=self._note)
        with self._news:
            self.report = report
            self._outcomes = {outcome.id: outcome for outcome in report.cases}

    def _note(self, case: Case, _: Sequence[Exchange], outcome: CaseOutcome) -> None:
        with self._news:
            self._outcomes[case.id] = outcome
            self._news.notify_all()
