"""The part of the healthy example that answers requests with odd HTTP headers."""

import copy
from collections.abc import Iterator
from typing import Any

from bundles.mcp import probes
from bundles.transcript import Exchange

Json = dict[str, Any]

_WRONG = (
    *("version-absent", "version-other", "body-version-other"),
    *("method-absent", "method-other", "method-case", "method-twice", "method-twice-reversed"),
)
_WRONG_NAMES = ("name-absent", "name-other", "name-malformed")
_RIGHT_NAMES = ("name-encoded", "name-padded")


def spoilt_headers(opening: Json, *, modern: bool) -> Iterator[Exchange]:
    """Exchanges of the groups header and verb over HTTP, unnumbered.

    Args:
        opening: what the server answers to its first request.
        modern: of 2026-07-28.
    """
    served = {"result": copy.deepcopy(opening) if modern else {}}
    method = "server/discover" if modern else "ping"
    yield _answered(f"{probes.HEADER}names-upper", {"method": method}, served, 200)
    if not modern:
        return
    yield _answered(f"{probes.HEADER}session", {"method": method}, served, 200)
    refused = {"error": {"code": -32020, "message": "refused"}}
    for name in _WRONG:
        yield _answered(probes.HEADER + name, {"method": method}, refused, 400)
    call = {"method": "tools/call", "params": {"name": "get_forecast"}}
    for name in _WRONG_NAMES:
        yield _answered(probes.HEADER + name, call, refused, 400)
    unknown = {"error": {"code": -32602, "message": "refused"}}
    for name in _RIGHT_NAMES:
        listless = {**call, "params": {"name": "no-such"}}
        yield _answered(probes.HEADER + name, listless, unknown, 400)
    for verb in ("GET", "DELETE"):
        yield Exchange(probes.VERB + verb, 0, {"method": verb}, status=405)


def _answered(probe: str, request: Json, answer: Json, status: int) -> Exchange:
    sent = {"id": 1, **request}
    return Exchange(probe, 0, sent, status, message={"jsonrpc": "2.0", "id": 1, **answer})
