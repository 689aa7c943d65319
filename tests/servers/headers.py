"""What the reference server asks of HTTP headers: that they say what the body says."""

import base64
import binascii
from collections.abc import Iterable
from typing import Any

from tests.servers.faults import FAULTS

Json = dict[str, Any]

HEADER_MISMATCH = -32020
ONE_ERA = frozenset({"modern-only", *(name for name, fault in FAULTS.items() if fault.one_era)})
"""Variants that know nothing of the era before 2026-07-28."""

_LOCAL = ("127.0.0.1", "localhost")
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_CITY = "mcp-param-city"


def received(fault: str, lines: Iterable[tuple[str, str]]) -> Json:
    """Headers by lower-case name; what came twice is joined, as the values of one header."""
    headers: Json = {}
    for given, value in lines:
        name = given if fault == "header-names-as-written" else given.lower()
        plain = value if fault == "header-spaces-kept" else value.strip(" \t")
        if name not in headers:
            headers[name] = plain
        elif fault != "first-header-taken":
            headers[name] += f", {plain}"
    return headers


def foreign(fault: str, headers: Json, port: int) -> int:
    """HTTP status for a request of, or for, another address; 0 where it is at home."""
    homes = [f"{host}:{port}" for host in _LOCAL]
    host = next((value for name, value in headers.items() if name.lower() == "host"), "")
    origin = next((value for name, value in headers.items() if name.lower() == "origin"), None)
    if host not in homes and fault != "foreign-host-served":
        return 421
    if origin is None:
        return 403 if fault == "origin-required" else 0
    at_home = origin in [f"http://{home}" for home in homes]
    return 0 if at_home or fault == "foreign-origin-served" else 403


def problem(fault: str, message: Json, params: Json, version: Any, headers: Json) -> str:
    """Why a modern request with these headers is refused, "" where it is not."""
    method = message["method"]
    found = (
        _version_problem(fault, version, headers)
        or _method_problem(fault, method, headers)
        or (_name_problem(fault, params.get(_NAMED[method]), headers) if method in _NAMED else "")
    )
    return f"header {found} does not match the body" if found else ""


def _version_problem(fault: str, version: Any, headers: Json) -> str:
    given = headers.get("mcp-protocol-version")
    lenient = fault == ("version-header-optional" if given is None else "version-header-unchecked")
    return "" if given == version or lenient else "MCP-Protocol-Version"


def _method_problem(fault: str, method: str, headers: Json) -> str:
    given = headers.get("mcp-method")
    if fault == "method-header-folded" and given is not None:
        given = given.lower()
    unchecked = {None: "method-header-optional"}.get(given, "method-header-unchecked")
    return "" if given == method or fault == unchecked else "Mcp-Method"


def _name_problem(fault: str, name: Any, headers: Json) -> str:
    given = headers.get("mcp-name")
    if given is not None and fault != "name-header-undecoded":
        given = _decoded(given)
        if given is None and fault == "name-header-lenient":
            return ""
    return "" if given == name or fault == "name-header-unchecked" else "Mcp-Name"


def parameter_problem(fault: str, params: Json, headers: Json) -> str:
    """Why a call of the tool whose city is mirrored is refused, "" where it is not."""
    arguments = params.get("arguments")
    if params.get("name") != "get_forecast" or not isinstance(arguments, dict):
        return ""
    wanted = _written(arguments.get("city"))
    given = headers.get(_CITY)
    if given is not None and fault != "parameter-header-undecoded":
        given = _decoded(given) or "\N{REPLACEMENT CHARACTER}"
    optional = fault == "parameter-header-optional" and given is None
    unchecked = fault == "parameter-header-unchecked" and given is not None
    return (
        "" if given == wanted or optional or unchecked else "header Mcp-Param-City does not match"
    )


def _written(value: Any) -> str | None:
    """A value as a client writes it into a header, None where it writes none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def _decoded(value: str) -> str | None:
    """What a header says, None where its sentinel holds no base64."""
    if not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def sent(fault: str, body: bytes) -> Json:
    """Headers of the answer to a body, besides its length."""
    opens = b'"server/discover"' in body or b'"initialize"' in body
    kind = "text/plain" if fault == "opening-as-text" and opens else "application/json"
    return {"content-type": kind} | ({"mcp-session-id": "1"} if fault == "session-minted" else {})
