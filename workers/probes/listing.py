"""The tools of a server, for the person at a terminal: listed to the end, and nothing called."""

from dataclasses import dataclass

from bundles.errors import Unreachable
from bundles.mcp import wire
from bundles.mcp.client import Client
from bundles.mcp.probes import TOOLS_LIST
from bundles.mcp.snapshot import read_tools
from bundles.mcp.tools import Tool, tools_in
from bundles.reasons import reason
from bundles.transcript import Exchange
from workers.budget import Budget, Caps
from workers.endpoints import Endpoint
from workers.probes.opening import open_conversation
from workers.probes.walk import next_cursor, walk

SNAPSHOT_INCOMPLETE = reason(
    "SNAPSHOT_INCOMPLETE",
    "The server did not list its tools to the end.",
    "look at the answer named; `bundlegate conformance` says what is wrong with it",
)


@dataclass(frozen=True, slots=True)
class Listing:
    """The tools of every page, in order, with the answers they were read from.

    `greeting` is the answer to the first request, None where there was none to keep.
    """

    tools: tuple[Tool, ...]
    revision: str
    pages: tuple[Exchange, ...]
    greeting: Exchange | None


async def list_tools(
    endpoint: Endpoint, revision: str | None = None
) -> tuple[tuple[Tool, ...], str]:
    """The tools of every page, in order, and the protocol revision that was spoken.

    See `list_pages`.
    """
    listing = await list_pages(endpoint, revision)
    return listing.tools, listing.revision


async def list_pages(
    endpoint: Endpoint, revision: str | None = None, client: Client | None = None
) -> Listing:
    """List the tools of a server to the end.

    Args:
        endpoint: where the server is.
        revision: speak this one; by default the newest the server speaks.
        client: who asks; the harness itself by default.

    Raises:
        Unreachable: MCP_CONNECTION_FAILED, or SNAPSHOT_INCOMPLETE with the page.
        Unauthorised: MCP_AUTHORIZATION_REQUIRED.
        Refused: SNAPSHOT_SHAPE, where a tool has no name or another's.
    """
    revisions = wire.REVISIONS if revision is None else (revision,)
    opening = open_conversation(endpoint, _whole(), revisions=revisions, client=client)
    async with opening as conversation:
        pages = conversation.listed or await walk(conversation, TOOLS_LIST)
        for number, page in enumerate(pages):
            listed = page.result.get("tools") if isinstance(page.result, dict) else None
            if not isinstance(listed, list):
                why = page.note or page.parse_error or page.error or "no array of tools"
                raise Unreachable(SNAPSHOT_INCOMPLETE, f"page {number + 1}: {why}")
        if next_cursor(pages[-1]) is not None:
            raise Unreachable(
                SNAPSHOT_INCOMPLETE, f"the cursor never ends ({len(pages)} pages were read)"
            )
        return Listing(
            read_tools(list(tools_in(pages))),
            conversation.terms.revision,
            tuple(pages),
            conversation.greeting,
        )


def _whole() -> Budget:
    """The usual bounds, with every answer kept to its end: its bytes are part of a snapshot."""
    return Budget(Caps(kept_bytes=Caps().answer_bytes))
