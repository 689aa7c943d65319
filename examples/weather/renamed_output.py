"""Broken twin: the forecast says `temperature` where its outputSchema promises `celsius`."""

import json
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from server import alerts_folder, build, serve


async def rename(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Rename the field in every result, as a refactoring that forgot the schema would."""
    result = await call_next(ctx)
    if ctx.method == "tools/call" and isinstance(result, dict):
        forecast = result.get("structuredContent", {})
        for day in forecast.get("days", ()):
            day["temperature"] = day.pop("celsius")
        if forecast.get("days"):
            result["content"] = [{"type": "text", "text": json.dumps(forecast)}]
    return result


if __name__ == "__main__":
    server = build(alerts_folder())
    server.middleware.append(rename)
    serve(server)
