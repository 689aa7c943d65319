"""Bytes that are no request as it should be: what comes back, and whether the server goes on."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

from bundles.mcp import probes, wire
from bundles.transcript import Exchange, Failure
from workers.budget import BREAK_AFTER
from workers.probes.conversation import Patience
from workers.probes.observation import Line, Observation

WAIT_S = 5.0
"""How long an answer to what few clients send is waited for."""

_GRACE_S = 0.1
"""How long bytes over stdio may still be answered after a later request was."""


def first_method(revision: str) -> str:
    """What every server answers at any time: server/discover, `ping` before 2026-07-28."""
    return "ping" if revision == wire.LEGACY else "server/discover"


def well_formed(revision: str, request_id: str) -> dict[str, Any]:
    """That request, to be spoilt."""
    build = wire.legacy_request if revision == wire.LEGACY else wire.modern_request
    return build(first_method(revision), None, request_id)


async def post(
    observation: Observation,
    line: Line,
    probe: str,
    body: bytes,
    *,
    answered_to: str | None,
    headers: Mapping[str, str | None] | None = None,
    alive: str = "",
) -> list[Exchange]:
    """Send bytes with the headers of the first method, and what came back.

    Over stdio nobody owes bytes an answer, so a well-formed request follows them: once that is
    answered, the bytes would have been as well. It is recorded as the `ALIVE` of the probe, or as
    `alive`.

    Args:
        observation: the observation.
        line: where they go.
        probe: id of the stimulus.
        body: the bytes.
        answered_to: the id in them, None where they have none.
        headers: HTTP headers to add or, with the value None, to leave out.
        alive: probe id of the request that follows, where it has one of its own.
    """
    conversation = await line.get()
    patience = Patience()
    sent = conversation.post(
        probe,
        body,
        method=first_method(observation.plan.revision),
        answered_to=answered_to,
        timeout_s=WAIT_S,
        patience=patience,
        headers=headers,
    )
    if observation.over_http:
        return [observation.tell(await sent)]
    async with asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(sent)  # begins first, so its bytes go first
        later = await tasks.create_task(conversation.greet(alive or probes.ALIVE + probe))
        patience.end_in(_GRACE_S, "no answer, though a later request has its own")
    return [observation.tell(asking.result()), observation.tell(later)]


async def until_deaf(asked: AsyncIterator[list[Exchange]]) -> list[Exchange]:
    """What came back, until `BREAK_AFTER` stimuli got nothing: the rest would only cost time."""
    made: list[Exchange] = []
    deaf = 0
    async for exchanges in asked:
        made += exchanges
        deaf += exchanges[-1].failure is Failure.TIMEOUT
        if deaf >= BREAK_AFTER:
            break
    return made
