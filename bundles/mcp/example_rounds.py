"""The part of the healthy example with tools that ask for input; see `bundles.mcp.examples`."""

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.rounds import probe_of
from bundles.mcp.wire import CLIENT_CAPABILITIES_KEY, SERVER_INFO_KEY
from bundles.transcript import Exchange, Transcript

Json = dict[str, Any]

BOOK, CANCEL = "book_visit", "cancel_visit"
TAMPERED = ("flipped-1", "flipped-2", "flipped-3", "longer", "shorter", "forged")
SPOILT = ("missing", "malformed", "other-arguments", "other-tool", "other-principal", "expired")
_DECLARED: Json = {"capabilities": ["elicitation"], "state_expires_s": 1}
_META: Json = {SERVER_INFO_KEY: {"name": "example", "version": "1.0.0"}}
_SCHEMA: Json = {"type": "object", "properties": {"name": {"type": "string"}}}
_ASKED: Json = {
    "resultType": "input_required",
    "inputRequests": {
        "who": {
            "method": "elicitation/create",
            "params": {"message": "Who is it for?", "requestedSchema": _SCHEMA},
        }
    },
    "requestState": "c2VhbGVk",
    "_meta": _META,
}
_DONE: Json = {
    "resultType": "complete",
    "content": [{"type": "text", "text": "booked"}],
    "_meta": _META,
}
_NEEDED: Json = {
    "code": -32021,
    "message": "elicitation is needed",
    "data": {"requiredCapabilities": {"elicitation": {}}},
}


def asking(*, transport: str = "http") -> Transcript:
    """The conformance stage of a healthy server whose two tools ask for input, and do it right."""
    transcript = ex.healthy(stage="conformance", transport=transport)
    for tool in (BOOK, CANCEL):
        for exchange in _exchanges(tool, http=transport == "http"):
            numbered = replace(exchange, seq=len(transcript.exchanges))
            transcript = replace(transcript, exchanges=(*transcript.exchanges, numbered))
    declared = {BOOK: dict(_DECLARED), CANCEL: dict(_DECLARED)}
    return ex.knowing(transcript, **{probes.CONTEXT_MRTR_TOOLS: declared})


def declaring(transcript: Transcript, **members: Any) -> Transcript:
    """With other members in the declarations of both tools."""
    declared = transcript.context[probes.CONTEXT_MRTR_TOOLS]
    changed = {name: {**stated, **members} for name, stated in declared.items()}
    return ex.knowing(transcript, **{probes.CONTEXT_MRTR_TOOLS: changed})


def answered(
    transcript: Transcript, what: str, answer: Json, *, last: bool = True, **fields: Any
) -> Transcript:
    """With another answer to the last exchange of a stimulus of the first tool, or to the first."""
    made = transcript.of(probe_of(what, BOOK))
    chosen = made[-1 if last else 0]
    signed = copy.deepcopy(answer)
    if "result" in signed:
        signed["result"].setdefault("_meta", _META)
    message = {"jsonrpc": "2.0", "id": chosen.request.get("id"), **signed}
    exchanges = tuple(
        replace(e, message=message, **fields) if e is chosen else e for e in transcript.exchanges
    )
    return replace(transcript, exchanges=exchanges)


def joined(transcript: Transcript, what: str, tool: str = BOOK) -> Transcript:
    """With one more stimulus at its end: a call, and a retry that is served."""
    said = _Said(tool, http=transcript.transport == "http")
    more = (said.result(what, _ASKED), said.result(what, _DONE))
    return replace(transcript, exchanges=(*transcript.exchanges, *more))


def on_two_instances() -> Transcript:
    """Of a deployment with two instances, which take each other's retries."""
    transcript = asking()
    for tool in (BOOK, CANCEL):
        transcript = joined(transcript, "other-instance", tool)
    return ex.knowing(transcript, **{probes.CONTEXT_INSTANCES: 1})


def served(transcript: Transcript, what: str) -> Transcript:
    """With a stimulus of the first tool served as if nothing were wrong."""
    return answered(transcript, what, {"result": copy.deepcopy(_DONE)}, status=200)


def refused(transcript: Transcript, what: str, code: int = -32602) -> Transcript:
    """With a stimulus of the first tool refused with an error of the protocol."""
    error = {"code": code, "message": "refused"}
    return answered(transcript, what, {"error": error}, status=400)


def asked(transcript: Transcript, **members: Any) -> Transcript:
    """With other members in what the first tool asks first; None leaves one out."""
    result = {**copy.deepcopy(_ASKED), **members}
    kept = {name: value for name, value in result.items() if value is not None}
    return answered(transcript, "rounds", {"result": kept}, last=False)


def _exchanges(tool: str, *, http: bool) -> Iterator[Exchange]:
    said = _Said(tool, http=http)
    yield said.error("undeclared", _NEEDED)
    for what in ("rounds", "extra"):
        yield from (said.result(what, _ASKED), said.result(what, _DONE))
    for what in (*SPOILT, "tampered"):
        yield said.result(what, _ASKED)
    yield said.result("missing", _ASKED)
    for what in (*SPOILT[1:], *(f"tampered-{how}" for how in TAMPERED)):
        yield said.error(what, {"code": -32602, "message": "refused"})


class _Said:
    def __init__(self, tool: str, *, http: bool) -> None:
        self._tool, self._http = tool, http
        self._id = 100

    def result(self, what: str, result: Json) -> Exchange:
        return self._exchange(what, {"result": copy.deepcopy(result)}, 200)

    def error(self, what: str, error: Json) -> Exchange:
        return self._exchange(what, {"error": copy.deepcopy(error)}, 400)

    def _exchange(self, what: str, answer: Json, status: int) -> Exchange:
        self._id += 1
        capabilities: Json = {} if what == "undeclared" else {"elicitation": {}}
        params = {"name": self._tool, "_meta": {CLIENT_CAPABILITIES_KEY: capabilities}}
        request = {"id": self._id, "method": "tools/call", "params": params}
        return Exchange(
            probe_of(what, self._tool),
            0,
            request,
            status=status if self._http else None,
            message={"jsonrpc": "2.0", "id": self._id, **answer},
        )
