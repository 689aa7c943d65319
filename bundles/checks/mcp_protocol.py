"""JSON-RPC as every answer must speak it."""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.checks.mcp_bytes import ambiguous
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import needs_the_server, not_made, refusal, unreached
from bundles.mcp.schema import LEGACY, MODERN, cut
from bundles.mcp.streams import unended_response
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_BOTH_STAGES = (Stage.CONFORMANCE, Stage.SECURITY)


@check(
    id="mcp.protocol.unknown-method-refused",
    reason_code="UNKNOWN_METHOD_NOT_REFUSED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="JSON-RPC 2.0, section 5.1; MCP 2026-07-28, basic/transports (HTTP 404)",
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        ex.changed(_HEALTHY_LEGACY, probes.UNKNOWN_METHOD, status=200),
    ],
    rejects=[
        ex.refusing(_HEALTHY, probes.UNKNOWN_METHOD, -32602, status=404),
        ex.changed(_HEALTHY, probes.UNKNOWN_METHOD, status=200),
        ex.answering(_HEALTHY_LEGACY, probes.UNKNOWN_METHOD, {"result": {}}, status=200),
    ],
)
@needs_the_server
def unknown_method_refused(transcript: Transcript) -> Iterator[Said]:
    """A method that does not exist is refused with -32601, over HTTP with status 404.

    Why: clients probe for optional methods and fall back on exactly this code. Fix: answer -32601
    and, since 2026-07-28, HTTP 404.
    """
    asked = next(iter(transcript.of(probes.UNKNOWN_METHOD)), None)
    if asked is None:
        yield not_made(probes.UNKNOWN_METHOD)
    elif unreached(asked):
        yield Inconclusive(unreached(asked))
    elif asked.error is None or asked.error.get("code") != -32601:
        yield Violation(
            "a method that does not exist is not refused as such",
            path=probes.UNKNOWN_METHOD,
            pointer="/error/code",
            seen=refusal(asked),
            expected="error -32601",
        )
    elif transcript.revision == MODERN and asked.status not in {None, 404}:
        yield Violation(
            "the refusal of a method has another HTTP status than 404",
            path=probes.UNKNOWN_METHOD,
            seen=asked.status,
            expected=404,
        )


@check(
    id="mcp.protocol.envelope-valid",
    reason_code="RESPONSE_ENVELOPE_INVALID",
    subject=Subject.TRANSCRIPT,
    stages=_BOTH_STAGES,
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="JSON-RPC 2.0, section 5; MCP 2026-07-28, basic, messages",
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        ex.answering(_HEALTHY, probes.UNKNOWN_TOOL, {"id": None, "error": ex.REFUSED}, status=401),
        ex.answering(_HEALTHY, f"{probes.HEADER}method-absent", {"id": None, "error": ex.MISMATCH}),
        ex.knowing(
            ex.answering(_HEALTHY, probes.DISCOVER, {"id": None, "error": ex.REFUSED}, status=400),
            **{probes.CONTEXT_ERA: "legacy"},
        ),
    ],
    rejects=[
        ex.refusing(_HEALTHY, probes.UNKNOWN_TOOL, "-32602"),
        ex.answering(_HEALTHY, probes.UNKNOWN_TOOL, {"id": "9", "error": ex.REFUSED}),
        ex.answering(
            _HEALTHY,
            probes.UNKNOWN_TOOL,
            {"error": ex.REFUSED, "result": {}},
        ),
        ex.changed(_HEALTHY, probes.UNKNOWN_TOOL, message=None, status=200, parse_error="not JSON"),
    ],
)
@needs_the_server
def envelope_valid(transcript: Transcript) -> Iterator[Said]:
    """Every answer is JSON-RPC 2.0: the id echoed with its type, exactly one of result and error.

    Why: clients match answers by id and drop what does not match, so the call hangs. Fix: echo the
    id as received, and send result or error, never both. An error has an integer code and a
    message.
    """
    judged = 0
    for exchange in transcript.exchanges:
        if "id" not in exchange.request or exchange.probe == probes.FOREIGN_ORIGIN:
            continue
        if unreached(exchange) or _of_another_check(exchange) or _is_refused_unread(exchange):
            continue
        if exchange.probe == probes.DISCOVER and _is_of_the_older_era(transcript):
            continue
        if exchange.message is not None:
            judged += 1
            yield from _envelope(exchange)
        elif exchange.parse_error and exchange.status in {None, 200}:
            judged += 1
            yield Violation(
                f"the answer is no JSON-RPC message: {exchange.parse_error}",
                path=exchange.probe,
                seen=cut(exchange.body),
            )
    if not judged:
        yield Inconclusive("no request of this run was answered")


def _is_of_the_older_era(transcript: Transcript) -> bool:
    """True where discover came to a server that has none: how it refuses then is its own choice."""
    era = transcript.context.get(probes.CONTEXT_ERA)
    return transcript.revision == MODERN and era == "legacy"


def _is_refused_unread(exchange: Exchange) -> bool:
    """True where the headers alone are reason enough to refuse: then no id need have been read."""
    by_headers = exchange.probe.startswith(
        (probes.HEADER, probes.PARAMETER, probes.OWN_ORIGIN, probes.FOREIGN_HOST)
    )
    unread = exchange.message is not None and exchange.message.get("id") is None
    return by_headers and unread and exchange.error is not None


def _of_another_check(exchange: Exchange) -> bool:
    """True for unusual ids (mcp.envelope.id-echoed), bytes (mcp.envelope.bytes-unambiguous), and
    responses that were not dispatched (mcp.streams.events-end).
    """
    if exchange.probe.startswith(probes.ID_ECHO) or ambiguous(exchange):
        return True
    return unended_response(exchange) is not None


def _envelope(exchange: Exchange) -> Iterator[Violation]:
    message, path = exchange.message or {}, exchange.probe
    sent, got = exchange.request["id"], message.get("id")
    if message.get("jsonrpc") != "2.0":
        seen = cut(message.get("jsonrpc"))
        yield Violation(
            "the answer is not marked as JSON-RPC 2.0", path, "/jsonrpc", seen=seen, expected="2.0"
        )
    if got != sent or type(got) is not type(sent):
        yield Violation(
            "the answer does not carry the id of its request",
            path,
            "/id",
            seen=cut(got),
            expected=sent,
        )
    if ("result" in message) == ("error" in message):
        both = "both" if "result" in message else "neither"
        yield Violation(f"the answer has {both} of result and error", path, seen=sorted(message))
    if "error" in message:
        error = message["error"]
        code = error.get("code") if isinstance(error, dict) else None
        text = error.get("message") if isinstance(error, dict) else None
        if isinstance(code, bool) or not isinstance(code, int) or not isinstance(text, str):
            yield Violation(
                "an error needs an integer code and a message", path, "/error", seen=cut(error)
            )


@check(
    id="mcp.protocol.error-codes-defined",
    reason_code="ERROR_CODE_RESERVED",
    subject=Subject.TRANSCRIPT,
    stages=_BOTH_STAGES,
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, basic, error codes",
    accepts=[_HEALTHY, ex.refusing(_HEALTHY, probes.UNKNOWN_TOOL, -32001)],
    rejects=[
        ex.refusing(_HEALTHY, probes.UNKNOWN_TOOL, -32002),
        ex.refusing(_HEALTHY, probes.UNKNOWN_TOOL, -32050),
    ],
)
@needs_the_server
def error_codes_defined(transcript: Transcript) -> Iterator[Said]:
    """No error uses a code the revision withdrew (-32002, -32042) or reserves without meaning.

    Why: clients act on codes, and a reserved one will mean something else tomorrow. Fix: use
    -32602 for unknown things, or a code outside -32099 to -32020.
    """
    if transcript.revision != MODERN:
        yield NotApplicable("codes are reserved since 2026-07-28")
        return
    for exchange in transcript.exchanges:
        code = exchange.error.get("code") if exchange.error else None
        if not isinstance(code, int):
            continue
        reserved = -32099 <= code <= -32023
        if code in {-32002, -32042} or reserved:
            yield Violation(
                f"error code {code} must not be used",
                path=exchange.probe,
                pointer="/error/code",
                seen=code,
            )
