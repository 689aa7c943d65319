"""tools/call stimuli both stages make: the calls a bundle or a person allows."""

from collections.abc import Mapping, Sequence
from typing import Any

from bundles.mcp import probes
from bundles.mcp.tools import Tool, hint
from bundles.transcript import Exchange
from workers.judging import Judge
from workers.probes.observation import Line
from workers.probes.watching import Watch

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


async def make_safe_calls(watch: Watch, tools: Mapping[str, Tool]) -> None:
    """Every allowed call, one after the other.

    Where somebody looks, the calls of tools that claim to be idempotent are made twice.
    """
    observation = watch.observation
    for tool, number, arguments in await allowed_calls(
        observation.plan.safe_calls, tools, observation.judge
    ):
        prefixes = [probes.SAFE_CALL]
        if watch.folders and hint(tools.get(tool, {}), "idempotentHint"):
            prefixes.append(probes.SAFE_CALL_AGAIN)
        for prefix in prefixes:
            probe = f"{prefix}{tool}:{number}"
            meta = None if watch.watched else {"progressToken": probe}
            await watch.call(probe, tool, arguments, meta)
