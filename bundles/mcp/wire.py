"""MCP messages as the harness writes and reads them, byte for byte; pure.

Two revisions are spoken. 2026-07-28: no handshake, every request carries its protocol version and
client capabilities in `params._meta`. 2025-11-25: `initialize`, then bare requests. The stock SDK
is not used for the wire: it repairs what it reads, and what it repairs cannot be judged.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from bundles.errors import Refused
from bundles.json_reader import read_json
from bundles.limits import DEFAULT_LIMITS
from bundles.plan import HARNESS_VERSION
from bundles.report.cut import compact, escaped

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
REVISIONS = (MODERN, LEGACY)
"""Revisions this harness speaks."""

UNSUPPORTED_VERSION = MappingProxyType({MODERN: "1900-01-01", LEGACY: "1999-01-01"})
"""By revision spoken: a protocol version that no server can support."""

PROTOCOL_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"

CLIENT_INFO = MappingProxyType({"name": "bundlegate", "version": HARNESS_VERSION})

MAX_DEPTH = 128
"""Nesting of one message. A tool schema may nest 64 deep (`bundles.limits`) inside its envelope."""

JsonRpcId = str | int

# the caller caps the bytes of a message, and so its longest string
_LIMITS = replace(DEFAULT_LIMITS, depth=MAX_DEPTH, string_bytes=1 << 30, document_nodes=1_000_000)
_SEPARATORS = (",", ":")


def modern_request(
    method: str, params: Mapping[str, Any] | None, request_id: JsonRpcId
) -> dict[str, Any]:
    """A request of revision 2026-07-28. A `_meta` in `params` wins member by member."""
    given = dict(params or {})
    meta = {
        PROTOCOL_VERSION_KEY: MODERN,
        CLIENT_INFO_KEY: dict(CLIENT_INFO),
        CLIENT_CAPABILITIES_KEY: {},
        **given.pop("_meta", {}),
    }
    return _request(method, {**given, "_meta": meta}, request_id)


def legacy_request(
    method: str, params: Mapping[str, Any] | None, request_id: JsonRpcId
) -> dict[str, Any]:
    """A request of revision 2025-11-25."""
    return _request(method, None if params is None else dict(params), request_id)


def initialize_params(version: str = LEGACY) -> dict[str, Any]:
    """Params of the legacy handshake."""
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": dict(CLIENT_INFO)}


def initialized_notification() -> dict[str, Any]:
    """What a client says after the legacy handshake."""
    return {"jsonrpc": "2.0", "method": "notifications/initialized"}


def cancelled_notification(request_id: JsonRpcId) -> dict[str, Any]:
    """What a client says over stdio when it wants no answer any more."""
    params = {"requestId": request_id}
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}


def encode(message: Mapping[str, Any]) -> bytes:
    """UTF-8 JSON without a newline in it.

    A lone surrogate in an argument stays an escape: JSON can say it, UTF-8 cannot.

    Raises:
        ValueError: NaN or an infinity, which no strict reader lets in.
    """
    try:
        text = json.dumps(message, ensure_ascii=False, separators=_SEPARATORS, allow_nan=False)
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(message, separators=_SEPARATORS, allow_nan=False).encode()
    except RecursionError:
        return escaped(compact(message)).encode()  # arguments may be nested to any depth


def read_message(data: bytes) -> tuple[dict[str, Any] | None, str]:
    """Read one JSON-RPC message strictly: (message, "") or (None, why not).

    Whether the members make sense is for the checks to say: any JSON object is a message here.
    """
    try:
        document = read_json(data, limits=_LIMITS, exact_integers=False)
    except Refused as refusal:
        return None, str(refusal)
    if not isinstance(document, dict):
        return None, f"a JSON {_KINDS.get(type(document), 'value')} is no JSON-RPC message"
    return document, ""


def is_response(message: Mapping[str, Any]) -> bool:
    """True for what answers a request: a result or an error, and no method."""
    return "method" not in message and ("result" in message or "error" in message)


def is_jsonrpc(message: Mapping[str, Any]) -> bool:
    """True for what is meant as JSON-RPC, faulty or not; False for, say, a log line in JSON."""
    if "jsonrpc" in message:
        return "method" in message or is_response(message)
    return "id" in message and is_response(message)


def is_answer(message: Mapping[str, Any]) -> bool:
    """True for a JSON-RPC response, faulty or not; False for, say, {"error": "invalid_token"}."""
    return is_jsonrpc(message) and is_response(message)


def same_id(sent: JsonRpcId, received: object) -> bool:
    """True when an id came back as it was sent: same value and same JSON type."""
    return type(sent) is type(received) and sent == received


def _request(method: str, params: dict[str, Any] | None, request_id: JsonRpcId) -> dict[str, Any]:
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "method": method}
    if params is not None:
        message["params"] = params
    return message


_KINDS = {list: "array", str: "string", int: "number", float: "number", bool: "boolean"}
