"""Small transcripts for the examples of live checks: a healthy server, and one thing changed.

Everything returns a new transcript, so an example reads as "healthy, but …".
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bundles.mcp import probes
from bundles.mcp.example_headers import spoilt_headers
from bundles.mcp.example_streams import cancelled, progress, streamed, subscribed
from bundles.mcp.example_unusual import unusual
from bundles.mcp.schema import LEGACY, MODERN
from bundles.mcp.wire import SERVER_INFO_KEY
from bundles.transcript import Exchange, Failure, Transcript

Json = dict[str, Any]

FORECAST: Json = {
    "name": "get_forecast",
    "description": "Forecast for a city.",
    "inputSchema": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
    "outputSchema": {
        "type": "object",
        "properties": {"celsius": {"type": "number"}},
        "required": ["celsius"],
    },
    "annotations": {"readOnlyHint": True},
}
SAVE: Json = {
    "name": "save_alert",
    "description": "Saves an alert.",
    "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
    "annotations": {"idempotentHint": True, "destructiveHint": False},
}
STREAMED = f"{probes.SAFE_CALL}get_forecast:0"
"""The probe whose answer comes as an event stream over HTTP, with progress before it."""
REFUSED: Json = {"code": -32602, "message": "refused"}
MISMATCH: Json = {"code": -32020, "message": "refused"}
_INFO = {"name": "example", "version": "1.0.0"}
_CAPABILITIES: Json = {"tools": {"listChanged": True}}
CACHE: Json = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
"""What every answer of 2026-07-28 that may be kept says of it."""
_ONE_ALERT = {"alerts/a.json": "sha256:" + "a" * 64}


def healthy(
    *, stage: str = "security", revision: str = MODERN, transport: str = "http"
) -> Transcript:
    """Every probe against a server that does everything right, over HTTP or stdio."""
    modern = revision == MODERN
    made = _Maker(modern=modern, http=transport == "http")
    made.opening()
    made.lists()
    made.calls()
    made.bad_input()
    made.unusual()
    made.streams()
    return Transcript(
        stage=stage,
        profile="default",
        revision=revision,
        transport=transport,
        target="example",
        safe_calls={"get_forecast": [{"city": "Oslo"}], "save_alert": [{"id": "a"}]},
        context={
            probes.CONTEXT_ERA: "modern" if modern else "legacy",
            probes.CONTEXT_OBSERVERS: ["files"],
            probes.CONTEXT_SNAPSHOT: copy.deepcopy([FORECAST, SAVE]),
            **(_over_http() if transport == "http" else _of_processes()),
        },
        exchanges=tuple(made.exchanges),
    )


def _of_processes() -> Json:
    ended = {"probe": probes.TOOLS_LIST, "how": "by-itself", "left": 0}
    return {probes.CONTEXT_STDOUT_NOISE: [], probes.CONTEXT_ENDINGS: [ended]}


def _over_http() -> Json:
    nobody: Json = {
        "credential": False,
        "bearer": False,
        "declared": [],
        "missing": {},
        "denied": [],
    }
    return {
        probes.CONTEXT_AUTHORIZATION: nobody,
        probes.CONTEXT_INSTANCES: 0,
        probes.CONTEXT_LOOPBACK: True,
    }


class _Maker:
    def __init__(self, *, modern: bool, http: bool) -> None:
        self.modern, self.http = modern, http
        self.exchanges: list[Exchange] = []

    def opening(self) -> None:
        if self.modern:
            discovered = {"supportedVersions": [MODERN], "capabilities": _CAPABILITIES, **CACHE}
            self.result(probes.DISCOVER, "server/discover", discovered)
            versions = {"supported": [MODERN], "requested": "1900-01-01"}
            self.error(probes.UNKNOWN_VERSION, "server/discover", -32022, 400, data=versions)
        else:
            self.result(probes.INITIALIZE, "initialize", _initialized())
            self.result(probes.UNKNOWN_VERSION, "initialize", _initialized())

    def lists(self) -> None:
        for probe in (probes.TOOLS_LIST, *(probes.TOOLS_LIST_AGAIN + n for n in "12")):
            self.result(probe, "tools/list", self.cacheable({"tools": [FORECAST, SAVE]}))

    def calls(self) -> None:
        self.error(probes.UNKNOWN_METHOD, "no/such", -32601, 404)
        self.error(probes.UNKNOWN_TOOL, "tools/call", -32602, 400, params={"name": "no-such"})
        text = {"type": "text", "text": '{"celsius": 4}'}
        forecast = {"content": [text], "structuredContent": {"celsius": 4}}
        self.called(probes.SAFE_CALL, "get_forecast:0", forecast, before={}, after={})
        self.exchanges[-1] = streamed(self.exchanges[-1], (progress(1), progress(2)), ())
        saved = {"content": [{"type": "text", "text": "saved"}]}
        self.called(probes.SAFE_CALL, "save_alert:0", saved, before={}, after=_ONE_ALERT)
        again = probes.SAFE_CALL_AGAIN
        self.called(again, "save_alert:0", saved, before=_ONE_ALERT, after=_ONE_ALERT)

    def bad_input(self) -> None:
        refused = {"content": [{"type": "text", "text": "city is required"}], "isError": True}
        for tool in ("get_forecast", "save_alert"):
            self.called(probes.INVALID_ARGUMENTS, tool, refused, before={}, after={})
            self.alive(f"invalid-arguments:{tool}")
        for kind in ("truncated", "not-utf8", "deep"):
            self.error(probes.MALFORMED + kind, "", -32700, 400)
            self.alive(kind)
        if self.http:
            self.error(probes.FOREIGN_ORIGIN, self.first_method, -32600, 403)
            self.alike(probes.OWN_ORIGIN)
            self.error(probes.FOREIGN_HOST, self.first_method, -32600, 421)

    def streams(self) -> None:
        if self.modern:
            self.exchanges.append(replace(subscribed(http=self.http), seq=len(self.exchanges)))
        if not self.http:
            self.exchanges.append(replace(cancelled(), seq=len(self.exchanges)))

    def unusual(self) -> None:
        opening = self.exchanges[0].result
        made = [*unusual(opening, modern=self.modern, http=self.http)]
        made += spoilt_headers(opening, modern=self.modern) if self.http else ()
        for exchange in made:
            self.exchanges.append(replace(exchange, seq=len(self.exchanges)))

    @property
    def first_method(self) -> str:
        return "server/discover" if self.modern else "initialize"

    def alive(self, stimulus: str) -> None:
        self.alike(probes.ALIVE + stimulus)

    def alike(self, probe: str) -> None:
        """One more answer to the first request."""
        discovered = {"supportedVersions": [MODERN], "capabilities": _CAPABILITIES, **CACHE}
        answer = discovered if self.modern else _initialized()
        self.result(probe, self.first_method, answer)

    def cacheable(self, result: Json) -> Json:
        return {**result, **CACHE} if self.modern else result

    def called(self, probe: str, which: str, result: Json, *, before: Json, after: Json) -> None:
        complete = {**result, "resultType": "complete"} if self.modern else result
        tool = which.partition(":")[0]
        self.result(probe + which, "tools/call", complete, params={"name": tool})
        observed = {"files": {"before": before, "after": after}}
        self.exchanges[-1] = replace(self.exchanges[-1], observed=observed)

    def result(self, probe: str, method: str, result: Json, *, params: Json | None = None) -> None:
        answer = copy.deepcopy(result)
        if self.modern:
            answer["_meta"] = {SERVER_INFO_KEY: dict(_INFO)}
        self.add(probe, method, {"result": answer}, 200, params)

    def error(
        self,
        probe: str,
        method: str,
        code: int,
        status: int,
        *,
        data: Json | None = None,
        params: Json | None = None,
    ) -> None:
        error: Json = {"code": code, "message": "refused"}
        self.add(
            probe, method, {"error": {**error, "data": data} if data else error}, status, params
        )

    def add(self, probe: str, method: str, answer: Json, status: int, params: Json | None) -> None:
        seq = len(self.exchanges)
        sent = {"id": seq, "method": method, "params": params or {}} if method else {"raw": ""}
        self.exchanges.append(
            Exchange(
                probe,
                seq,
                sent,
                status=status if self.http else None,
                headers={"content-type": "application/json"} if self.http else {},
                message={"jsonrpc": "2.0", "id": seq if method else None, **answer},
            )
        )


def streaming(
    transcript: Transcript, before: Sequence[Json] = (), after: Sequence[Json] = ()
) -> Transcript:
    """With other messages before and after the response of `STREAMED`."""
    return _each(transcript, STREAMED, lambda e: streamed(e, before, after))


def _initialized() -> Json:
    return {"protocolVersion": LEGACY, "capabilities": _CAPABILITIES, "serverInfo": _INFO}


def changed(transcript: Transcript, probe: str, **fields: Any) -> Transcript:
    """With fields of the exchanges of one probe replaced."""
    return _each(transcript, probe, lambda e: replace(e, **fields))


def answering(
    transcript: Transcript, probe: str, message: Mapping[str, Any], **fields: Any
) -> Transcript:
    """With another JSON-RPC answer to one probe: members beside `jsonrpc` and the right id."""
    signed = _signed(message) if transcript.revision == MODERN else message

    def change(e: Exchange) -> Exchange:
        answer = {"jsonrpc": "2.0", "id": e.request.get("id"), **signed}
        return replace(e, message=answer, **fields)

    return _each(transcript, probe, change)


def _signed(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """With the server's name in the result, if there is one."""
    result = message.get("result")
    if not isinstance(result, dict):
        return message
    return {**message, "result": {"_meta": {SERVER_INFO_KEY: dict(_INFO)}, **result}}


def refusing(
    transcript: Transcript, probe: str, code: object, text: str = "refused", **fields: Any
) -> Transcript:
    """With a JSON-RPC error as the answer to one probe."""
    return answering(transcript, probe, {"error": {"code": code, "message": text}}, **fields)


def edited(transcript: Transcript, probe: str, edit: Callable[[Any], object]) -> Transcript:
    """With the result of one probe edited in place by a function."""

    def change(e: Exchange) -> Exchange:
        message = copy.deepcopy(dict(e.message or {}))
        edit(message.get("result"))
        return replace(e, message=message)

    return _each(transcript, probe, change)


def declaring(transcript: Transcript, **capabilities: Any) -> Transcript:
    """With further capabilities in the first answer."""
    opening = probes.DISCOVER if transcript.revision == MODERN else probes.INITIALIZE
    return edited(transcript, opening, lambda result: result["capabilities"].update(capabilities))


def supporting(transcript: Transcript, versions: list[str]) -> Transcript:
    """With these versions in the refusal of an unknown one."""
    data = {"supported": versions, "requested": "1900-01-01"}
    error = {"code": -32022, "message": "refused", "data": data}
    return answering(transcript, probes.UNKNOWN_VERSION, {"error": error})


def joined(transcript: Transcript, probe: str, **answer: Any) -> Transcript:
    """With one more exchange at its end."""
    seq = len(transcript.exchanges)
    message = {"jsonrpc": "2.0", "id": seq, **_signed(answer)}
    sent = {"id": seq, "method": "server/discover"}
    headers = {"content-type": "application/json"} if transcript.transport == "http" else {}
    more = Exchange(probe, seq, sent, 200, headers, message=message)
    return replace(transcript, exchanges=(*transcript.exchanges, more))


def relisting(transcript: Transcript, edit: Callable[[list[Json]], object]) -> Transcript:
    """With the tools of every tools/list walk edited, and the bundle's snapshot with them."""
    walks = (probes.TOOLS_LIST, *(probes.TOOLS_LIST_AGAIN + n for n in "12"))
    for probe in walks:
        transcript = edited(transcript, probe, lambda result: edit(result["tools"]))
    snapshot = copy.deepcopy(list(transcript.context[probes.CONTEXT_SNAPSHOT]))
    edit(snapshot)
    return knowing(transcript, **{probes.CONTEXT_SNAPSHOT: snapshot})


def observing(transcript: Transcript, probe: str, before: Json, after: Json) -> Transcript:
    """With what the `files` observer saw around one probe."""
    return changed(transcript, probe, observed={"files": {"before": before, "after": after}})


def toolless(transcript: Transcript) -> Transcript:
    """From a server that declares no tools and refuses tools/list as the unknown method it is."""
    opening = probes.DISCOVER if transcript.revision == MODERN else probes.INITIALIZE
    transcript = edited(transcript, opening, lambda result: result.update(capabilities={}))
    for walk in (probes.TOOLS_LIST, *(probes.TOOLS_LIST_AGAIN + n for n in "12")):
        transcript = refusing(transcript, walk, -32601)
    return transcript


def failing(transcript: Transcript, probe: str, failure: Failure) -> Transcript:
    """With no answer to one probe."""
    return changed(transcript, probe, message=None, status=None, failure=failure)


def without(transcript: Transcript, prefix: str) -> Transcript:
    """Without the exchanges whose probe starts with a prefix."""
    kept = tuple(e for e in transcript.exchanges if not e.probe.startswith(prefix))
    return replace(transcript, exchanges=kept)


def knowing(transcript: Transcript, **context: Any) -> Transcript:
    """With members of the context replaced."""
    return replace(transcript, context={**transcript.context, **context})


def _each(transcript: Transcript, probe: str, change: Callable[[Exchange], Exchange]) -> Transcript:
    if not transcript.of(probe):
        msg = f"the example has no probe {probe}"
        raise ValueError(msg)
    made = tuple(change(e) if e.probe == probe else e for e in transcript.exchanges)
    return replace(transcript, exchanges=made)
