"""What is HTTP about an MCP endpoint: methods, sessions, content types."""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.header_refusals import asked, of_older_era
from bundles.mcp.opening import ERA_UNKNOWN, is_dual_era
from bundles.mcp.reading import needs_the_server, not_made, refusal, unanswered, unreached
from bundles.mcp.refusals import over_http_only
from bundles.mcp.schema import LEGACY, cut
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_STDIO = ex.healthy(transport="stdio")
_ALL = [_HEALTHY, _HEALTHY_LEGACY, _STDIO]
_DUAL = ex.answering(_HEALTHY, probes.LEGACY_HANDSHAKE, {"result": {"protocolVersion": LEGACY}})
_SESSION = f"{probes.HEADER}session"
_SESSION_ID = "mcp-session-id"
_VERBS = {verb: probes.VERB + verb for verb in ("GET", "DELETE")}
_MEDIA = ("application/json", "text/event-stream")
_JSON = {"content-type": _MEDIA[0]}
_READ = (probes.DISCOVER, probes.INITIALIZE, probes.TOOLS_LIST, probes.UNKNOWN_METHOD)
_OTHER_METHODS = "before 2026-07-28 GET opens a stream and DELETE ends a session"
_SESSIONS = "before 2026-07-28 a server may open sessions"
_OLDER_TRAFFIC = NotApplicable("a server of both eras may answer what the older one sends")


@check(
    id="mcp.http.other-methods-refused",
    reason_code="OTHER_HTTP_METHODS_SERVED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28, basic/transports/streamable-http, earlier revisions",
    accepts=[*_ALL, ex.changed(_DUAL, _VERBS["GET"], status=200)],
    rejects=[
        ex.changed(_HEALTHY, _VERBS["GET"], status=200),
        ex.changed(_HEALTHY, _VERBS["DELETE"], status=404),
    ],
)
@needs_the_server
def other_methods_refused(transcript: Transcript) -> Iterator[Said]:
    """GET and DELETE on the endpoint are answered with 405.

    Why: a client of an older revision waits on a stream that will never say anything, or believes
    that it has ended a session. Fix: answer 405 with `Allow: POST`. A server of both eras may
    answer them as the older one.
    """
    if other := of_older_era(transcript, _OTHER_METHODS):
        yield other
        return
    dual = is_dual_era(transcript)
    for verb, probe in _VERBS.items():
        exchange = next(iter(transcript.of(probe)), None)
        if dual:
            yield _OLDER_TRAFFIC
        elif exchange is None:
            yield not_made(probe)
        elif unreached(exchange):
            yield Inconclusive(unreached(exchange))
        elif exchange.status != 405 and dual is None:
            yield ERA_UNKNOWN
        elif exchange.status != 405:
            yield Violation(
                f"{verb} is not refused with 405", path=probe, seen=exchange.status, expected=405
            )


@check(
    id="mcp.http.no-sessions",
    reason_code="SESSION_ON_MODERN_WIRE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28, basic/transports/streamable-http, earlier revisions",
    accepts=[*_ALL, ex.refusing(_DUAL, _SESSION, -32001, status=404)],
    rejects=[
        ex.changed(_HEALTHY, _SESSION, message=None, status=404),
        ex.refusing(_HEALTHY, _SESSION, -32001, status=404),
        ex.changed(_HEALTHY, probes.DISCOVER, headers={**_JSON, _SESSION_ID: "1"}),
    ],
)
@needs_the_server
def no_sessions(transcript: Transcript) -> Iterator[Said]:
    """Mcp-Session-Id and Last-Event-ID are ignored, and no answer gives out a session.

    Why: a request that needs a session fails on the next replica. Fix: leave both headers unread,
    and send none. A server of both eras may answer them as the older one.
    """
    dual = is_dual_era(transcript)
    if other := of_older_era(transcript, _SESSIONS) or (_OLDER_TRAFFIC if dual else None):
        yield other
        return
    said = [*_minted(transcript), *_ignored(transcript)]
    blamed = any(isinstance(one, Violation) for one in said)
    yield from [ERA_UNKNOWN] if blamed and dual is None else said


def _minted(transcript: Transcript) -> Iterator[Said]:
    """The first answer of the modern wire that gives out, or gives back, a session."""
    minting = (
        exchange
        for exchange in transcript.exchanges
        if _SESSION_ID in exchange.headers and exchange.probe != probes.LEGACY_HANDSHAKE
    )
    for exchange in list(minting)[:1]:
        yield Violation(
            "an answer carries Mcp-Session-Id", path=exchange.probe, expected="no session"
        )


def _ignored(transcript: Transcript) -> Iterator[Said]:
    exchange = asked(transcript, _SESSION)
    if not isinstance(exchange, Exchange):
        yield exchange
    elif unanswered(exchange) and exchange.status in {None, 200}:
        yield Inconclusive(unanswered(exchange))
    elif exchange.message is None or "result" not in exchange.message:
        yield Violation(
            "a request with a session nobody gave out is refused",
            path=_SESSION,
            seen=refusal(exchange),
            expected="a result",
        )


@check(
    id="mcp.http.content-type-named",
    reason_code="ANSWER_CONTENT_TYPE_WRONG",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, basic/transports, sending messages to the server",
    accepts=[
        *_ALL,
        ex.changed(
            _HEALTHY, probes.DISCOVER, headers={"content-type": "Application/JSON; charset=utf-8"}
        ),
    ],
    rejects=[
        ex.changed(_HEALTHY, probes.DISCOVER, headers={"content-type": "text/plain"}),
        ex.changed(_HEALTHY, probes.TOOLS_LIST, headers={}),
        ex.changed(_HEALTHY_LEGACY, probes.INITIALIZE, headers={"content-type": "text/html"}),
    ],
)
@needs_the_server
def content_type_named(transcript: Transcript) -> Iterator[Said]:
    """The answer to a request is application/json or text/event-stream, and says so.

    Why: a client tells by it whether one message comes or a stream of them. Fix: set Content-Type
    on every answer that is a message.
    """
    if other := over_http_only(transcript):
        yield other
        return
    answers = [e for probe in _READ for e in transcript.of(probe) if not unanswered(e)]
    if not answers:
        yield Inconclusive("no answer of the server holds a message")
    for exchange in answers:
        named = exchange.headers.get("content-type", "")
        if named.partition(";")[0].strip().lower() not in _MEDIA:
            yield Violation(
                "an answer is of another content type",
                path=exchange.probe,
                seen=cut(named),
                expected=" or ".join(_MEDIA),
            )
