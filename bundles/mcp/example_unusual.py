"""The part of the healthy example that answers requests few clients send."""

import copy
from collections.abc import Iterator
from typing import Any

from bundles.mcp import probes
from bundles.transcript import Exchange

Json = dict[str, Any]

_IDS: dict[str, str | int] = {
    "zero": 0,
    "negative": -7,
    "largest": 2**53 - 1,
    "empty": "",
    "digits": "700700",
    "unicode": "grüße",
    "escapes": 'a"\\\n',
}
_SPOILT = ("jsonrpc-1.0", "batch", "id-null", "id-fraction", "id-boolean", "id-object")
_ALLOWED_META = ("foreign", "no-client-info")
_WRONG_META = (
    *("log-level", "no-version", "no-capabilities", "capabilities-text"),
    *("absent", "no-params"),
)


def unusual(opening: Json, *, modern: bool, http: bool) -> Iterator[Exchange]:
    """Exchanges of the groups id-echo, envelope, meta, listed and versions, unnumbered.

    Args:
        opening: what the server answers to its first request.
        modern: of 2026-07-28.
        http: over HTTP, else over stdio.
    """
    said = _Said("server/discover" if modern else "ping", opening if modern else {}, http=http)
    for name, request_id in _IDS.items():
        yield said.result(probes.ID_ECHO + name, request_id)
    yield said.error(probes.UNICODE_NAME, -32602, request={"method": "tools/call", "id": 1})
    for name in _SPOILT:
        yield from said.refused(probes.ENVELOPE + name, -32600)
    yield from said.refused(f"{probes.ENVELOPE}params-array", -32602)
    if http:
        post = {"method": said.method, "raw": ""}
        yield Exchange(f"{probes.ENVELOPE}notification", 0, post, status=202)
        if modern:
            yield from said.refused(f"{probes.ENVELOPE}response", -32600)
        else:
            yield Exchange(f"{probes.ENVELOPE}response", 0, post, status=202)
    for name in _ALLOWED_META if modern else _ALLOWED_META[:1]:
        yield said.result(probes.META + name, name, request={"method": said.method, "raw": ""})
    for name in ("prompts", "resources", "resource-templates"):
        method = {"method": f"{name}/list", "id": 1}
        yield said.error(probes.LISTED + name, -32601, request=method, status=404)
    if modern:
        for name in _WRONG_META:
            yield from said.refused(probes.META + name, -32602, answered_to=name)
        yield said.result(probes.DISCOVER_AGAIN, 2)
        for removed in ("ping", "logging/setLevel"):
            sent = {"method": removed, "id": 3}
            yield said.error(probes.REMOVED + removed, -32601, request=sent, status=404)
        handshake = {"method": "initialize", "id": 3}
        yield said.error(probes.HANDSHAKE, -32601, request=handshake, status=404)
        yield said.error(probes.LEGACY_HANDSHAKE, -32601, request=handshake)


class _Said:
    def __init__(self, method: str, answer: Json, *, http: bool) -> None:
        self.method, self.answer, self.http = method, answer, http

    def result(self, probe: str, request_id: str | int, request: Json | None = None) -> Exchange:
        sent = request or {"method": self.method, "id": request_id}
        answer = {"jsonrpc": "2.0", "id": request_id, "result": copy.deepcopy(self.answer)}
        return Exchange(probe, 0, sent, status=200 if self.http else None, message=answer)

    def error(
        self,
        probe: str,
        code: int,
        *,
        request: Json,
        status: int = 400,
        answered_to: str | None = None,
    ) -> Exchange:
        error = {"code": code, "message": "refused"}
        answer = {"jsonrpc": "2.0", "id": request.get("id", answered_to), "error": error}
        return Exchange(probe, 0, request, status=status if self.http else None, message=answer)

    def refused(self, probe: str, code: int, answered_to: str | None = None) -> Iterator[Exchange]:
        post = {"method": self.method, "raw": ""}
        yield self.error(probe, code, request=post, answered_to=answered_to)
        if not self.http:
            yield self.result(probes.ALIVE + probe, 4)
