"""A suite on a live server, in a session of its own: what `suite run` and programs call."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from importlib import import_module
from math import inf
from typing import TYPE_CHECKING

from bundles.mcp import wire
from bundles.suite.model import Suite
from workers.budget import Budget, Caps
from workers.endpoints import Endpoint
from workers.probes.conversation import Conversation
from workers.probes.opening import open_conversation

if TYPE_CHECKING:
    from bundles.suite.judge import SuiteReport
    from workers.probes.suite.judged import OnOutcome

UNBOUNDED = Caps(run_s=inf, total_bytes=1 << 62, calls=1 << 62)
"""What a whole suite may cost at a terminal, where each case has its timeout and someone watches.
Nothing is kept of an answer, so that their number and sum cost no memory."""

OnOpen = Callable[[Conversation], Awaitable[None]]

_JUDGED = "workers.probes.suite.judged"


async def run_live(
    endpoint: Endpoint,
    suite: Suite,
    *,
    concurrency: int | None = None,
    on_outcome: "OnOutcome | None" = None,
    on_open: "OnOpen | None" = None,
    revisions: Sequence[str] = wire.REVISIONS,
    credentials: Iterable[str] = (),
) -> "SuiteReport":
    """Open a session of its own (over stdio: a process), run the suite, close it, and report.

    Each case is judged as it ends, and nothing but its outcome is kept.

    Args:
        endpoint: where the server is.
        suite: what to run.
        concurrency: calls in flight at once; None for what the suite says.
        on_outcome: told of each case as it ends, in the event loop.
        on_open: what to ask on the open session before the first case.
        revisions: protocol revisions to try, in order.
        credentials: values to mask in whatever is said, besides the endpoint's own.

    Raises:
        Unreachable: MCP_CONNECTION_FAILED. A server that is lost later is `SuiteReport.stopped`.
        Unauthorised: MCP_AUTHORIZATION_REQUIRED.
    """
    budget = Budget(UNBOUNDED)
    # the judge is loaded while the server starts: together they take as long as the slower one
    loading = asyncio.create_task(asyncio.to_thread(import_module, _JUDGED))
    opening = open_conversation(endpoint, budget, revisions=revisions, credentials=credentials)
    async with opening as conversation:
        await loading
        from workers.probes.suite.judged import judged  # noqa: PLC0415 - loaded by now

        if on_open is not None:
            await on_open(conversation)
        report = await judged(
            conversation, suite, budget, concurrency=concurrency, on_outcome=on_outcome
        )
    # after the close: what a server says last, it says while it ends
    noise = tuple(entry["line"] for entry in conversation.noise)
    server = replace(
        report.server,
        stderr=conversation.stderr_tail,
        noise=noise,
        exit_code=conversation.exit_code,
    )
    return replace(report, server=server, revision=conversation.terms.revision)
