"""Versions of the protocol: is what a server says about them true?"""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.opening import opening_of
from bundles.mcp.reading import needs_the_server, not_made, refusal, unanswered, unreached
from bundles.mcp.schema import LEGACY, MODERN, cut
from bundles.transcript import Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_LATER = f"{probes.VERSION}2026-12-01"
_OF_ONE_ERA = NotApplicable("before 2026-07-28 the handshake settles the version")
_TWO = ex.edited(
    ex.supporting(ex.joined(_HEALTHY, _LATER, result={}), [MODERN, "2026-12-01"]),
    probes.DISCOVER,
    lambda r: r.update(supportedVersions=[MODERN, "2026-12-01"]),
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
    if MODERN not in listed:
        yield NotApplicable("discover does not list the version; see mcp.discovery")
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
