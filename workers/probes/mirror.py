"""Headers a 2026-07-28 client mirrors from the body of a request (SEP-2243), in plain sight."""

from collections.abc import Mapping
from typing import Any

from bundles.mcp.parameter_headers import ANNOTATION, as_field_value, mirrored
from bundles.mcp.wire import PROTOCOL_VERSION_KEY

_NAME_MEMBER = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def mirrored_headers(message: Mapping[str, Any], schemas: Mapping[str, Any]) -> dict[str, str]:
    """Routing and parameter headers of a request, lower-case names.

    Args:
        message: the request; what its `params` lack is not mirrored.
        schemas: inputSchema by tool name. A tool whose annotations are invalid mirrors nothing:
            a client has to leave such a tool alone, and the checks say so.
    """
    method: str = message["method"]
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    headers = {"mcp-method": method}
    meta = params.get("_meta")
    version = meta.get(PROTOCOL_VERSION_KEY) if isinstance(meta, dict) else None
    if isinstance(version, str):
        headers["mcp-protocol-version"] = version
    name = params.get(_NAME_MEMBER.get(method, ""))
    if isinstance(name, str):
        headers["mcp-name"] = as_field_value(name)
        arguments = params.get("arguments")
        if method == "tools/call" and isinstance(arguments, dict):
            headers |= mirrored(schemas.get(name), arguments)
    return headers


def learnable(schema: object) -> bool:
    """True for an inputSchema that says anything about headers, and so has to be remembered."""
    return isinstance(schema, dict) and ANNOTATION in repr(schema)
