"""Walking tools/list to its end, and what a client has to remember of it."""

import time
from collections.abc import Callable, Sequence

from bundles.mcp.tools import by_name, tools_in
from bundles.transcript import Exchange
from workers.probes.conversation import Conversation, Terms
from workers.probes.mirror import learnable

MAX_PAGES = 100
"""Pages of one walk; a cursor that never ends stops here."""


async def walk(
    conversation: Conversation,
    probe: str,
    tell: Callable[[Exchange], object] | None = None,
    *,
    timeout_s: float | None = None,
) -> list[Exchange]:
    """tools/list over all pages: to the end, a cursor seen before, or `MAX_PAGES`.

    An empty string is a cursor like any other. `tell` hears of each page as it comes. `timeout_s`
    bounds all pages together; None gives each what every call gets.
    """
    began = time.monotonic()
    pages: list[Exchange] = []
    seen: set[str] = set()
    params: dict[str, str] | None = None
    while len(pages) < MAX_PAGES:
        left = None if timeout_s is None else max(timeout_s - (time.monotonic() - began), 0.001)
        page = await conversation.call(probe, "tools/list", params, timeout_s=left)
        pages.append(page)
        if tell is not None:
            tell(page)
        cursor = next_cursor(page)
        if cursor is None or cursor in seen:
            break
        seen.add(cursor)
        params = {"cursor": cursor}
    return pages


def next_cursor(page: Exchange) -> str | None:
    """The cursor to the next page, None on the last one."""
    cursor = page.result.get("nextCursor") if isinstance(page.result, dict) else None
    return cursor if isinstance(cursor, str) else None


def learn(terms: Terms, pages: Sequence[Exchange]) -> None:
    """Remember the tools whose arguments a modern client mirrors into HTTP headers."""
    for name, tool in by_name(tools_in(pages)).items():
        if learnable(tool.get("inputSchema")):
            terms.tools[name] = tool["inputSchema"]
