"""Calls made one after the other while somebody looks at the watched folders."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bundles.mcp import probes
from bundles.transcript import Exchange
from workers.endpoints import StdioEndpoint
from workers.probes.observation import Line, Observation
from workers.probes.observers import look, observed

_LATE_S = 1.0
"""How long after the last watched call a write is waited for."""


class Watch:
    """Makes calls, and joins to each what the watched folders held before and after it.

    A look lies between two calls and belongs to both: what is written late is still the earlier
    call's doing. `end` takes the last one, and has to be awaited before anything else is asked of
    the server.

    Args:
        observation: the observation.
        line: where the calls go.
        watched: look at the folders; without it, calls are only made.
    """

    def __init__(self, observation: Observation, line: Line, *, watched: bool) -> None:
        endpoint = observation.endpoint
        self.observation = observation
        self.folders = endpoint.watch if watched and isinstance(endpoint, StdioEndpoint) else {}
        self.watched = watched
        self._line = line
        self._made: list[Exchange] = []
        self._last: tuple[int, Mapping[str, Any]] | None = None

    async def call(
        self,
        probe: str,
        tool: str,
        arguments: Mapping[str, Any],
        meta: Mapping[str, Any] | None = None,
    ) -> Exchange:
        """Call a tool, with further members of `_meta` where there are any."""
        served_by = self._line.current
        before = await look(self.folders)
        self._join(before)
        if await self._line.get() is not served_by:
            before = await look(self.folders)  # what a start writes is no call's doing
        params: dict[str, Any] = {"name": tool, "arguments": arguments}
        if meta is not None:
            params["_meta"] = meta
        exchange = await self._line.call(probe, "tools/call", params)
        self._last = len(self._made), before
        self._made.append(exchange)
        return exchange

    async def is_alive(self, probe: str) -> Exchange:
        """Ask the server that took the last call whether it goes on."""
        conversation = self._line.current or await self._line.get()
        alive = self.observation.tell(await conversation.greet(probes.ALIVE + probe))
        self._made.append(alive)
        return alive

    async def end(self) -> list[Exchange]:
        """Everything that was asked, in order."""
        if self._last is not None:
            if self.folders:
                # no event tells that a server will write nothing more
                await asyncio.sleep(min(_LATE_S, self.observation.budget.remaining_s()))
            self._join(await look(self.folders))
        return self._made

    def _join(self, after: Mapping[str, Any]) -> None:
        if self._last is not None:
            index, before = self._last
            self._made[index] = replace(self._made[index], observed=observed(before, after))
            self._last = None
