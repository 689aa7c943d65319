"""One observation of one target under one plan: opens conversations, records what they saw."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

from bundles.mcp import probes, wire
from bundles.plan import Plan
from bundles.transcript import Exchange
from workers.budget import START_FACTOR, Budget
from workers.endpoints import Endpoint, HttpEndpoint, StdioEndpoint
from workers.judging import Judge
from workers.probes.conversation import Conversation, Terms
from workers.probes.mcp_http import HttpConversation
from workers.probes.mcp_stdio import StdioConversation
from workers.probes.walk import walk
from workers.spawn import Parting

Progress = Callable[[str, dict[str, Any]], None]

_FIRST_S = 5.0
"""How long the answer to a request before the greeting is waited for, by a process that runs."""


class Observation:
    """What the stimuli of one stage share.

    A stimulus that may spoil a server gets a conversation of its own (`open`); the others share
    one that is renewed when it died (`Line`).
    """

    def __init__(
        self, plan: Plan, endpoint: Endpoint, terms: Terms, progress: Progress, judge: Judge
    ) -> None:
        self.plan = plan
        self.endpoint = endpoint
        self.terms = terms
        self.noise: list[dict[str, str]] = []
        self.endings: list[dict[str, Any]] = []
        self.stderr_tail = ""
        self.loopback: bool | None = None
        self.progress = progress
        self.judge = judge

    @property
    def budget(self) -> Budget:
        """What the observation may still cost."""
        return self.terms.budget

    @property
    def over_http(self) -> bool:
        """True when the target is reached over HTTP."""
        return isinstance(self.endpoint, HttpEndpoint)

    @property
    def at_once(self) -> int:
        """Groups of stimuli that may run together: a process costs more than a connection."""
        return 4 if self.over_http else 2

    def new(self, revision: str | None = None) -> Conversation:
        """A conversation on connections, or in a process, of its own; enter it to use it."""
        terms = self.terms if revision is None else replace(self.terms, revision=revision)
        if isinstance(self.endpoint, StdioEndpoint):
            return _Launched(terms, self.endpoint, self)
        return HttpConversation(terms, self.endpoint)

    def at(self, endpoint: HttpEndpoint) -> HttpConversation:
        """A conversation of its own at another base URL, or with other credentials.

        Whatever is observed there is masked as everything else is: `Terms.redactor` knows every
        credential of the endpoint the observation is of.
        """
        return HttpConversation(self.terms, endpoint)

    @property
    def other_principal(self) -> HttpEndpoint | None:
        """The target as a second principal reaches it, None where the profile names none."""
        if not isinstance(self.endpoint, HttpEndpoint) or not self.endpoint.others.principal:
            return None
        return self.endpoint.bearing(self.endpoint.others.principal)

    @property
    def instances(self) -> list[HttpEndpoint]:
        """The other instances of the deployment, under the profile's own credentials."""
        if not isinstance(self.endpoint, HttpEndpoint):
            return []
        return [replace(self.endpoint, url=url) for url in self.endpoint.instances]

    def tell(self, exchange: Exchange) -> Exchange:
        """Report one exchange as progress, and hand it back."""
        said: dict[str, Any] = {"probe": exchange.probe}
        if exchange.failure is not None:
            said["failure"] = exchange.failure.value
        self.progress("stimulus", said)
        return exchange

    async def walk(self, conversation: Conversation, probe: str) -> list[Exchange]:
        """tools/list over all pages, each reported (`workers.probes.walk`)."""
        return await walk(conversation, probe, self.tell)


class _Launched(StdioConversation):
    """A process that leaves the noise of its stdout, and how it ended, with the observation."""

    def __init__(self, terms: Terms, endpoint: StdioEndpoint, observation: Observation) -> None:
        super().__init__(terms, endpoint)
        self._observation = observation

    async def close(self) -> None:
        """Stop the process; what is known of it outlives it.

        One that sat out the end of its stdin is enough: the others are not waited for.
        """
        known = self._observation.endings
        self.hurried = any(entry["how"] in {Parting.TOLD, Parting.KILLED} for entry in known)
        await super().close()
        self._observation.noise.extend(self.noise)
        if (ending := self.ending) is not None:
            known.append(ending)


class Line:
    """The conversation ordinary stimuli share: greeted, and replaced once it died."""

    def __init__(self, observation: Observation, stack: AsyncExitStack) -> None:
        self._observation = observation
        self._stack = stack
        self.current: Conversation | None = None

    async def begin(self) -> Exchange:
        """Open the first conversation; the exchange of its greeting."""
        first = await self._stack.enter_async_context(self._observation.new())
        self._stack.callback(self._keep_stderr, first)
        self.current = first
        exchange = await first.greet(first_probe(self._observation.plan.revision))
        return self._observation.tell(exchange)

    async def ask_first(
        self, probe: str, method: str, params: Mapping[str, Any] | None = None
    ) -> Exchange:
        """Open a conversation with another request than its greeting."""
        self.current = await self._stack.enter_async_context(self._observation.new())
        waits = START_FACTOR * _FIRST_S
        asked = await self.current.call(probe, method, params, timeout_s=waits)
        return self._observation.tell(asked)

    async def settle(self) -> None:
        """Greet on a conversation that began otherwise, for what comes after; not recorded."""
        if self.current is not None and not self.current.dead:
            await self.current.greet(first_probe(self._observation.plan.revision))

    def leave(self) -> None:
        """What comes next gets another conversation; this one ends with the others."""
        self.current = None

    def _keep_stderr(self, first: Conversation) -> None:
        self._observation.stderr_tail = first.stderr_tail

    async def get(self) -> Conversation:
        """A conversation that can be used now.

        A renewed one is greeted first, so that it settles on the revision; that is not recorded.
        """
        if self.current is None or self.current.dead:
            self.current = await self._stack.enter_async_context(self._observation.new())
            await self.current.greet(first_probe(self._observation.plan.revision))
        return self.current

    async def call(
        self, probe: str, method: str, params: Mapping[str, Any] | None, **more: Any
    ) -> Exchange:
        """One call on a usable conversation, reported."""
        conversation = await self.get()
        return self._observation.tell(await conversation.call(probe, method, params, **more))


def first_probe(revision: str) -> str:
    """The probe id of a revision's first request."""
    return probes.INITIALIZE if revision == wire.LEGACY else probes.DISCOVER


Group = Callable[[], Awaitable[list[Exchange]]]


async def side_by_side(groups: Sequence[Group], at_once: int) -> list[Exchange]:
    """Run groups of stimuli, `at_once` of them together; their exchanges in the order given."""
    gate = asyncio.Semaphore(at_once)

    async def one(group: Group) -> list[Exchange]:
        async with gate:
            return await group()

    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(one(group)) for group in groups]
    return [exchange for task in running for exchange in task.result()]
