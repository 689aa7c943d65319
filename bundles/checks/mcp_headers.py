"""Routing headers (2026-07-28): does the server hold them to the body?"""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.header_refusals import (
    HEADER_MISMATCH,
    UNSUPPORTED_VERSION,
    asked,
    lists_no_tools,
    mismatched,
    must_be_read_alike,
    must_mismatch,
    of_older_era,
)
from bundles.mcp.opening import ERA_UNKNOWN, is_dual_era
from bundles.mcp.reading import needs_the_server
from bundles.mcp.refusals import is_served
from bundles.mcp.schema import LEGACY
from bundles.mcp.tools import by_name, listed_tools
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_STDIO = ex.healthy(transport="stdio")
_ALL = [_HEALTHY, _HEALTHY_LEGACY, _STDIO]
_SERVED = {"result": _HEALTHY.exchanges[0].result}
_DUAL = ex.answering(_HEALTHY, probes.LEGACY_HANDSHAKE, {"result": {"protocolVersion": LEGACY}})
_SPEC = "MCP 2026-07-28, basic/transports/streamable-http, request metadata"
_VERSION_ABSENT = f"{probes.HEADER}version-absent"
_VERSION_OTHER = f"{probes.HEADER}version-other"
_BODY_OTHER = f"{probes.HEADER}body-version-other"
_METHODS = {
    f"{probes.HEADER}method-absent": "without Mcp-Method",
    f"{probes.HEADER}method-other": "whose Mcp-Method names another method",
    f"{probes.HEADER}method-case": "whose Mcp-Method is in capitals",
}
_NAMES = {
    f"{probes.HEADER}name-absent": "without Mcp-Name",
    f"{probes.HEADER}name-other": "whose Mcp-Name names another tool",
}
_MALFORMED = f"{probes.HEADER}name-malformed"
_ENCODED = f"{probes.HEADER}name-encoded"
_METHOD_OTHER = f"{probes.HEADER}method-other"
_NAME_OTHER = f"{probes.HEADER}name-other"
_CALLED = {"result": {"content": [], "resultType": "complete"}}
_FAILED = {"result": {"content": [], "isError": True, "resultType": "complete"}}
_UNLISTED = {"id": 1, "method": "tools/call", "params": {"name": "no-such"}}
_NO_TOOLS = ex.without(ex.toolless(_HEALTHY), f"{probes.HEADER}name-")


@check(
    id="mcp.headers.version-required",
    reason_code="VERSION_HEADER_NOT_REQUIRED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC + ": protocol version header",
    accepts=[*_ALL, ex.answering(_DUAL, _VERSION_ABSENT, _SERVED, status=200)],
    rejects=[
        ex.answering(_HEALTHY, _VERSION_ABSENT, _SERVED, status=200),
        ex.refusing(_HEALTHY, _VERSION_ABSENT, -32600, status=400),
        ex.changed(_HEALTHY, _VERSION_ABSENT, status=200),
    ],
)
@needs_the_server
def version_required(transcript: Transcript) -> Iterator[Said]:
    """A request without MCP-Protocol-Version is refused with -32020 and HTTP 400.

    Why: what stands before the server decides by the header, and would let through what the server
    reads otherwise. Fix: require the header before the body is looked at. A server of both eras may
    take such a request for one of 2025-03-26.
    """
    if other := of_older_era(transcript):
        yield other
        return
    dual = is_dual_era(transcript)
    if dual:
        yield NotApplicable("a server of both eras may read it as a request of 2025-03-26")
        return
    said = list(must_mismatch(transcript, _VERSION_ABSENT, "without MCP-Protocol-Version"))
    blamed = any(isinstance(one, Violation) for one in said)
    yield from [ERA_UNKNOWN] if blamed and dual is None else said


@check(
    id="mcp.headers.version-agrees",
    reason_code="VERSION_HEADER_MISMATCH_SERVED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC + ": protocol version header",
    accepts=[
        *_ALL,
        ex.refusing(_HEALTHY, _BODY_OTHER, UNSUPPORTED_VERSION, status=400),
        ex.refusing(_DUAL, _VERSION_OTHER, -32000, status=400),
    ],
    rejects=[
        ex.answering(_HEALTHY, _VERSION_OTHER, _SERVED, status=200),
        ex.answering(_DUAL, _VERSION_OTHER, _SERVED, status=200),
        ex.answering(_HEALTHY, _BODY_OTHER, _SERVED, status=200),
        ex.refusing(_HEALTHY, _VERSION_OTHER, -32600, status=400),
        ex.refusing(_HEALTHY, _BODY_OTHER, HEADER_MISMATCH, status=200),
    ],
)
@needs_the_server
def version_agrees(transcript: Transcript) -> Iterator[Said]:
    """A request that names one version in its header and another in _meta is refused, HTTP 400.

    Why: header and body would be read by different rules. Fix: compare the two and answer -32020;
    -32022 says as well what is wrong where one of them is a version nobody serves. A server of both
    eras may refuse a version it does not know in the words of the older one.
    """
    if other := of_older_era(transcript):
        yield other
        return
    codes = (HEADER_MISMATCH, UNSUPPORTED_VERSION)
    header = asked(transcript, _VERSION_OTHER)
    if not isinstance(header, Exchange):
        yield header
    elif header.status == 400 and is_dual_era(transcript) is not False:
        right = header.error is not None and header.error.get("code") in codes
        yield from () if right or is_dual_era(transcript) else (ERA_UNKNOWN,)
    else:
        yield from mismatched(header, "whose MCP-Protocol-Version is another than its _meta", codes)
    what = "whose _meta names another version than MCP-Protocol-Version"
    yield from must_mismatch(transcript, _BODY_OTHER, what, codes)


@check(
    id="mcp.headers.method-agrees",
    reason_code="METHOD_HEADER_MISMATCH_SERVED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC + ": standard request headers, server validation",
    accepts=_ALL,
    rejects=[
        *(ex.answering(_HEALTHY, probe, _SERVED, status=200) for probe in _METHODS),
        ex.refusing(_HEALTHY, _METHOD_OTHER, -32601, status=404),
        ex.refusing(_DUAL, _METHOD_OTHER, HEADER_MISMATCH, status=200),
        ex.changed(_HEALTHY, _METHOD_OTHER, message=None, status=500),
    ],
)
@needs_the_server
def method_agrees(transcript: Transcript) -> Iterator[Said]:
    """A request without Mcp-Method, or with another one, is refused with -32020 and HTTP 400.

    Why: a gateway that lets a method through by its header lets through whatever the body asks for.
    Fix: compare the header with the body's method, letter by letter, before anything is done.
    """
    if other := of_older_era(transcript):
        yield other
        return
    for probe, what in _METHODS.items():
        yield from must_mismatch(transcript, probe, what)


@check(
    id="mcp.headers.name-agrees",
    reason_code="NAME_HEADER_MISMATCH_SERVED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC + ": standard request headers, server validation",
    accepts=[*_ALL, _NO_TOOLS],
    rejects=[
        *(ex.answering(_HEALTHY, probe, _CALLED, status=200) for probe in _NAMES),
        ex.answering(
            ex.changed(_HEALTHY, _NAME_OTHER, request=_UNLISTED), _NAME_OTHER, _FAILED, status=200
        ),
        ex.refusing(_HEALTHY, _NAME_OTHER, -32602, status=400),
    ],
)
@needs_the_server
def name_agrees(transcript: Transcript) -> Iterator[Said]:
    """A tools/call without Mcp-Name, or with another one, is refused with -32020 and HTTP 400.

    Why: a gateway that lets a tool through by its header lets through whichever the body names.
    Fix: compare the header with the body's name before the tool is looked up.
    """
    if other := of_older_era(transcript) or lists_no_tools(transcript):
        yield other
        return
    for probe, what in _NAMES.items():
        yield from _name_mismatch(transcript, probe, what)


@check(
    id="mcp.headers.name-encoding-read",
    reason_code="NAME_HEADER_ENCODING_NOT_READ",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC + ": value encoding",
    accepts=[*_ALL, _NO_TOOLS, ex.answering(_HEALTHY, _ENCODED, _CALLED, status=200)],
    rejects=[
        ex.refusing(_HEALTHY, _ENCODED, HEADER_MISMATCH, status=400),
        ex.changed(_HEALTHY, _ENCODED, message=None, status=400),
        ex.answering(_HEALTHY, _MALFORMED, _CALLED, status=200),
    ],
)
@needs_the_server
def name_encoding_read(transcript: Transcript) -> Iterator[Said]:
    """Mcp-Name is compared after its base64 was read, and refused where there is none to read.

    Why: names beyond ASCII, and URIs, can be said in no other way. Fix: decode what stands between
    `=?base64?` and `?=`; answer -32020 where that fails.
    """
    if other := of_older_era(transcript) or lists_no_tools(transcript):
        yield other
        return
    what = "whose Mcp-Name is in base64"
    yield from must_be_read_alike(transcript, _ENCODED, probes.UNKNOWN_TOOL, what)
    named_other = asked(transcript, _NAME_OTHER)
    if isinstance(named_other, Exchange) and is_served(named_other):
        yield NotApplicable("Mcp-Name is not compared at all; see mcp.headers.name-agrees")
        return
    yield from _name_mismatch(transcript, _MALFORMED, "whose Mcp-Name holds no base64")


def _name_mismatch(transcript: Transcript, probe: str, what: str) -> Iterator[Said]:
    exchange = asked(transcript, probe)
    if not isinstance(exchange, Exchange):
        yield exchange
        return
    params = exchange.request.get("params", {})
    code = exchange.error.get("code") if exchange.error else None
    if params.get("name") not in by_name(listed_tools(transcript)) and code == -32602:
        # a server may look for the tool before it looks at the headers
        yield Inconclusive(
            f"{probe}: refused because there is no such tool, the only one that could be called; "
            "name a tool that is safe to call"
        )
        return
    yield from mismatched(exchange, what)
