"""What the reference server asks of `_meta`, and what it puts there."""

from typing import Any

Json = dict[str, Any]

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
INFO = {"name": "reference", "version": "1.0.0"}

_OWN = frozenset({VERSION, CAPABILITIES, CLIENT_INFO, LOG_LEVEL, "progressToken"})
_LEVELS = frozenset(
    {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
)


def problem(fault: str, meta: Any) -> str:
    """Why a modern request with this `_meta` is refused, "" where it is not."""
    if not isinstance(meta, dict):
        return "" if fault == "meta-optional" else "there is no _meta"
    if not isinstance(meta.get(VERSION), str) and fault != "version-optional":
        return "_meta names no protocol version"
    if not isinstance(meta.get(CAPABILITIES), dict) and fault != "capabilities-optional":
        return "_meta names no client capabilities"
    if fault == "client-info-required" and CLIENT_INFO not in meta:
        return "_meta names no client"
    if meta.get(LOG_LEVEL, "info") not in _LEVELS and fault != "log-level-unchecked":
        return "there is no such log level"
    return foreign(fault, meta)


def foreign(fault: str, meta: Any) -> str:
    """Why the keys of others are refused, which only a fault does."""
    refused = fault == "foreign-key-refused" and isinstance(meta, dict) and set(meta) - _OWN
    return "there are unknown keys in _meta" if refused else ""


def signed(fault: str, method: str, result: Json) -> Json:
    """A modern result with the server's name in its `_meta`."""
    if fault == "list-unnamed" and method == "tools/list":
        return result
    return {**result, "_meta": {**result.get("_meta", {}), SERVER_INFO: INFO}}


def unasked(fault: str) -> Json | None:
    """A log message that goes out before each answer, which only a fault sends."""
    if fault != "logs-unasked":
        return None
    params = {"level": "info", "data": "a request came in"}
    return {"jsonrpc": "2.0", "method": "notifications/message", "params": params}
