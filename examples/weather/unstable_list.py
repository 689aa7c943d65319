"""Broken twin: the tool list is another one each time, since a description carries the time."""

from datetime import UTC, datetime
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from server import alerts_folder, build, serve


async def stamp(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Write the time of the request into a description."""
    result = await call_next(ctx)
    if ctx.method == "tools/list" and isinstance(result, dict):
        result["tools"][0]["description"] += f" It is {datetime.now(UTC).isoformat()}."
    return result


if __name__ == "__main__":
    server = build(alerts_folder())
    server.middleware.append(stamp)
    serve(server)
