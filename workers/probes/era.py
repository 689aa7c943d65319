"""Which era a server belongs to: what it lists decides, not that it answered (probe facts)."""

from bundles.mcp import probes, wire
from bundles.transcript import Exchange, Failure
from workers.probes.observation import Observation

MODERN, LEGACY, NONE = "modern", "legacy", "none"

_NOBODY_THERE = frozenset({Failure.UNREACHABLE, Failure.REFUSED_EGRESS, Failure.BUDGET})


async def settle_era(observation: Observation, first: Exchange) -> tuple[str, list[Exchange]]:
    """The era after the first request, and the exchanges it took to find out.

    Under a 2026-07-28 plan a server that does not list that version is asked for the legacy
    handshake, on a connection or in a process of its own.
    """
    if observation.plan.revision == wire.LEGACY:
        return (LEGACY if isinstance(first.result, dict) else NONE), []
    if _lists_modern(first):
        return MODERN, []
    if first.failure in _NOBODY_THERE:
        return NONE, []
    async with observation.new(wire.LEGACY) as conversation:
        handshake = observation.tell(await conversation.greet(probes.INITIALIZE))
    return (LEGACY if isinstance(handshake.result, dict) else NONE), [handshake]


def worth_going_on(observation: Observation, era: str, first: Exchange) -> bool:
    """Whether the other stimuli can say anything.

    Not on a server of the other era, nor where the first request got no answer. A server that
    answers discovery wrongly is still asked the rest.
    """
    if observation.plan.revision == wire.LEGACY:
        return era == LEGACY
    return era == MODERN or (era == NONE and first.failure is None)


def _lists_modern(discover: Exchange) -> bool:
    versions = discover.result.get("supportedVersions") if isinstance(discover.result, dict) else ()
    return isinstance(versions, list) and wire.MODERN in versions
