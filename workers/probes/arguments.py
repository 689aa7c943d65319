"""tools/call with derived arguments, and with params that are not those of a call."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from bundles.mcp import probes
from bundles.mcp.tools import Tool
from bundles.transcript import Exchange
from workers.budget import BREAK_AFTER
from workers.probes.aside import WAIT_S, until_deaf
from workers.probes.calls import allowed_calls, unlisted_name
from workers.probes.observation import Line, Observation
from workers.probes.watching import Watch


async def call_at_the_limits(watch: Watch, tools: Mapping[str, Tool]) -> None:
    """Tools that may be called with any arguments, with those at the limits of their schemas.

    A tool whose arguments somebody names is called with exactly those.
    """
    observation = watch.observation
    anything = {tool: () for tool, given in observation.plan.safe_calls.items() if not given}
    unanswered = 0
    for tool, _, valid in await allowed_calls(anything, tools, observation.judge):
        schema = tools.get(tool, {}).get("inputSchema")
        derived = await observation.judge.derived_arguments(schema, valid)
        for kind, arguments in derived.allowed:
            probe = f"{probes.ALLOWED_ARGUMENTS}{tool}:{kind}"
            call = await watch.call(probe, tool, arguments)
            unanswered += call.failure is not None
            if unanswered >= BREAK_AFTER:
                return


async def call_wrongly(watch: Watch, tools: Mapping[str, Tool]) -> None:
    """Safe tools with arguments their schemas refuse, and whether the server goes on after each.

    Derived from the first of a tool's allowed calls. After `BREAK_AFTER` silences or deaths no more
    is asked: each costs a wait or a start.
    """
    observation = watch.observation
    spoilt = 0
    for tool, number, valid in await allowed_calls(
        observation.plan.safe_calls, tools, observation.judge
    ):
        if number > 0:
            continue
        schema = tools.get(tool, {}).get("inputSchema")
        derived = await observation.judge.derived_arguments(schema, valid)
        for kind, arguments in derived.refused:
            probe = f"{probes.INVALID_ARGUMENTS}{tool}:{kind}"
            call = await watch.call(probe, tool, arguments)
            alive = await watch.is_alive(probe)
            spoilt += call.failure is not None or alive.failure is not None
            if spoilt >= BREAK_AFTER:
                return


async def call_malformed(
    observation: Observation, line: Line, tools: Mapping[str, Tool]
) -> list[Exchange]:
    """Calls that are none. The last that is asked on a line: some servers never recover."""
    return await until_deaf(_malformed(observation, line, tools))


async def _malformed(
    observation: Observation, line: Line, tools: Mapping[str, Tool]
) -> AsyncIterator[list[Exchange]]:
    safe = (tool for tool in observation.plan.safe_calls if tool in tools)
    name = next(safe, unlisted_name(tools))
    spoilt: dict[str, dict[str, Any]] = {
        "no-name": {"arguments": {}},
        "arguments-list": {"name": name, "arguments": []},
        "arguments-text": {"name": name, "arguments": "x"},
    }
    for kind, params in spoilt.items():
        probe = probes.MALFORMED_CALL + kind
        conversation = await line.get()
        call = await conversation.call(probe, "tools/call", params, timeout_s=WAIT_S)
        alive = await conversation.greet(probes.ALIVE + probe)
        yield [observation.tell(call), observation.tell(alive)]
