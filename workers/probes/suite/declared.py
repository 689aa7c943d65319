"""What a server declares of its tools, asked on the session that a suite is about to use."""

from dataclasses import dataclass
from typing import Any

from bundles.mcp.probes import TOOLS_LIST
from bundles.mcp.tools import tools_in
from workers.probes.conversation import Conversation
from workers.probes.walk import MAX_PAGES, next_cursor, walk


@dataclass(frozen=True, slots=True)
class Declared:
    """The tools as tools/list has them, or why they are not known: half a list is none."""

    tools: tuple[Any, ...] | None
    why: str = ""


async def declared_tools(conversation: Conversation) -> Declared:
    """Ask for the tools, all pages of them; what is wrong is said and stops nothing."""
    pages = await walk(conversation, TOOLS_LIST)
    last = pages[-1]
    if last.failure is not None:
        return Declared(None, f"tools/list: {last.failure}: {last.note}".rstrip(": "))
    if not isinstance(last.result, dict) or not isinstance(last.result.get("tools"), list):
        code = None if last.error is None else last.error.get("code")
        told = "no list of tools" if code is None else f"JSON-RPC error {code}"
        return Declared(None, f"tools/list was answered with {told}")
    if next_cursor(last) is not None:
        return Declared(None, f"the list of tools does not end within {MAX_PAGES} pages")
    return Declared(tools_in(pages))
