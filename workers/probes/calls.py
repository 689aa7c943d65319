"""tools/call stimuli both stages make: the calls a bundle or a person allows."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bundles.mcp import probes
from bundles.mcp.tools import Tool, hint
from bundles.transcript import Exchange
from workers.endpoints import StdioEndpoint
from workers.judging import Judge
from workers.probes.observation import Line, Observation
from workers.probes.observers import look, observed

_LATE_S = 1.0
"""How long after the last watched call a write is waited for."""

SafeCall = tuple[str, int, Mapping[str, Any]]
"""Tool, number of the call among the tool's own, and its arguments."""

_NO_SUCH_METHOD = "no/such"
NO_SUCH_TOOL = "bundlegate_no_such_tool"


async def make_unknown_calls(line: Line, tools: Mapping[str, Tool]) -> list[Exchange]:
    """A method and a tool that do not exist: what every server has to refuse."""
    unknown = {"name": unlisted_name(tools), "arguments": {}}
    return [
        await line.call(probes.UNKNOWN_METHOD, _NO_SUCH_METHOD, {}, request_id="u1"),
        await line.call(probes.UNKNOWN_TOOL, "tools/call", unknown),
    ]


def unlisted_name(tools: Mapping[str, Tool]) -> str:
    """A name that no listed tool has."""
    unknown = NO_SUCH_TOOL
    while unknown in tools:
        unknown += "_"
    return unknown


async def allowed_calls(
    safe_calls: Mapping[str, Any], tools: Mapping[str, Tool], judge: Judge
) -> list[SafeCall]:
    """Every call that may be made, in the plan's order.

    A tool without arguments of its own gets some derived from the inputSchema it lists; where none
    can be derived it is not called.
    """
    calls: list[SafeCall] = []
    for tool, given in safe_calls.items():
        schema = tools.get(tool, {}).get("inputSchema")
        derived = None if given else await judge.valid_arguments(schema)
        chosen: Sequence[Mapping[str, Any]] = given or ([] if derived is None else [derived])
        calls += [(tool, number, arguments) for number, arguments in enumerate(chosen)]
    return calls


async def make_safe_calls(
    observation: Observation, line: Line, tools: Mapping[str, Tool], *, watched: bool
) -> list[Exchange]:
    """Every allowed call, one after the other.

    Args:
        observation: the observation.
        line: where the calls go.
        tools: the listed tools by name.
        watched: look at the watched folders before the first call, between calls, and a moment
            after the last, and make the calls of tools that claim to be idempotent twice.
    """
    return [exchange async for exchange in _safe_calls(observation, line, tools, watched=watched)]


async def _safe_calls(
    observation: Observation, line: Line, tools: Mapping[str, Tool], *, watched: bool
) -> AsyncIterator[Exchange]:
    endpoint = observation.endpoint
    folders = endpoint.watch if watched and isinstance(endpoint, StdioEndpoint) else {}
    last: tuple[Exchange, Mapping[str, Any]] | None = None
    for tool, number, arguments in await allowed_calls(
        observation.plan.safe_calls, tools, observation.judge
    ):
        prefixes = [probes.SAFE_CALL]
        if folders and hint(tools.get(tool, {}), "idempotentHint"):
            prefixes.append(probes.SAFE_CALL_AGAIN)
        for prefix in prefixes:
            served_by = line.current
            before = await look(folders)
            if last is not None:
                yield _watched(last, before)  # what is written late is still that call's doing
            if await line.get() is not served_by:
                before = await look(folders)  # what a start writes is no call's doing
            probe = f"{prefix}{tool}:{number}"
            params: dict[str, Any] = {"name": tool, "arguments": arguments}
            if not watched:
                params["_meta"] = {"progressToken": probe}
            exchange = await line.call(probe, "tools/call", params)
            last = exchange, before
    if last is not None:
        if folders:
            # no event tells that a server will write nothing more
            await asyncio.sleep(min(_LATE_S, observation.budget.remaining_s()))
        yield _watched(last, await look(folders))


def _watched(call: tuple[Exchange, Mapping[str, Any]], after: Mapping[str, Any]) -> Exchange:
    exchange, before = call
    return replace(exchange, observed=observed(before, after))
