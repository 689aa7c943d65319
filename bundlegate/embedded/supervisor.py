"""Keeps servers running: started in order, started again when they die, ended in reverse.

The supervisor holds nothing that could be lost: killed itself, its servers die with it, and the
next start finds everything in the database.
"""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from bundlegate.embedded.child import Child, adopt, start
from bundlegate.embedded.forking import Newborn
from bundlegate.embedded.server import Server
from bundles.errors import Unreachable
from bundles.reasons import reason

SERVER_NOT_STARTED = reason(
    "SERVER_NOT_STARTED",
    "A server of the embedded service did not start.",
    "read its last words, and its whole log in the data folder",
)
SERVER_KEEPS_DYING = reason(
    "SERVER_KEEPS_DYING",
    "A server of the embedded service died again and again.",
    "read its last words, and its whole log in the data folder; nothing queued is lost",
)

_DEATHS = 5
"""Deaths within `_STEADY_S` of a start, in a row, after which a server is given up."""
_STEADY_S = 30.0
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0
_GRACE_S = 10.0


class Supervisor:
    """Runs servers. All are started at once; each may begin when those before it let it.

    Those in `born`, by name, were forked already: they are taken over instead.
    """

    def __init__(
        self,
        folder: Path,
        servers: Sequence[Server],
        say: Callable[[str], None],
        born: Mapping[str, Newborn] | None = None,
    ) -> None:
        self._folder = folder
        self._servers = servers
        self._say = say
        self._born = dict(born or {})
        self._running: dict[str, Child] = {}
        self._stopping = asyncio.Event()

    async def run(self, on_ready: Callable[[], None]) -> None:
        """Start everything, call `on_ready`, and keep it running until SIGTERM or SIGINT.

        Raises:
            Unreachable: SERVER_NOT_STARTED, SERVER_KEEPS_DYING. Everything is stopped by then.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stopping.set)
        keepers: list[asyncio.Task[None]] = []
        try:
            children = [await self._start(server) for server in self._servers]
            for child in children:
                child.go()
                if not await self._unless_stopped(self._heard(child)):
                    return
            for child in children:
                if not await self._unless_stopped(self._confirmed(child)):
                    return
                keepers.append(asyncio.create_task(self._keep(child.server)))
            on_ready()
            await self._until_stopped(keepers)
        finally:
            for keeper in keepers:
                keeper.cancel()
            await asyncio.gather(*keepers, return_exceptions=True)
            await self._stop()

    async def _until_stopped(self, keepers: Sequence[asyncio.Task[None]]) -> None:
        stop = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait({stop, *keepers}, return_when=asyncio.FIRST_COMPLETED)
            for keeper in keepers:
                if keeper.done():
                    keeper.result()
        finally:
            stop.cancel()

    async def _unless_stopped(self, step: Coroutine[Any, Any, None]) -> bool:
        """Take a step of the start; False when the supervisor is to stop instead."""
        stop, taken = asyncio.create_task(self._stopping.wait()), asyncio.create_task(step)
        try:
            await asyncio.wait({taken, stop}, return_when=asyncio.FIRST_COMPLETED)
            if taken.done():
                taken.result()
            return not self._stopping.is_set()
        finally:
            stop.cancel()
            taken.cancel()

    async def _heard(self, child: Child) -> None:
        """Wait for the line of a child."""
        line = await child.line
        if not line:
            raise _refusal(SERVER_NOT_STARTED, child, await child.ended())
        if child.server.hear is not None:
            child.server.hear(line)

    async def _confirmed(self, child: Child) -> None:
        """Wait until a child serves; one that ends before it does never will."""
        if child.server.confirm is None:
            return
        end = asyncio.create_task(child.ended())
        serves = asyncio.ensure_future(child.server.confirm())
        try:
            await asyncio.wait({serves, end}, return_when=asyncio.FIRST_COMPLETED)
            if not serves.done():
                raise _refusal(SERVER_NOT_STARTED, child, end.result())
            serves.result()
        finally:
            end.cancel()
            serves.cancel()

    async def _start(self, server: Server) -> Child:
        newborn = self._born.pop(server.name, None)
        child = await start(server, self._folder) if newborn is None else adopt(server, newborn)
        self._running[server.name] = child
        return child

    async def _keep(self, server: Server) -> None:
        """Start a server again whenever it ends; a steady life forgives earlier deaths."""
        loop = asyncio.get_running_loop()
        deaths, started = 0, loop.time()
        while True:
            child = self._running[server.name]
            code = await child.ended()
            deaths = 1 if loop.time() - started > _STEADY_S else deaths + 1
            if deaths > _DEATHS:
                raise _refusal(SERVER_KEEPS_DYING, child, code)
            pause = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** (deaths - 1))
            self._say(f"{server.name} {_how(code)}; starting it again in {pause:.1f} s")
            await asyncio.sleep(pause)
            started = loop.time()
            (await self._start(server)).go()

    async def _stop(self) -> None:
        """End the servers: the first, which the others need, when they are gone."""
        first, *others = (self._running.get(server.name) for server in self._servers)
        await asyncio.gather(*(child.stop(_GRACE_S) for child in others if child is not None))
        if first is not None:
            await first.stop(_GRACE_S)


def _how(code: int) -> str:
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"


def _refusal(code: str, child: Child, exit_code: int) -> Unreachable:
    words = child.last_words()
    return Unreachable(
        code, f"{child.server.name} {_how(exit_code)}; its last words: {words or 'none'}"
    )
