"""Answers that hold something in a way that no client reads."""

from typing import Any

from bundles.mcp.wire import MODERN, PROTOCOL_VERSION_KEY
from bundles.report.cut import shown
from bundles.transcript import Exchange

_CONTENT_TYPES = ("application/json", "text/event-stream")


def no_answer_to_clients(exchange: Exchange) -> str:
    """Why clients do not take what came back for the answer to their request, "" where they do.

    A response that does not say `jsonrpc: "2.0"` is none. Over HTTP a result counts with a status
    of success alone, and in one of the two content types of Streamable HTTP; an error may come with
    the status of an error. A result of a type that nobody asked for, as a task is, is not the one
    that was asked for (MCP 2026-07-28, basic), and an isError that is no boolean says neither.
    """
    message = exchange.message
    if message is None:
        return ""
    if message.get("jsonrpc") != "2.0":
        said = shown(message["jsonrpc"]) if "jsonrpc" in message else "missing"
        return f'the answer is no JSON-RPC 2.0 response: its member "jsonrpc" is {said}'
    if "result" not in message:
        return ""
    return _delivered_wrong(exchange) or _of_no_kind(exchange, exchange.result)


def _delivered_wrong(exchange: Exchange) -> str:
    if exchange.status is None:
        return ""
    if not 200 <= exchange.status < 300:
        return f"a result came with HTTP status {exchange.status}, which says that there is none"
    content_type = exchange.headers.get("content-type", "")
    if not content_type.lower().startswith(_CONTENT_TYPES):
        return f"a result came as {shown(content_type)}, not as {' or '.join(_CONTENT_TYPES)}"
    return ""


def _of_no_kind(exchange: Exchange, result: Any) -> str:
    if not isinstance(result, dict):
        return ""
    kind = result.get("resultType", "complete")
    if _is_modern(exchange) and kind not in ("complete", "input_required"):
        return f"the result is of type {shown(kind)}, which nobody asked for"
    called = exchange.request.get("method") == "tools/call"
    if called and not isinstance(result.get("isError", False), bool):
        return f"isError of the result is no boolean but {shown(result['isError'])}"
    return ""


def _is_modern(exchange: Exchange) -> bool:
    """Whether the request was one of revision 2026-07-28, which names itself in each."""
    params = exchange.request.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and meta.get(PROTOCOL_VERSION_KEY) == MODERN
