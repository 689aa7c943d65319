"""The stimuli of the conformance stage."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial

from bundles.mcp import probes, wire
from bundles.mcp.tools import Tool, by_name, tools_in
from bundles.suite.model import load_suite
from bundles.suite.selection import select
from bundles.transcript import Exchange
from workers.probes.arguments import call_at_the_limits
from workers.probes.calls import make_safe_calls, make_unknown_calls
from workers.probes.cancelled import cancelled_call
from workers.probes.conversation import Conversation
from workers.probes.declarations import declarations, legacy_handshake, versions
from workers.probes.envelope import envelope
from workers.probes.era import settle_era, worth_going_on
from workers.probes.headers import headers, verbs
from workers.probes.instances import instances
from workers.probes.lookups import lookups
from workers.probes.meta import meta
from workers.probes.observation import Group, Line, Observation, side_by_side
from workers.probes.rounds import multi_round
from workers.probes.subscription import subscription
from workers.probes.suite.recorded import run_suite
from workers.probes.walk import learn
from workers.probes.watching import Watch


async def conformance(observation: Observation) -> tuple[str, list[Exchange]]:
    """The era, and the exchanges in order: first request, versions, lists, unknowns, calls, suites.

    What may spoil or depend on a connection has one of its own and runs beside the rest.
    """
    async with AsyncExitStack() as stack:
        line = Line(observation, stack)
        first = await line.begin()
        era, asked = await settle_era(observation, first)
        if not worth_going_on(observation, era, first):
            return era, [first, *asked]
        listed = await observation.walk(await line.get(), probes.TOOLS_LIST)
        learn(observation.terms, listed)
        groups: list[Group] = [
            partial(_unusual, observation, first),
            partial(_ordinary, observation, line, first, listed),
            partial(instances, observation, listed),
            partial(_headers, observation, listed),
        ]
        if observation.plan.revision == wire.MODERN:
            groups += [partial(legacy_handshake, observation), partial(verbs, observation)]
        rest = await side_by_side(groups, observation.at_once)
        return era, [first, *asked, *listed, *rest]


async def _unusual(observation: Observation, first: Exchange) -> list[Exchange]:
    """The list on a connection, or in a process, of its own; then requests few clients send.

    `_ordinary` asks for the list again where it was asked before.
    """
    async with AsyncExitStack() as stack:
        line = Line(observation, stack)
        made = await _first_requests(observation, line)
        made += await observation.walk(await line.get(), f"{probes.TOOLS_LIST_AGAIN}1")
        made += await envelope(observation, line)
        made += await meta(observation, line)
        if observation.plan.revision == wire.MODERN:
            made += await versions(line, first)
            made += await subscription(observation, line, first)
        return made


async def _first_requests(observation: Observation, line: Line) -> list[Exchange]:
    """What is asked first: a version nobody knows and, of a modern server, the list.

    What refused the former has not been greeted by it, so that its next request is a first one too.
    Where that is not served, another conversation begins with it: servers may settle on an era with
    what they refuse.
    """
    revision = observation.plan.revision
    version = wire.UNSUPPORTED_VERSION[revision]
    if revision == wire.LEGACY:
        params = wire.initialize_params(version)
        refused = await line.ask_first(probes.UNKNOWN_VERSION, "initialize", params)
        line.leave()
        return [refused]
    named = {"_meta": {wire.PROTOCOL_VERSION_KEY: version}}
    refused = await line.ask_first(probes.UNKNOWN_VERSION, "server/discover", named)
    asked: Exchange | None = None
    if refused.error is not None:
        asked = await (await line.get()).call(probes.FIRST_REQUEST, "tools/list")
    if asked is None or not isinstance(asked.result, dict):
        asked = await line.ask_first(probes.FIRST_REQUEST, "tools/list")
    else:
        observation.tell(asked)
    await line.settle()
    return [refused, asked]


async def _headers(observation: Observation, listed: list[Exchange]) -> list[Exchange]:
    async with AsyncExitStack() as stack:
        return await headers(observation, Line(observation, stack), by_name(tools_in(listed)))


async def _ordinary(
    observation: Observation, line: Line, first: Exchange, listed: list[Exchange]
) -> list[Exchange]:
    tools = by_name(tools_in(listed))
    made = await declarations(observation, line)
    # before any call: what a call may change is not the list's own doing
    made += await observation.walk(await line.get(), f"{probes.TOOLS_LIST_AGAIN}2")
    made += await lookups(line, first, made)
    made += await make_unknown_calls(line, tools)
    made += await _calls(observation, line, tools)
    if observation.plan.coverage.determinism:
        return made + await _suites_twice(observation)
    return made + await _suites(observation, line.get)


async def _calls(observation: Observation, line: Line, tools: Mapping[str, Tool]) -> list[Exchange]:
    """The calls that are allowed, and the list once more where any was made."""
    watch = Watch(observation, line, watched=False)
    await make_safe_calls(watch, tools)
    await call_at_the_limits(watch, tools)
    called = await watch.end()
    safe = [call for call in called if call.probe.startswith(probes.SAFE_CALL)]
    made = called + await cancelled_call(observation, line, safe)
    made += await multi_round(observation, line, tools)
    if called:
        made += await observation.walk(await line.get(), probes.TOOLS_LIST_AFTER)
    return made


async def _suites_twice(observation: Observation) -> list[Exchange]:
    """All suites on a connection, or in a process, of their own, and then on another one."""
    made: list[Exchange] = []
    for prefix in (probes.SUITE, probes.SUITE_AGAIN):
        async with AsyncExitStack() as stack:
            alone = Line(observation, stack)
            made += [
                replace(exchange, probe=prefix + exchange.probe.removeprefix(probes.SUITE))
                for exchange in await _suites(observation, alone.get)
            ]
    return made


async def _suites(
    observation: Observation, session: Callable[[], Awaitable[Conversation]]
) -> list[Exchange]:
    made: list[Exchange] = []
    for document in observation.plan.suites:
        suite = select(load_suite(document), profile=observation.plan.profile).suite
        made += await run_suite(await session(), suite, observation.budget)
        observation.progress("suite", {"suite": suite.id, "cases": len(suite.everything)})
    return made
