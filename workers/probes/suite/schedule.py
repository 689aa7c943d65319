"""The order of a suite's cases where some may run beside others."""

from collections import deque

from bundles.suite.model import Suite


def at_once(suite: Suite, wanted: int | None) -> int:
    """Calls in flight at once: as many as the caller wants, else as many as the suite says."""
    return max(wanted or suite.concurrency, 1)


class Schedule:
    """Hands out cases: dependent ones one at a time in the order written, the others beside them.

    Of what may be begun the case that is written first comes first, so that one worker runs a suite
    in the order written. A version-1 suite says nothing about dependence: its caller does, by
    wanting several cases at once.
    """

    def __init__(self, suite: Suite, workers: int) -> None:
        all_free = suite.version == 1 and workers > 1
        self._in_order: deque[int] = deque()
        self._free: deque[int] = deque()
        for index, case in enumerate(suite.cases):
            free = all_free or case.independent
            (self._free if free else self._in_order).append(index)
        self._running: int | None = None

    def take(self) -> int | None:
        """Place of the next case that may be begun, None when there is none for another worker."""
        may_begin = self._running is None and self._in_order
        if may_begin and (not self._free or self._in_order[0] < self._free[0]):
            self._running = self._in_order.popleft()
            return self._running
        return self._free.popleft() if self._free else None

    def ended(self, index: int) -> None:
        """A case that was taken has ended."""
        if index == self._running:
            self._running = None
