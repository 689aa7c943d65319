"""subscriptions/listen (2026-07-28): opened, heard once, and left."""

from bundles.mcp import probes
from bundles.mcp.subscriptions import declared_changes, filter_for
from bundles.transcript import Exchange
from workers.probes.aside import WAIT_S
from workers.probes.conversation import Patience
from workers.probes.observation import Line, Observation

_ID = "listen"
_AFTER_S = 0.05
"""How long after the first message others may come with it, which nobody asked for."""


async def subscription(observation: Observation, line: Line, first: Exchange) -> list[Exchange]:
    """Ask for one kind of change, the first that is declared; nothing where none is.

    Over stdio it comes last on its connection: not every server reads on while it is listened to.
    """
    declared = declared_changes(first.result)
    if not declared:
        return []
    conversation = await line.get()
    exchange = await conversation.call(
        probes.SUBSCRIBE,
        "subscriptions/listen",
        {"notifications": filter_for(declared[0])},
        request_id=_ID,
        timeout_s=WAIT_S,
        patience=Patience(leaves=True, after_message_s=_AFTER_S),
    )
    await conversation.cancel(_ID)
    return [observation.tell(exchange)]
