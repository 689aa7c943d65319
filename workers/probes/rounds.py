"""Tools that are declared to ask for input: called, answered, and answered wrongly.

Every stimulus begins with a call of its own, so that a state that is good for one retry is not used
up by another. What is right comes first: where that is not served, a refusal proves nothing.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bundles.mcp import probes, wire
from bundles.mcp.multi_round import MrtrTool, read_mrtr_tools
from bundles.mcp.rounds import asks
from bundles.mcp.tools import Tool
from bundles.transcript import Exchange
from workers.probes.answering import Responses, responses_to
from workers.probes.conversation import Conversation
from workers.probes.observation import Line, Observation
from workers.probes.tampering import ALTERATIONS

MOST_ROUNDS = 10
"""Retries of one call, as official clients allow."""

_UNASKED = "bundlegate_unasked"
_WRONG: Mapping[str, Callable[[Responses], Responses]] = {
    "extra": lambda right: {**right, _UNASKED: {"action": "accept", "content": {}}},
    "missing": lambda _: {},
    "malformed": lambda right: dict.fromkeys(right, 7),
}
"""Stimulus → what is made of the right answers."""


async def multi_round(
    observation: Observation, line: Line, tools: Mapping[str, Tool]
) -> list[Exchange]:
    """Every stimulus of every declared tool, one tool after the other."""
    if observation.plan.revision == wire.LEGACY:
        return []  # before 2026-07-28 a server asks by a request of its own
    calls: list[_Call] = []
    for name, declared in read_mrtr_tools(observation.plan.mrtr_tools).items():
        schema = tools.get(name, {}).get("inputSchema")
        arguments = declared.arguments
        if arguments is None:
            arguments = await observation.judge.valid_arguments(schema)
        if arguments is not None:
            calls.append(_Call(name, arguments, declared, schema))
    made: list[Exchange] = []
    for call in calls:
        asking = _Asking(observation, line, call)
        await asking.all_stimuli(next((other for other in calls if other is not call), None))
        made += asking.made
    return made


@dataclass(frozen=True, slots=True)
class _Call:
    """A declared tool and what it is called with."""

    tool: str
    arguments: Mapping[str, Any]
    declared: MrtrTool
    schema: object

    def params(self) -> dict[str, Any]:
        return {"name": self.tool, "arguments": dict(self.arguments)}


@dataclass(frozen=True, slots=True)
class _Question:
    """What a tool asked for, and the answer.

    Attributes:
        asked: the InputRequiredResult.
        responses: the answer to every request, None where one is not known.
        state: the requestState as recorded, None where there is none.
        real: as it came.
    """

    asked: Mapping[str, Any]
    responses: Responses | None
    state: Any
    real: Any

    @property
    def asked_for_more(self) -> bool:
        """Whether there is anything to send back."""
        return bool(self.responses) or self.state is not None

    def answer(self, responses: Responses | None, state: Any) -> dict[str, Any]:
        """The members of a retry: those there was a question for."""
        given: dict[str, Any] = {}
        if "inputRequests" in self.asked:
            given["inputResponses"] = responses
        if "requestState" in self.asked:
            given["requestState"] = state
        return given


class _Asking:
    """The stimuli of one declared tool.

    Attributes:
        made: what was exchanged, in order.
    """

    def __init__(self, observation: Observation, line: Line, call: _Call) -> None:
        self._observation = observation
        self._line = line
        self._call = call
        self.made: list[Exchange] = []

    async def all_stimuli(self, other: _Call | None) -> None:
        """Make them; `other` is another declared tool, if there is one.

        The client without capabilities comes second: whoever keeps what an earlier request
        declared takes it for one that has them.
        """
        first = await self._to_the_end("rounds", apart=self._observation.over_http)
        ended = self.made[-1]
        await self._undeclared()
        if first is None or first.responses is None:
            return
        if self._observation.over_http and ended.error is not None:
            await self._to_the_end("together", apart=False)
        await self._at_other_instances()
        expires_s = self._call.declared.state_expires_s if first.state is not None else None
        began = time.monotonic()
        expiring = None if expires_s is None else await self._ask("expired", await self._line.get())
        if first.responses:
            for what, spoil in _WRONG.items():
                await self._retried(what, spoil)
        if first.state is not None:
            await self._tampered()
            await self._elsewhere(other)
        if expires_s is not None and expiring is not None:
            # nothing tells that a state has expired but the time its tool is declared to keep it
            left = max(expires_s - (time.monotonic() - began), 0)
            await asyncio.sleep(min(left, self._observation.budget.remaining_s()))
            await self._retry("expired", await self._line.get(), expiring)

    async def _undeclared(self) -> None:
        meta: dict[str, Any] = {"_meta": {wire.CLIENT_CAPABILITIES_KEY: {}}}
        await self._send("undeclared", await self._line.get(), self._call.params() | meta)

    async def _to_the_end(self, what: str, *, apart: bool) -> _Question | None:
        """Answer until nothing more is asked; what was asked first."""
        first = question = await self._ask(what, await self._line.get())
        for _ in range(MOST_ROUNDS):
            if question is None or question.responses is None or not question.asked_for_more:
                break
            if apart:
                async with self._observation.new() as fresh:
                    question = await self._retry(what, fresh, question)
            else:
                question = await self._retry(what, await self._line.get(), question)
        return first

    async def _at_other_instances(self) -> None:
        for instance in self._observation.instances:
            question = await self._ask("other-instance", await self._line.get())
            if question is not None:
                async with self._observation.at(instance) as session:
                    await self._retry("other-instance", session, question)

    async def _retried(
        self, what: str, spoil: Callable[[Responses], Responses], call: _Call | None = None
    ) -> None:
        """A call of its own, and its retry with other answers or as another call."""
        session = await self._line.get()
        question = await self._ask(what, session)
        if question is not None and question.responses is not None:
            await self._retry(what, session, question, spoil(question.responses), call)

    async def _tampered(self) -> None:
        if self._call.declared.state_is_harmless:
            return
        session = await self._line.get()
        question = await self._ask("tampered", session)
        if question is None or not isinstance(question.state, str):
            return
        for how, alter in ALTERATIONS.items():
            what, state = f"tampered-{how}", alter(question.state)
            session.states.lend(self._probe(what), state, alter(question.real))
            await self._send(
                what, session, self._params(question.answer(question.responses, state))
            )

    async def _elsewhere(self, other: _Call | None) -> None:
        call = self._call
        arguments = await self._observation.judge.other_arguments(call.schema, call.arguments)
        if arguments is not None:
            changed = _Call(call.tool, arguments, call.declared, call.schema)
            await self._retried("other-arguments", dict, changed)
        if other is not None:
            await self._retried("other-tool", dict, other)
        somebody = self._observation.other_principal
        if somebody is not None:
            question = await self._ask("other-principal", await self._line.get())
            if question is not None:
                async with self._observation.at(somebody) as session:
                    await self._retry("other-principal", session, question)

    async def _ask(self, what: str, session: Conversation) -> _Question | None:
        return await self._question(what, session, await self._send(what, session, self._params()))

    async def _retry(
        self,
        what: str,
        session: Conversation,
        question: _Question,
        responses: Responses | None = None,
        call: _Call | None = None,
    ) -> _Question | None:
        """The call again with the answer; what it asks next."""
        given = question.responses if responses is None else responses
        if question.state != question.real:
            session.states.lend(self._probe(what), question.state, question.real)
        params = self._params(question.answer(given, question.state), call)
        return await self._question(what, session, await self._send(what, session, params))

    async def _question(
        self, what: str, session: Conversation, exchange: Exchange
    ) -> _Question | None:
        asked = exchange.result
        if not asks(asked):
            return None
        answers, judge = self._call.declared.answers, self._observation.judge
        state = asked.get("requestState")
        real = session.states.real(self._probe(what), state)
        return _Question(asked, await responses_to(asked, answers, judge), state, real)

    async def _send(self, what: str, session: Conversation, params: Mapping[str, Any]) -> Exchange:
        exchange = await session.call(self._probe(what), "tools/call", params)
        self.made.append(self._observation.tell(exchange))
        return exchange

    def _params(
        self, answer: Mapping[str, Any] | None = None, call: _Call | None = None
    ) -> dict[str, Any]:
        declared: dict[str, Any] = {name: {} for name in self._call.declared.capabilities}
        meta = {"_meta": {wire.CLIENT_CAPABILITIES_KEY: declared}}
        return {**(call or self._call).params(), **(answer or {}), **meta}

    def _probe(self, what: str) -> str:
        return f"{probes.MRTR}{what}:{self._call.tool}"
