"""The calls one case of a suite makes."""

import asyncio
from typing import Any

from bundles.suite.model import Case
from bundles.transcript import Exchange
from workers.probes.session import Session

MAX_PAGES = 100
"""Pages of one list that a case looks at."""


async def ask(session: Session, probe: str, case: Case) -> list[Exchange]:
    """Make the calls of a case within its timeout: one, or one a page of a list.

    Args:
        session: where the calls go.
        probe: id the exchanges are recorded under.
        case: what to ask; its assertions are not looked at.
    """
    operation = case.operation
    if operation.type == "callTool":
        params = {"name": operation.tool, "arguments": operation.input}
        timeout_s = case.timeout_ms / 1000
        return [await session.call(probe, "tools/call", params, timeout_s=timeout_s)]
    return await _all_pages(session, probe, "tools/list", case.timeout_ms / 1000)


async def _all_pages(session: Session, probe: str, method: str, timeout_s: float) -> list[Exchange]:
    """Every page of a list, all of them within the timeout of the case."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + timeout_s
    pages: list[Exchange] = []
    cursors: set[str] = set()
    params: dict[str, Any] = {}
    while True:
        left = max(deadline - clock(), 0.001)
        page = await session.call(probe, method, params, timeout_s=left)
        pages.append(page)
        cursor = page.result.get("nextCursor") if isinstance(page.result, dict) else None
        if not isinstance(cursor, str) or cursor in cursors or len(pages) == MAX_PAGES:
            return pages
        cursors.add(cursor)
        params = {"cursor": cursor}
