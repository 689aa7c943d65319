"""Stimuli at other base URLs of one deployment: what one instance says must hold at the others."""

from collections.abc import Sequence
from functools import partial

from bundles.mcp import probes, wire
from bundles.transcript import Exchange
from workers.endpoints import HttpEndpoint
from workers.probes.observation import Group, Observation, side_by_side
from workers.probes.walk import next_cursor


async def instances(observation: Observation, listed: Sequence[Exchange]) -> list[Exchange]:
    """The first request, the list, and the first cursor of the target, at each other instance.

    Args:
        observation: of the conformance stage.
        listed: the pages of the target's own list.
    """
    groups: list[Group] = [
        partial(_instance, observation, endpoint, f"{probes.INSTANCE}{number}:", listed)
        for number, endpoint in enumerate(observation.instances, start=1)
    ]
    return await side_by_side(groups, observation.at_once)


async def _instance(
    observation: Observation, endpoint: HttpEndpoint, prefix: str, listed: Sequence[Exchange]
) -> list[Exchange]:
    async with observation.at(endpoint) as conversation:
        made = [observation.tell(await conversation.greet(f"{prefix}discover"))]
        if observation.plan.revision == wire.LEGACY and not isinstance(made[0].result, dict):
            return made
        made += await observation.walk(conversation, f"{prefix}list")
        cursor = next_cursor(listed[0]) if listed else None
        if cursor is not None:
            asked = conversation.call(f"{prefix}cursor", "tools/list", {"cursor": cursor})
            made.append(observation.tell(await asked))
        return made
