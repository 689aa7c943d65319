"""The stimuli of the security stage."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from functools import partial

from bundles.mcp import probes, wire
from bundles.mcp.tools import Tool, by_name, tools_in
from bundles.transcript import Exchange
from workers.probes.addresses import addresses
from workers.probes.arguments import call_malformed, call_wrongly
from workers.probes.aside import WAIT_S, post
from workers.probes.authorization import authorization
from workers.probes.calls import make_safe_calls, make_unknown_calls
from workers.probes.era import settle_era, worth_going_on
from workers.probes.observation import Group, Line, Observation, side_by_side
from workers.probes.walk import learn
from workers.probes.watching import Watch

MALFORMED = {
    "truncated": b'{"jsonrpc":"2.0","id":1,"method":"tools/l',
    "not-utf8": b"\xff\xfe",
    "deep": b"[" * 10_000 + b"]" * 10_000,
}
"""Bytes that are no JSON-RPC message, by name."""

_FOREIGN_ORIGIN = "https://evil.example"


async def security(observation: Observation) -> tuple[str, list[Exchange]]:
    """The era, and the exchanges in order: first request, list, watched calls, errors, attacks.

    Watched calls come first and alone: nothing else may write while somebody looks.
    """
    async with AsyncExitStack() as stack:
        line = Line(observation, stack)
        first = await line.begin()
        era, asked = await settle_era(observation, first)
        if not worth_going_on(observation, era, first):
            return era, [first, *asked, *await authorization(observation, first, ())]
        listed = await observation.walk(await line.get(), probes.TOOLS_LIST)
        learn(observation.terms, listed)
        tools = by_name(tools_in(listed))
        watch = Watch(observation, line, watched=True)
        await make_safe_calls(watch, tools)
        await call_wrongly(watch, tools)
        calls = await watch.end()
        # errors to read: a stage without safe tools would otherwise see none
        calls += await make_unknown_calls(line, tools)
        hostile: list[Group] = [partial(_malformed_lines, observation, line, tools)]
        if observation.over_http:
            hostile = [
                *(partial(_malformed, observation, name) for name in MALFORMED),
                partial(call_malformed, observation, line, tools),
                partial(_foreign_origin, observation),
                partial(addresses, observation),
            ]
        hostile.append(partial(authorization, observation, first, listed))
        rest = await side_by_side(hostile, observation.at_once)
        return era, [first, *asked, *listed, *calls, *rest]


async def _malformed(observation: Observation, name: str) -> list[Exchange]:
    method = "initialize" if observation.plan.revision == wire.LEGACY else "server/discover"
    async with observation.new() as conversation:
        stimulus = await conversation.call(
            probes.MALFORMED + name,
            method,
            raw=MALFORMED[name],
            timeout_s=WAIT_S,
        )
        observation.tell(stimulus)
        return [stimulus, observation.tell(await conversation.greet(probes.ALIVE + name))]


async def _malformed_lines(
    observation: Observation, line: Line, tools: Mapping[str, Tool]
) -> list[Exchange]:
    """Over stdio: in the process of the calls while it goes on, since a start costs most.

    One that no longer answers as it did is left: what the next bytes do could not be told.
    """
    made: list[Exchange] = []
    for name, body in MALFORMED.items():
        alive = probes.ALIVE + name
        probe = probes.MALFORMED + name
        made += await post(observation, line, probe, body, answered_to=None, alive=alive)
        if not isinstance(made[-1].result, dict):
            line.leave()
    return made + await call_malformed(observation, line, tools)


async def _foreign_origin(observation: Observation) -> list[Exchange]:
    async with observation.new() as conversation:
        exchange = await conversation.greet(
            probes.FOREIGN_ORIGIN, headers={"origin": _FOREIGN_ORIGIN}
        )
        return [observation.tell(exchange)]
