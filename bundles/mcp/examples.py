"""Small transcripts for the examples of live checks: a healthy server, and one thing changed.

Everything returns a new transcript, so an example reads as "healthy, but …".
"""

import copy
import json
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
        "properties": {"city": {"type": "string", "minLength": 1}},
        "required": ["city"],
        "additionalProperties": False,
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
MORE: Json = {"name": "more", "description": "One more.", "inputSchema": {"type": "object"}}
REFUSED: Json = {"code": -32602, "message": "refused"}
MISMATCH: Json = {"code": -32020, "message": "refused"}
_INFO = {"name": "example", "version": "1.0.0"}
_CAPABILITIES: Json = {"tools": {"listChanged": True}}
CACHE: Json = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
"""What every answer of 2026-07-28 that may be kept says of it."""
_WALKS = (
    probes.TOOLS_LIST,
    *(probes.TOOLS_LIST_AGAIN + n for n in "12"),
    probes.TOOLS_LIST_AFTER,
)
_WRONG = {
    "get_forecast": ("missing", "type", "length", "extra", "deep"),
    "save_alert": ("type",),
}
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
        safe_calls={"get_forecast": [], "save_alert": [{"id": "a"}]},
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
        for probe in (*_WALKS, *([probes.FIRST_REQUEST] if self.modern else [])):
            self.result(probe, "tools/list", self.cacheable({"tools": [FORECAST, SAVE]}))
        self.error(probes.FOREIGN_CURSOR, "tools/list", -32602, 400)

    def calls(self) -> None:
        self.error(probes.UNKNOWN_METHOD, "no/such", -32601, 404)
        self.error(probes.UNKNOWN_TOOL, "tools/call", -32602, 400, params={"name": "no-such"})
        text = {"type": "text", "text": '{"celsius": 4}'}
        forecast = {"content": [text], "structuredContent": {"celsius": 4}}
        self.called(probes.SAFE_CALL, "get_forecast:0", forecast, before={}, after={})
        self.exchanges[-1] = streamed(self.exchanges[-1], (progress(1), progress(2)), ())
        limit = f"{probes.ALLOWED_ARGUMENTS}get_forecast:"
        self.called(limit, "shortest", forecast, before={}, after={}, tool="get_forecast")
        saved = {"content": [{"type": "text", "text": "saved"}]}
        self.called(probes.SAFE_CALL, "save_alert:0", saved, before={}, after=_ONE_ALERT)
        again = probes.SAFE_CALL_AGAIN
        self.called(again, "save_alert:0", saved, before=_ONE_ALERT, after=_ONE_ALERT)

    def bad_input(self) -> None:
        refused = {"content": [{"type": "text", "text": "city is required"}], "isError": True}
        for tool, kinds in _WRONG.items():
            for kind in kinds:
                wrong = f"{probes.INVALID_ARGUMENTS}{tool}:"
                self.called(wrong, kind, refused, before={}, after={}, tool=tool)
                self.alive(wrong + kind)
        for kind in ("no-name", "arguments-list", "arguments-text"):
            self.error(probes.MALFORMED_CALL + kind, "tools/call", -32602, 400)
            self.alive(probes.MALFORMED_CALL + kind)
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

    def called(
        self, probe: str, which: str, result: Json, *, before: Json, after: Json, tool: str = ""
    ) -> None:
        complete = {**result, "resultType": "complete"} if self.modern else result
        tool = tool or which.partition(":")[0]
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
    for probe in _WALKS:
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
    first = [probes.FIRST_REQUEST] if transcript.revision == MODERN else []
    for walk in (*_WALKS, probes.FOREIGN_CURSOR, *first):
        transcript = refusing(transcript, walk, -32601)
    return transcript


def text(words: str) -> list[Json]:
    """The content of a result: one text."""
    return [{"type": "text", "text": words}]


def content(words: str, **members: Any) -> Json:
    """The result of a call: one text, and further members."""
    return {"content": text(words), "resultType": "complete", **members}


def cacheable(answer: Json) -> Json:
    """A result with cache hints."""
    return {**answer, **CACHE}


def paged(transcript: Transcript, foreign: Json | None = None) -> Transcript:
    """With the first walk over tools/list in two pages.

    `foreign` is another answer to the cursor that no page named.
    """
    (whole,) = transcript.of(probes.TOOLS_LIST)
    message = copy.deepcopy(dict(whole.message or {}))
    message["result"]["tools"] = []
    message["result"]["nextCursor"] = "2"
    pages = (replace(whole, message=message), whole)
    made = tuple(page for e in transcript.exchanges for page in (pages if e is whole else (e,)))
    server = replace(transcript, exchanges=made)
    return server if foreign is None else answering(server, probes.FOREIGN_CURSOR, foreign)


def offering(transcript: Transcript) -> Transcript:
    """From a server with resources, and with a prompt that requires an argument."""
    prompt = {"name": "pack", "arguments": [{"name": "city", "required": True}]}
    lists: dict[str, Json] = {"prompts": {"prompts": [prompt]}, "resources": {"resources": []}}
    server = declaring(transcript, prompts={}, resources={})
    for name, page in lists.items():
        listed = cacheable(page) if transcript.revision == MODERN else page
        server = answering(server, probes.LISTED + name, {"result": listed}, status=200)
    for probe in (
        probes.UNKNOWN_RESOURCE,
        probes.UNKNOWN_PROMPT,
        probes.PROMPT_WITHOUT_ARGUMENTS,
    ):
        server = joined(server, probe, error=REFUSED)
    return server


def promising(transcript: Transcript, tool: str, key: str, structured: Json) -> Transcript:
    """With one more required text in the outputSchema of a tool, and this in its results."""

    def promise(tools: list[Json]) -> None:
        for listed in tools:
            if listed["name"] == tool:
                listed["outputSchema"]["properties"][key] = {"type": "string"}
                listed["outputSchema"]["required"].append(key)

    def give(answer: Json) -> None:
        answer.update(content=text(json.dumps(structured)), structuredContent=structured)

    server = relisting(transcript, promise)
    for prefix in (probes.SAFE_CALL, probes.ALLOWED_ARGUMENTS):
        for call in tuple(server.starting(f"{prefix}{tool}:")):
            server = edited(server, call.probe, give)
    return server


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
