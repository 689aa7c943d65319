"""What a smoke test sends, for the person at the terminal: opens, lists to the end, calls.

A conformance transcript with the first request, one walk over the list and the named calls, so that
the checks of `bundles.checks` can judge it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bundles.mcp import probes, wire
from bundles.mcp.client import Client
from bundles.mcp.tools import by_name, tools_in
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Stage
from workers.budget import Budget
from workers.endpoints import Endpoint, HttpEndpoint
from workers.judging import Judge
from workers.probes.calls import allowed_calls
from workers.probes.conversation import Conversation
from workers.probes.opening import open_conversation
from workers.probes.walk import walk


async def smoke(
    endpoint: Endpoint,
    budget: Budget,
    calls: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    revision: str | None = None,
    client: Client | None = None,
) -> Transcript:
    """The first request, tools/list over all pages, and each named call of a listed tool, in order.

    Args:
        endpoint: where the server is.
        budget: bounds everything.
        calls: tool → arguments of each call. Nothing else is called.
        revision: speak this one; by default the newest the server speaks.
        client: who asks; the harness itself by default.

    Raises:
        Unreachable: MCP_CONNECTION_FAILED.
        Unauthorised: MCP_AUTHORIZATION_REQUIRED.
    """
    revisions = wire.REVISIONS if revision is None else (revision,)
    made: list[Exchange] = []
    opening = open_conversation(endpoint, budget, revisions=revisions, client=client)
    async with opening as conversation:
        if conversation.greeting is not None:
            made.append(conversation.greeting)
        made += await walk(conversation, probes.TOOLS_LIST)
        made += await _called(conversation, made, calls)
        spoken = conversation.terms.revision
    return Transcript(
        stage=Stage.CONFORMANCE,
        profile="default",
        revision=spoken,
        transport="http" if isinstance(endpoint, HttpEndpoint) else "stdio",
        target="",
        safe_calls=dict(calls),
        # after the close: what a server says last, it says while it ends
        context=_context(conversation, endpoint),
        exchanges=tuple(replace(exchange, seq=seq) for seq, exchange in enumerate(made)),
    )


async def _called(
    conversation: Conversation,
    pages: Sequence[Exchange],
    calls: Mapping[str, Sequence[Mapping[str, Any]]],
) -> list[Exchange]:
    listed = by_name(tools_in(pages))
    wanted = {tool: given for tool, given in calls.items() if tool in listed}
    async with Judge() as judge:
        allowed = await allowed_calls(wanted, listed, judge)
    return [
        await conversation.call(
            f"{probes.SAFE_CALL}{tool}:{number}",
            "tools/call",
            {"name": tool, "arguments": arguments},
        )
        for tool, number, arguments in allowed
    ]


def _context(conversation: Conversation, endpoint: Endpoint) -> dict[str, Any]:
    legacy = conversation.terms.revision == wire.LEGACY
    context: dict[str, Any] = {probes.CONTEXT_ERA: "legacy" if legacy else "modern"}
    if not isinstance(endpoint, HttpEndpoint):
        context[probes.CONTEXT_STDOUT_NOISE] = list(conversation.noise)
        context[probes.CONTEXT_STDERR] = conversation.stderr_tail
    return context
