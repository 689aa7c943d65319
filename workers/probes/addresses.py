"""Requests that say they come from, or go to, another address: Origin and Host (HTTP only)."""

from bundles.mcp import probes
from bundles.transcript import Exchange
from workers.probes.mcp_http import HttpConversation
from workers.probes.observation import Observation

_FOREIGN_HOST = "evil.example"


async def addresses(observation: Observation) -> list[Exchange]:
    """A page of the server's own address, and a name that only DNS rebinding brings here.

    The name is tried on this machine alone: elsewhere what stands before a server routes by it.
    """
    async with observation.new() as conversation:
        if not isinstance(conversation, HttpConversation):
            return []
        own = {"origin": conversation.origin}
        made = [observation.tell(await conversation.greet(probes.OWN_ORIGIN, headers=own))]
        observation.loopback = conversation.on_loopback
        if conversation.on_loopback:
            foreign = {"host": _FOREIGN_HOST}
            asked = await conversation.greet(probes.FOREIGN_HOST, headers=foreign)
            made.append(observation.tell(asked))
        return made
