"""Addresses a request names (HTTP): where it comes from, and where it believes to be."""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.opening import opening_of
from bundles.mcp.reading import needs_the_server, not_made, refusal, unreached
from bundles.mcp.refusals import over_http_only
from bundles.mcp.schema import LEGACY
from bundles.transcript import Exchange, Failure, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_ALL = [_HEALTHY, _HEALTHY_LEGACY, ex.healthy(transport="stdio")]
_ELSEWHERE = ex.knowing(
    ex.without(_HEALTHY, probes.FOREIGN_HOST), **{probes.CONTEXT_LOOPBACK: False}
)
_OPENING_REFUSED = ex.changed(_HEALTHY, probes.DISCOVER, message=None, status=403)


@check(
    id="mcp.security.foreign-host-refused",
    reason_code="FOREIGN_HOST_SERVED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.POLICY,
    spec="CWE-350 (DNS rebinding); MCP 2026-07-28, basic/transports/streamable-http, security",
    accepts=[*_ALL, _ELSEWHERE, ex.changed(_HEALTHY, probes.FOREIGN_HOST, status=403)],
    rejects=[
        ex.answering(_HEALTHY, probes.FOREIGN_HOST, {"result": {}}, status=200),
        ex.changed(_HEALTHY_LEGACY, probes.FOREIGN_HOST, status=200),
    ],
)
@needs_the_server
def foreign_host_refused(transcript: Transcript) -> Iterator[Said]:
    """A server on this machine refuses a request whose Host is not one of its own names.

    Why: a web page whose name is made to point to this machine is same-origin with the server: its
    requests carry no Origin that would give them away. Fix: compare Host with the names the server
    is reached by, answer 421 or 403. Elsewhere the proxies before a server route by that name.
    """
    asked = next(iter(transcript.of(probes.FOREIGN_HOST)), None)
    if other := over_http_only(transcript):
        yield other
    elif transcript.context.get(probes.CONTEXT_LOOPBACK) is False:
        yield NotApplicable("the server is not on this machine: what stands before it reads Host")
    elif asked is None:
        yield not_made(probes.FOREIGN_HOST)
    elif why := _says_nothing(asked):
        yield Inconclusive(why)
    elif (asked.status or 0) >= 400 and not isinstance(opening_of(transcript).result, dict):
        yield Inconclusive("the well-formed request is not served, so one for a Host says nothing")
    elif (asked.status or 0) < 400:
        yield Violation(
            "a request for a foreign Host is served",
            path=probes.FOREIGN_HOST,
            seen=asked.status,
            expected="421 or 403",
        )


@check(
    id="mcp.security.origin-optional",
    reason_code="ORIGIN_WRONGLY_REFUSED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.POLICY,
    spec="MCP 2026-07-28 and 2025-11-25, basic/transports, security: Origin, where it is present",
    accepts=[*_ALL, ex.changed(_HEALTHY, probes.OWN_ORIGIN, message=None, status=403)],
    rejects=[
        _OPENING_REFUSED,
        ex.changed(_HEALTHY, probes.OWN_ORIGIN, message=None, status=400),
        ex.refusing(_HEALTHY_LEGACY, probes.OWN_ORIGIN, -32603, status=500),
    ],
)
@needs_the_server
def origin_optional(transcript: Transcript) -> Iterator[Said]:
    """A request without Origin is served; one with an Origin is served, or refused with 403.

    Why: only browsers send the header, and clients that are none have to get in. Fix: judge Origin
    where it is present. Which Origins a server lets in is its own choice.
    """
    if other := over_http_only(transcript):
        yield other
        return
    own = next(iter(transcript.of(probes.OWN_ORIGIN)), None)
    without = opening_of(transcript)
    if own is None:
        yield not_made(probes.OWN_ORIGIN)
    elif without.status == 403 and isinstance(own.result, dict):
        yield Violation(
            "a request without Origin is refused, and served with one",
            path=without.probe,
            seen=refusal(without),
            expected="a result",
        )
    elif why := unreached(without):
        yield Inconclusive(why)
    elif not isinstance(without.result, dict):
        yield Inconclusive("the well-formed request is not served, so one with Origin says nothing")
    elif own.status == 403 or isinstance(own.result, dict):
        return
    elif why := unreached(own):
        yield Inconclusive(why)
    else:
        yield Violation(
            "a request from the server's own Origin is neither served nor refused with 403",
            path=probes.OWN_ORIGIN,
            seen=refusal(own),
            expected="a result, or 403",
        )


def _says_nothing(asked: Exchange) -> str:
    """Why an answer does not tell whether Host was looked at, "" where it does."""
    if asked.failure is Failure.CLOSED or asked.status == 403:
        return ""
    if why := unreached(asked):
        return why
    if (asked.status or 0) >= 500:
        return f"{asked.probe}: HTTP {asked.status} came before any look at Host"
    return ""
