"""Headers a 2026-07-28 client mirrors from the body of a request (SEP-2243), in plain sight.

The rules for parameters are the SDK's own (`mcp.shared.inbound`), which client and server share;
the SDK is imported only when a tool needs them, since that takes a second.
"""

import base64
import re
from collections.abc import Mapping
from typing import Any

from bundles.mcp.wire import PROTOCOL_VERSION_KEY

_NAME_MEMBER = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_PLAIN = re.compile(r"(?!=\?)[!-~]+( +[!-~]+)*")
_ANNOTATION = "x-mcp-header"


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
        headers["mcp-name"] = name if _PLAIN.fullmatch(name) else _encoded(name)
        if method == "tools/call":
            headers |= _parameter_headers(schemas.get(name), params.get("arguments"))
    return headers


def learnable(schema: object) -> bool:
    """True for an inputSchema that says anything about headers, and so has to be remembered."""
    return isinstance(schema, dict) and _ANNOTATION in repr(schema)


def _parameter_headers(schema: object, arguments: object) -> dict[str, str]:
    if schema is None or not isinstance(arguments, dict):
        return {}
    from mcp.shared.inbound import (  # noqa: PLC0415 - see the module's words
        find_invalid_x_mcp_header,
        mcp_param_headers,
        x_mcp_header_map,
    )

    if find_invalid_x_mcp_header(schema) is not None:
        return {}
    headers = mcp_param_headers(x_mcp_header_map(schema), arguments)
    return {name.lower(): value for name, value in headers.items()}


def _encoded(value: str) -> str:
    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'surrogatepass')).decode()}?="
