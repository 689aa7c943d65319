"""Waiting for runs and candidates to move on, without a thread or a connection each.

One poller a process asks the registry which of the watched things changed, every `poll_ms`, and
only while somebody waits. Waiters hold nothing but an event.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Literal

from service.logs import structlog

Kind = Literal["run", "candidate"]
Look = Callable[[Mapping[str, int], Mapping[str, int]], Awaitable[frozenset[str]]]

_log = structlog.stdlib.get_logger("api.watch")


class Watch:
    """The poller and those who wait for it.

    Args:
        look: asks which of {run id: seq known} and {candidate id: version known} moved on.
        every_s: seconds between two looks.
    """

    def __init__(self, look: Look, every_s: float) -> None:
        self._look = look
        self._every_s = every_s
        self._waiting: dict[tuple[Kind, str, int], set[asyncio.Event]] = defaultdict(set)
        self._count = 0
        self._somebody = asyncio.Event()
        self._closed = asyncio.Event()

    @property
    def closed(self) -> bool:
        """True once the service is stopping: streams and waits end now."""
        return self._closed.is_set()

    @property
    def waiting(self) -> int:
        """How many wait now."""
        return self._count

    def close(self) -> None:
        """Let everyone who waits go."""
        self._closed.set()
        self._somebody.set()
        for events in self._waiting.values():
            for event in events:
                event.set()

    async def moved(self, kind: Kind, subject: str, known: int, timeout_s: float) -> bool:
        """Wait until `subject` is beyond `known`; False after `timeout_s`, or when closed."""
        if self.closed:
            return False
        event = asyncio.Event()
        key = (kind, subject, known)
        self._waiting[key].add(event)
        self._count += 1
        self._somebody.set()
        try:
            async with asyncio.timeout(timeout_s):
                await event.wait()
        except TimeoutError:
            return False
        finally:
            self._count -= 1
            self._waiting[key].discard(event)
            if not self._waiting[key]:
                del self._waiting[key]
        return not self.closed

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Poll for as long as the application runs."""
        poller = asyncio.create_task(self._poll())
        try:
            yield
        finally:
            self.close()
            poller.cancel()
            with suppress(asyncio.CancelledError):
                await poller

    async def _poll(self) -> None:
        while not self.closed:
            if not self._waiting:
                self._somebody.clear()
                await self._somebody.wait()
            try:
                await self._wake()
            except Exception as error:  # whatever one look meets, those who wait get the next one
                _log.warning("could not look for progress", exc_info=error)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._every_s):
                    await self._closed.wait()

    async def _wake(self) -> None:
        """One look. Of two waiters the one that knew more may be woken for nothing: it finds
        nothing new and waits on.
        """
        known: dict[Kind, dict[str, int]] = {"run": {}, "candidate": {}}
        for kind, subject, seen in self._waiting:
            known[kind][subject] = min(seen, known[kind].get(subject, seen))
        changed = await self._look(known["run"], known["candidate"])
        for (_, subject, _), events in list(self._waiting.items()):
            if subject in changed:
                for event in events:
                    event.set()
