"""How headers are written (HTTP): does the server read what means the same, and only that?"""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.header_refusals import (
    asked,
    lists_no_tools,
    must_be_read,
    must_be_read_alike,
    of_older_era,
)
from bundles.mcp.reading import needs_the_server, refusal, unanswered
from bundles.mcp.refusals import is_served, over_http_only
from bundles.mcp.schema import LEGACY
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_STDIO = ex.healthy(transport="stdio")
_ALL = [_HEALTHY, _HEALTHY_LEGACY, _STDIO]
_SERVED = {"result": _HEALTHY.exchanges[0].result}
_CAPITALS = f"{probes.HEADER}names-upper"
_PADDED = f"{probes.HEADER}name-padded"
_TWICE = (f"{probes.HEADER}method-twice", f"{probes.HEADER}method-twice-reversed")


@check(
    id="mcp.headers.names-case-insensitive",
    reason_code="HEADER_NAMES_CASE_SENSITIVE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="RFC 9110, 5.1; MCP 2026-07-28, basic/transports/streamable-http, case sensitivity",
    accepts=_ALL,
    rejects=[
        ex.refusing(_HEALTHY, _CAPITALS, -32020, status=400),
        ex.changed(_HEALTHY, _CAPITALS, message=None, status=406),
        ex.changed(_HEALTHY_LEGACY, _CAPITALS, message=None, status=400),
    ],
)
@needs_the_server
def names_case_insensitive(transcript: Transcript) -> Iterator[Said]:
    """A request whose header names are in capitals is served.

    Why: clients and proxies write them as they like, HTTP/2 in small letters. Fix: look headers up
    without regard to case.
    """
    if other := over_http_only(transcript):
        yield other
        return
    exchange = asked(transcript, _CAPITALS)
    code = exchange.error.get("code") if isinstance(exchange, Exchange) and exchange.error else None
    if transcript.revision == LEGACY and code == -32601:
        yield Inconclusive("the server does not know ping, which was to carry it")
        return
    yield from must_be_read(transcript, _CAPITALS, "whose header names are in capitals")


@check(
    id="mcp.headers.spaces-ignored",
    reason_code="HEADER_SPACES_NOT_IGNORED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="RFC 9110, 5.5: spaces and tabs around a field value are no part of it",
    accepts=[*_ALL, ex.without(ex.toolless(_HEALTHY), f"{probes.HEADER}name-")],
    rejects=[
        ex.refusing(_HEALTHY, _PADDED, -32020, status=400),
        ex.changed(_HEALTHY, _PADDED, message=None, status=400),
    ],
)
@needs_the_server
def spaces_ignored(transcript: Transcript) -> Iterator[Said]:
    """Spaces and tabs around the value of Mcp-Name are no part of it.

    Why: proxies add and remove them. Fix: strip them before a value is compared.
    """
    if other := of_older_era(transcript) or lists_no_tools(transcript):
        yield other
        return
    what = "with spaces around its Mcp-Name"
    yield from must_be_read_alike(transcript, _PADDED, probes.UNKNOWN_TOOL, what)


@check(
    id="mcp.headers.repeated-refused",
    reason_code="REPEATED_HEADER_SERVED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.POLICY,
    spec="RFC 9110, 5.3; MCP 2026-07-28, basic/transports/streamable-http, server validation",
    accepts=_ALL,
    rejects=[ex.answering(_HEALTHY, probe, _SERVED, status=200) for probe in _TWICE],
)
@needs_the_server
def repeated_refused(transcript: Transcript) -> Iterator[Said]:
    """A request with two Mcp-Method headers that differ is not served.

    Why: one reader takes the first, the next one the last, and each decides about another method.
    Fix: refuse a routing header that comes twice with -32020.
    """
    if other := of_older_era(transcript):
        yield other
        return
    named_other = asked(transcript, f"{probes.HEADER}method-other")
    if isinstance(named_other, Exchange) and is_served(named_other):
        yield NotApplicable("Mcp-Method is not read at all; see mcp.headers.method-agrees")
        return
    for probe in _TWICE:
        exchange = asked(transcript, probe)
        if not isinstance(exchange, Exchange):
            yield exchange
        elif is_served(exchange):
            yield Violation(
                "a request with two Mcp-Method headers is served",
                path=probe,
                seen=refusal(exchange),
                expected="HTTP 400, error -32020",
            )
        elif unanswered(exchange) and exchange.status in {None, 200}:
            yield Inconclusive(unanswered(exchange))
