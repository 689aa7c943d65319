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


async def declared_tools(conversation: Conversation) -> Declared:
    """Ask for the tools, all pages of them; what is wrong is said and stops nothing."""
    pages = await walk(conversation, TOOLS_LIST)
    why = gap_in(pages)
    return Declared(None, why) if why else Declared(tools_in(pages))
