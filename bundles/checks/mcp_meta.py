"""`_meta` of requests (2026-07-28): is what must be there asked for, and nothing else?"""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.opening import ERA_UNKNOWN, capabilities, is_dual_era, opening_of
from bundles.mcp.reading import needs_the_server, not_made, refusal, unanswered, unreached
from bundles.mcp.schema import LEGACY, MODERN
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_STDIO = ex.healthy(transport="stdio")
_DISCOVERED = {"result": _HEALTHY.exchanges[0].result}
_FOREIGN = f"{probes.META}foreign"
_LOG_LEVEL = f"{probes.META}log-level"
_SPEC = "MCP 2026-07-28, basic, _meta"


def _asked(transcript: Transcript, name: str) -> Exchange | Said:
    """The exchange of a stimulus, or why it says nothing."""
    exchange = next(iter(transcript.of(probes.META + name)), None)
    if transcript.revision == LEGACY and name != "foreign":
        return NotApplicable("requests carry no protocol version in _meta before 2026-07-28")
    if exchange is None:
        return not_made(probes.META + name)
    if not isinstance(opening_of(transcript).result, dict):
        return Inconclusive("the well-formed request is not served, so a spoilt one says nothing")
    return Inconclusive(unreached(exchange)) if unreached(exchange) else exchange


def _must_be_refused(transcript: Transcript, name: str, what: str) -> Iterator[Said]:
    asked = _asked(transcript, name)
    if not isinstance(asked, Exchange):
        yield asked
        return
    code = asked.error.get("code") if asked.error else None
    dual = is_dual_era(transcript)
    if code == -32601 and dual is not False:
        # without it a request is of the older era, which has no server/discover
        yield from () if dual else (ERA_UNKNOWN,)
    elif code != -32602:
        yield Violation(
            f"a request {what} is not refused as such",
            path=asked.probe,
            pointer="/error/code",
            seen=refusal(asked),
            expected="error -32602",
        )
    elif asked.status not in {None, 400}:
        yield Violation(
            f"the refusal of a request {what} has another HTTP status than 400",
            path=asked.probe,
            seen=asked.status,
            expected=400,
        )


def _must_be_served(transcript: Transcript, name: str, what: str) -> Iterator[Said]:
    asked = _asked(transcript, name)
    if not isinstance(asked, Exchange):
        yield asked
    elif unanswered(asked) and asked.status in {None, 200}:
        yield Inconclusive(unanswered(asked))
    elif transcript.revision == LEGACY and asked.error and asked.error.get("code") == -32601:
        yield Inconclusive("the server does not know ping, which was to carry it")
    elif asked.message is None or "result" not in asked.message:
        yield Violation(
            f"a request {what} is refused",
            path=asked.probe,
            seen=refusal(asked),
            expected="a result",
        )


@check(
    id="mcp.meta.meta-required",
    reason_code="META_NOT_REQUIRED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        _STDIO,
    ],
    rejects=[
        ex.answering(_HEALTHY, f"{probes.META}absent", _DISCOVERED, status=200),
        ex.answering(_STDIO, f"{probes.META}no-params", _DISCOVERED),
        ex.refusing(_HEALTHY, f"{probes.META}no-params", -32601, status=404),
        ex.changed(_HEALTHY, f"{probes.META}absent", status=200),
    ],
)
@needs_the_server
def meta_required(transcript: Transcript) -> Iterator[Said]:
    """A request without params, or without _meta in them, is refused with -32602 and HTTP 400.

    Why: nothing else says which revision it is written in. Fix: refuse it before its method is
    looked up. A server of both eras may read it as one of the older era.
    """
    yield from _must_be_refused(transcript, "absent", "without _meta")
    yield from _must_be_refused(transcript, "no-params", "without params")


@check(
    id="mcp.meta.protocol-version-required",
    reason_code="META_VERSION_NOT_REQUIRED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC + ", io.modelcontextprotocol/protocolVersion",
    accepts=[_HEALTHY, _HEALTHY_LEGACY],
    rejects=[
        ex.answering(_HEALTHY, f"{probes.META}no-version", _DISCOVERED, status=200),
        ex.refusing(_HEALTHY, f"{probes.META}no-version", -32600, status=400),
    ],
)
@needs_the_server
def protocol_version_required(transcript: Transcript) -> Iterator[Said]:
    """A request whose _meta names no protocol version is refused with -32602 and HTTP 400.

    Why: a server that guesses the version answers in one its client does not read. Fix: require the
    member, also where the header names a version.
    """
    yield from _must_be_refused(transcript, "no-version", "without a protocol version")


@check(
    id="mcp.meta.client-capabilities-required",
    reason_code="META_CAPABILITIES_NOT_REQUIRED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC + ", io.modelcontextprotocol/clientCapabilities",
    accepts=[_HEALTHY, _HEALTHY_LEGACY],
    rejects=[
        ex.answering(_HEALTHY, f"{probes.META}no-capabilities", _DISCOVERED, status=200),
        ex.answering(_HEALTHY, f"{probes.META}capabilities-text", _DISCOVERED, status=200),
        ex.refusing(_HEALTHY, f"{probes.META}no-capabilities", -32601, status=404),
    ],
)
@needs_the_server
def client_capabilities_required(transcript: Transcript) -> Iterator[Said]:
    """A request whose _meta holds no object of client capabilities is refused with -32602.

    Why: a server may use only what the client declares, with each request anew. Fix: require the
    member and its type; an empty object declares none.
    """
    yield from _must_be_refused(transcript, "no-capabilities", "without client capabilities")
    yield from _must_be_refused(transcript, "capabilities-text", 'with capabilities "x"')


@check(
    id="mcp.meta.client-info-optional",
    reason_code="META_CLIENT_INFO_REQUIRED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC + ", io.modelcontextprotocol/clientInfo",
    accepts=[_HEALTHY, _HEALTHY_LEGACY],
    rejects=[ex.refusing(_HEALTHY, f"{probes.META}no-client-info", -32602, status=400)],
)
@needs_the_server
def client_info_optional(transcript: Transcript) -> Iterator[Said]:
    """A request without clientInfo is served.

    Why: clients need not name themselves. Fix: take the member where it is there, for logs only.
    """
    yield from _must_be_served(transcript, "no-client-info", "without clientInfo")


@check(
    id="mcp.meta.foreign-keys-tolerated",
    reason_code="META_FOREIGN_KEY_REFUSED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, basic, _meta: keys of others",
    accepts=[_HEALTHY, _HEALTHY_LEGACY],
    rejects=[
        ex.refusing(_HEALTHY, _FOREIGN, -32602, status=400),
        ex.changed(_HEALTHY, _FOREIGN, message=None, status=400),
        ex.refusing(_HEALTHY_LEGACY, _FOREIGN, -32602),
    ],
)
@needs_the_server
def foreign_keys_tolerated(transcript: Transcript) -> Iterator[Said]:
    """Keys in _meta that the server does not know, and trace context, change nothing.

    Why: gateways and clients add their own. Fix: read the keys you know and leave the others alone.
    """
    yield from _must_be_served(transcript, "foreign", "with a foreign key in _meta")


@check(
    id="mcp.meta.log-level-checked",
    reason_code="META_LOG_LEVEL_NOT_CHECKED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28, server/utilities/logging, io.modelcontextprotocol/logLevel",
    accepts=[_HEALTHY, _HEALTHY_LEGACY, ex.answering(_HEALTHY, _LOG_LEVEL, _DISCOVERED)],
    rejects=[
        ex.declaring(ex.answering(_HEALTHY, _LOG_LEVEL, _DISCOVERED, status=200), logging={}),
    ],
)
@needs_the_server
def log_level_checked(transcript: Transcript) -> Iterator[Said]:
    """A log level that does not exist is refused with -32602.

    Why: a client that misspells the level gets no log and no reason. Fix: take the eight levels of
    RFC 5424 and refuse others.
    """
    if transcript.revision == MODERN and "logging" not in (capabilities(transcript) or {}):
        yield NotApplicable("the server declares no logging")
        return
    yield from _must_be_refused(transcript, "log-level", 'with logLevel "loud"')
