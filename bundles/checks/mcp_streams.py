"""Event streams that answer a request: what is on them, how they begin, and how they end."""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.example_streams import progress
from bundles.mcp.reading import needs_the_server, reached, why_unreached
from bundles.mcp.refusals import over_http_only
from bundles.mcp.schema import LEGACY, cut
from bundles.mcp.streams import after_response, is_event_stream, unended_response
from bundles.transcript import Exchange, Failure, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_STDIO = ex.healthy(transport="stdio")
_JSON = ex.changed(_HEALTHY, ex.STREAMED, headers={}, body="", events=())
_ASKS = {"jsonrpc": "2.0", "id": "s1", "method": "roots/list"}
_LEFT_OPEN = f"{probes.STREAM_LEFT_OPEN} 1 s after the response"
_NO_BUFFERING_HEADER = {"content-type": "text/event-stream"}
_PROXIES = ("nginx", "openresty", "tengine")


def _cut_short(transcript: Transcript) -> Transcript:
    """With the blank line after the response missing, so that no reader ever gets it."""
    whole = transcript.of(ex.STREAMED)[0].body
    return ex.changed(transcript, ex.STREAMED, message=None, body=whole.removesuffix("\n"))


def _streams(transcript: Transcript) -> Iterator[Exchange | Said]:
    """The event streams with a response on them, or why there is none to look at."""
    if other := over_http_only(transcript):
        yield other
        return
    streams = [e for e in transcript.exchanges if is_event_stream(e)]
    # a subscription has no response to wait for
    cut_off = [e for e in streams if e.message is None and e.probe != probes.SUBSCRIBE]
    ended = [e for e in streams if e.message is not None]
    if not ended and cut_off:
        yield Inconclusive(f"{cut_off[0].probe}: an event stream came, and no response on it")
    elif not ended:
        yield NotApplicable("no answer came as an event stream")
    yield from ended


@check(
    id="mcp.streams.no-server-requests",
    reason_code="SERVER_ASKS_CLIENT",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE, Stage.SECURITY],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, basic/transports: servers send no requests, on any stream or stdout",
    accepts=[
        _HEALTHY,
        ex.changed(_HEALTHY, probes.LEGACY_HANDSHAKE, events=(_ASKS,)),
        ex.changed(_HEALTHY_LEGACY, ex.STREAMED, events=(_ASKS,)),
    ],
    rejects=[
        ex.changed(_HEALTHY, ex.STREAMED, events=(_ASKS,)),
        ex.changed(_STDIO, probes.UNKNOWN_TOOL, events=(_ASKS,)),
    ],
)
@needs_the_server
def no_server_requests(transcript: Transcript) -> Iterator[Said]:
    """The server sends answers and notifications, and never a request of its own.

    Why: since 2026-07-28 nobody answers it, so whatever waits for that answer waits for ever. Fix:
    ask through inputRequests in a result with resultType "input_required".
    """
    if transcript.revision == LEGACY:
        yield NotApplicable("before 2026-07-28 a server may send requests")
        return
    for exchange in transcript.exchanges:
        for event in exchange.events if exchange.probe not in probes.OLDER_ERA else ():
            if "method" in event and "id" in event:
                yield Violation(
                    "the server sent a request",
                    path=exchange.probe,
                    seen=cut(dict(event)),
                    expected="answers and notifications",
                )


@check(
    id="mcp.streams.ends-after-response",
    reason_code="STREAM_LEFT_OPEN",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.TEMPORAL,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28 and 2025-11-25, basic/transports: the response SHOULD end the stream",
    accepts=[_HEALTHY, _HEALTHY_LEGACY, _STDIO, _JSON],
    rejects=[
        ex.changed(_HEALTHY, ex.STREAMED, note=_LEFT_OPEN),
        ex.changed(_HEALTHY_LEGACY, ex.STREAMED, note=_LEFT_OPEN),
    ],
)
@needs_the_server
def ends_after_response(transcript: Transcript) -> Iterator[Said]:
    """An event stream ends once the response is on it.

    Why: each one left open holds a connection on both sides, and a client that reads to the end
    never gets there. Fix: end the body after the response.
    """
    for found in _streams(transcript):
        if not isinstance(found, Exchange):
            yield found
        elif found.note.startswith(probes.STREAM_LEFT_OPEN):
            yield Violation(
                "the event stream stays open after its response",
                path=found.probe,
                seen=found.note,
                expected="the end of the stream",
            )


@check(
    id="mcp.streams.nothing-after-response",
    reason_code="MESSAGE_AFTER_RESPONSE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, basic/transports: notifications come before the final response",
    accepts=[_HEALTHY, _STDIO, _JSON, ex.streaming(_HEALTHY_LEGACY, after=(progress(3),))],
    rejects=[
        ex.streaming(_HEALTHY, after=(progress(3),)),
        ex.streaming(_HEALTHY, after=({"jsonrpc": "2.0", "id": 0, "result": {}},)),
    ],
)
@needs_the_server
def nothing_after_response(transcript: Transcript) -> Iterator[Said]:
    """The response is the last message on its event stream.

    Why: a client stops reading there, so what follows is lost or taken for something else. Fix:
    send notifications before the response, and end the stream with it.
    """
    if transcript.revision == LEGACY:
        yield NotApplicable("before 2026-07-28 a stream need not end with its response")
        return
    for found in _streams(transcript):
        if not isinstance(found, Exchange):
            yield found
            continue
        for message in after_response(found):
            yield Violation(
                "a message follows the response on its stream",
                path=found.probe,
                seen=cut(dict(message)),
                expected="the end of the stream",
            )


@check(
    id="mcp.streams.events-end",
    reason_code="EVENT_WITHOUT_END",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="WHATWG HTML, server-sent events: an event is dispatched at a blank line",
    accepts=[_HEALTHY, _HEALTHY_LEGACY, _STDIO, _JSON],
    rejects=[
        _cut_short(_HEALTHY),
        _cut_short(_HEALTHY_LEGACY),
        ex.changed(_cut_short(_HEALTHY), ex.STREAMED, failure=Failure.TIMEOUT),
    ],
)
def events_end(transcript: Transcript) -> Iterator[Said]:
    """Every event of a stream ends with a blank line.

    Why: readers that keep to the standard dispatch an event there and nowhere else, so the answer
    never arrives. Fix: write two line ends after the data of each event, also of the last one.
    """
    if other := over_http_only(transcript):
        yield other
        return
    lost = [(e, response) for e in transcript.exchanges if (response := unended_response(e))]
    for exchange, response in lost:
        if exchange.failure in {None, Failure.TIMEOUT}:  # else the connection broke in the middle
            yield Violation(
                "the event with the response is not ended by a blank line",
                path=exchange.probe,
                seen=cut(dict(response)),
                expected="a blank line after the data",
            )
        else:
            yield Inconclusive(f"{exchange.probe}: the connection broke before the event's end")
    if not lost and not reached(transcript):
        yield Inconclusive(why_unreached(transcript))
    elif not any(map(is_event_stream, transcript.exchanges)):
        yield NotApplicable("no answer came as an event stream")


@check(
    id="mcp.streams.buffering-off",
    reason_code="STREAM_BUFFERED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28, basic/transports: streams SHOULD carry X-Accel-Buffering: no",
    accepts=[
        _HEALTHY,
        _STDIO,
        _JSON,
        ex.changed(_HEALTHY_LEGACY, ex.STREAMED, headers=_NO_BUFFERING_HEADER),
    ],
    rejects=[ex.changed(_HEALTHY, ex.STREAMED, headers=_NO_BUFFERING_HEADER)],
)
@needs_the_server
def buffering_off(transcript: Transcript) -> Iterator[Said]:
    """An event stream carries the header X-Accel-Buffering: no.

    Why: a reverse proxy otherwise holds events back until its buffer is full. Fix: send the header
    with every stream. A proxy that obeys it takes it away, so behind one this cannot be seen.
    """
    if transcript.revision == LEGACY:
        yield NotApplicable("the header is asked for since 2026-07-28")
        return
    for found in _streams(transcript):
        if not isinstance(found, Exchange):
            yield found
        elif found.headers.get("x-accel-buffering", "").strip().lower() == "no":
            continue
        elif _proxy(found):
            yield Inconclusive(f"{found.probe}: {_proxy(found)} may have taken the header away")
        else:
            yield Violation(
                "the event stream lets proxies hold it back",
                path=found.probe,
                seen=found.headers.get("x-accel-buffering"),
                expected="X-Accel-Buffering: no",
            )


def _proxy(exchange: Exchange) -> str:
    """What stands before the server, as far as it says so, else ""."""
    server = exchange.headers.get("server", "")
    known = any(name in server.lower() for name in _PROXIES)
    return exchange.headers.get("via", "") or (server if known else "")
