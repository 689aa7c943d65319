"""What a server declares of its tools, asked on the session that a suite is about to use."""

from dataclasses import dataclass
from typing import Any

from bundles.mcp.probes import TOOLS_LIST
from bundles.mcp.tools import gap_in, tools_in
from workers.probes.conversation import Conversation
from workers.probes.walk import walk


@dataclass(frozen=True, slots=True)
class Declared:
    """The tools as tools/list has them, or why they are not known: half a list is none."""

    tools: tuple[Any, ...] | None
    why: str = ""


async def declared_tools(conversation: Conversation, timeout_s: float | None) -> Declared:
    """Ask for the tools, all pages of them; what is wrong is said and stops nothing.

    What was listed while the session was opened is not asked for again. `timeout_s` is for all
    pages together, None for each what every call gets.
    """
    listed = conversation.listed
    pages = listed or await walk(conversation, TOOLS_LIST, timeout_s=timeout_s)
    why = gap_in(pages)
    return Declared(None, why) if why else Declared(tools_in(pages))
