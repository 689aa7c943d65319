"""Versions of the protocol: is what a server says about them true, and are the eras kept apart?"""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.opening import is_dual_era, opening_of
from bundles.mcp.reading import needs_the_server, not_made, refusal, unanswered, unreached
from bundles.mcp.schema import LEGACY, MODERN, cut
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_LATER = f"{probes.VERSION}2026-12-01"
_NEWER_MEMBERS = ("resultType", "ttlMs", "cacheScope")
_OF_ONE_ERA = NotApplicable("before 2026-07-28 the handshake settles the version")
_TWO = ex.edited(
    ex.joined(_HEALTHY, _LATER, result={}),
    probes.DISCOVER,
    lambda r: r.update(supportedVersions=[MODERN, "2026-12-01"]),
)
_DUAL = ex.answering(
    ex.answering(_HEALTHY, probes.HANDSHAKE, {"result": {"protocolVersion": LEGACY}}, status=200),
    probes.LEGACY_HANDSHAKE,
    {"result": {"protocolVersion": LEGACY}},
    status=200,
)


def _listed(transcript: Transcript) -> list[str] | None:
    """The versions discover lists, None where they could not be read."""
    result = opening_of(transcript).result
    listed = result.get("supportedVersions") if isinstance(result, dict) else None
    return [str(v) for v in listed] if isinstance(listed, list) else None


@check(
    id="mcp.versions.lists-agree",
    reason_code="VERSION_LISTS_DISAGREE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.DECLARATION,
    severity=Severity.POLICY,
    spec="MCP 2026-07-28, server/discover and UnsupportedProtocolVersionError",
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        ex.supporting(_HEALTHY, [MODERN, "2025-11-25"]),
        ex.refusing(_HEALTHY, probes.UNKNOWN_VERSION, -32602),
    ],
    rejects=[ex.supporting(_HEALTHY, []), ex.supporting(_HEALTHY, [MODERN, "2026-12-01"])],
)
@needs_the_server
def lists_agree(transcript: Transcript) -> Iterator[Said]:
    """The versions in the refusal of an unknown one are those that discover lists.

    Why: a client picks its version from whichever it saw first. Fix: build both from one list.
    Versions of the older era, which discover does not serve, may stand in one of them alone.
    """
    if transcript.revision == LEGACY:
        yield _OF_ONE_ERA
        return
    asked = next(iter(transcript.of(probes.UNKNOWN_VERSION)), None)
    listed = _listed(transcript)
    if asked is None or listed is None:
        yield not_made(probes.UNKNOWN_VERSION if asked is None else probes.DISCOVER)
        return
    if why := unanswered(asked):
        yield Inconclusive(why)
        return
    data = asked.error.get("data") if asked.error else None
    named = data.get("supported") if isinstance(data, dict) else None
    if not isinstance(named, list):
        yield NotApplicable("no refusal lists versions; see mcp.discovery.unknown-version-refused")
        return
    ours, theirs = _of_this_era(listed), _of_this_era([str(v) for v in named])
    if ours != theirs:
        yield Violation(
            "the refusal of a version lists others than discover does",
            path=probes.UNKNOWN_VERSION,
            pointer="/error/data/supported",
            seen=cut(sorted(theirs)),
            expected=cut(sorted(ours)),
        )


def _of_this_era(versions: list[str]) -> set[str]:
    return {version for version in versions if version > LEGACY}


@check(
    id="mcp.versions.handshake-removed",
    reason_code="HANDSHAKE_STILL_SERVED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, basic/lifecycle: initialize was removed",
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        _DUAL,
        ex.refusing(_HEALTHY, probes.HANDSHAKE, -32022, status=400),
    ],
    rejects=[
        ex.answering(
            _HEALTHY, probes.HANDSHAKE, {"result": {"protocolVersion": MODERN}}, status=200
        ),
        ex.answering(_DUAL, probes.HANDSHAKE, {"result": {"protocolVersion": MODERN}}),
        ex.refusing(_DUAL, probes.LEGACY_HANDSHAKE, -32601),
        ex.refusing(_HEALTHY, probes.HANDSHAKE, -32603, status=500),
        ex.changed(_HEALTHY, probes.HANDSHAKE, status=200),
    ],
)
@needs_the_server
def handshake_removed(transcript: Transcript) -> Iterator[Said]:
    """`initialize` in the words of 2026-07-28 is refused as the unknown method it is.

    Why: a server that still agrees on a version once keeps a session nobody else knows of. Fix:
    answer -32601 (HTTP 404), or -32022 with the versions served. A server of both eras may serve it
    in a version of the older one.
    """
    if transcript.revision == LEGACY:
        yield _OF_ONE_ERA
        return
    asked = next(iter(transcript.of(probes.HANDSHAKE)), None)
    if asked is None:
        yield not_made(probes.HANDSHAKE)
    elif unreached(asked):
        yield Inconclusive(unreached(asked))
    elif isinstance(asked.result, dict):
        yield _served(asked, transcript)
    elif not is_dual_era(transcript):
        yield from _refused(asked)


def _served(asked: Exchange, transcript: Transcript) -> Said:
    version = str(asked.result.get("protocolVersion"))
    if version <= LEGACY and is_dual_era(transcript):
        return NotApplicable(f"the server speaks both eras and reads it as one of {version}")
    return Violation(
        "the handshake is served in an era that has none",
        path=probes.HANDSHAKE,
        pointer="/result",
        seen=cut(version),
        expected="error -32601",
    )


def _refused(asked: Exchange) -> Iterator[Said]:
    code = asked.error.get("code") if asked.error else None
    status = {-32601: 404, -32022: 400}.get(code if isinstance(code, int) else 0)
    if status is None or asked.status not in {None, status}:
        yield Violation(
            "the handshake is not refused as an unknown method",
            path=probes.HANDSHAKE,
            pointer="/error/code",
            seen=refusal(asked),
            expected="HTTP 404, error -32601",
        )


@check(
    id="mcp.versions.advertised-versions-served",
    reason_code="ADVERTISED_VERSION_REFUSED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, server/discover supportedVersions",
    accepts=[_HEALTHY, _HEALTHY_LEGACY, _TWO],
    rejects=[ex.refusing(_TWO, _LATER, -32022, status=400)],
)
@needs_the_server
def advertised_versions_served(transcript: Transcript) -> Iterator[Said]:
    """Every version that discover lists is served.

    Why: clients take the youngest one they know from the list. Fix: list what is implemented.
    """
    if transcript.revision == LEGACY:
        yield _OF_ONE_ERA
        return
    others = _of_this_era(_listed(transcript) or []) - {MODERN}
    asked = list(transcript.starting(probes.VERSION))
    if not others:
        yield NotApplicable("the server lists no further version of this era")
    elif not asked:
        yield not_made(probes.VERSION)
    for exchange in asked:
        if unreached(exchange):
            yield Inconclusive(unreached(exchange))
        elif exchange.message is None or "result" not in exchange.message:
            yield Violation(
                "a version that discover lists is refused",
                path=exchange.probe,
                seen=refusal(exchange),
                expected="a result",
            )


@check(
    id="mcp.versions.older-clients-spared",
    reason_code="NEWER_MEMBERS_TO_OLDER_CLIENT",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.SCHEMA,
    severity=Severity.POLICY,
    spec="MCP 2025-11-25, schema ListToolsResult",
    accepts=[_HEALTHY, _HEALTHY_LEGACY],
    rejects=[ex.edited(_HEALTHY_LEGACY, probes.TOOLS_LIST, lambda r: r.update(ttlMs=0))],
)
@needs_the_server
def older_clients_spared(transcript: Transcript) -> Iterator[Said]:
    """A client of 2025-11-25 gets no resultType, ttlMs or cacheScope.

    Why: members of another era are what strict clients stumble over, and a sign that the server
    does not tell its clients apart. Fix: leave them out where the handshake agreed on an older
    version.
    """
    if transcript.revision != LEGACY:
        yield NotApplicable("the members belong to 2026-07-28")
        return
    pages = transcript.of(probes.TOOLS_LIST)
    if not pages:
        yield not_made(probes.TOOLS_LIST)
    for page in pages:
        if why := unanswered(page):
            yield Inconclusive(why)
        result = page.result if isinstance(page.result, dict) else {}
        newer = [name for name in _NEWER_MEMBERS if name in result]
        if newer:
            yield Violation(
                "a list for a client of 2025-11-25 has members of 2026-07-28",
                path=probes.TOOLS_LIST,
                pointer=f"/result/{newer[0]}",
                seen=newer,
            )
