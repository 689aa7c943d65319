"""Discovery and version negotiation: does the server say what it is, and mean it?"""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import needs_the_server, not_made, refusal, unanswered, unreached
from bundles.mcp.schema import LEGACY, MODERN, cut, discover_problems, initialize_problems
from bundles.mcp.wire import UNSUPPORTED_VERSION
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_UNKNOWN_MODERN = UNSUPPORTED_VERSION[MODERN]
_UNKNOWN_LEGACY = UNSUPPORTED_VERSION[LEGACY]
_OLDER = frozenset({"2024-11-05", "2025-03-26", "2025-06-18"})


def _opening(transcript: Transcript) -> tuple[str, Exchange | None]:
    probe = probes.DISCOVER if transcript.revision == MODERN else probes.INITIALIZE
    return probe, next(iter(transcript.of(probe)), None)


@check(
    id="mcp.discovery.implemented",
    reason_code="DISCOVERY_NOT_IMPLEMENTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, server/discover; MCP 2025-11-25, basic/lifecycle",
    accepts=[_HEALTHY, _HEALTHY_LEGACY],
    rejects=[
        ex.refusing(_HEALTHY, probes.DISCOVER, -32601, status=404),
        ex.refusing(_HEALTHY_LEGACY, probes.INITIALIZE, -32603),
    ],
)
@needs_the_server
def discovery_implemented(transcript: Transcript) -> Iterator[Said]:
    """The server answers discovery: server/discover, or initialize before 2026-07-28.

    Why: without it a client cannot know which revision and capabilities it may use. Fix: implement
    the opening request of the revision the contract names, or name the revision the server speaks.
    """
    probe, opening = _opening(transcript)
    if opening is None:
        yield not_made(probe)
    elif unreached(opening):
        yield Inconclusive(unreached(opening))
    elif opening.error is not None or opening.message is None:
        legacy = transcript.context.get(probes.CONTEXT_ERA) == "legacy"
        also = "; it answers only the older handshake" if legacy else ""
        method = opening.request.get("method", probe)
        read = not opening.parse_error or (opening.status or 200) >= 300
        said = f"the server refuses {method}" if read else f"the answer to {method} cannot be read"
        yield Violation(
            f"{said}{also}",
            path=probe,
            seen=refusal(opening),
            expected="a result",
            next_step=f"implement revision {transcript.revision} or change the contract's protocol",
        )


@check(
    id="mcp.discovery.schema-valid",
    reason_code="DISCOVERY_SCHEMA_INVALID",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, schema DiscoverResult; MCP 2025-11-25, schema InitializeResult",
    accepts=[_HEALTHY, _HEALTHY_LEGACY],
    rejects=[
        ex.edited(_HEALTHY, probes.DISCOVER, lambda r: r.pop("resultType")),
        ex.edited(_HEALTHY, probes.DISCOVER, lambda r: r.update(capabilities=None)),
        ex.edited(_HEALTHY_LEGACY, probes.INITIALIZE, lambda r: r.pop("serverInfo")),
    ],
)
@needs_the_server
def discovery_schema_valid(transcript: Transcript) -> Iterator[Said]:
    """The discovery result has the shape its revision prescribes.

    Why: clients read capabilities and versions from it and drop what does not parse.
    Fix: send every required member with its type; leave optional members out instead of null.
    """
    probe, opening = _opening(transcript)
    if opening is None:
        yield not_made(probe)
    elif unanswered(opening):
        yield Inconclusive(unanswered(opening))
    elif opening.error is not None:
        yield NotApplicable("discovery gave no result; see mcp.discovery.implemented")
    else:
        modern = transcript.revision == MODERN
        problems = (discover_problems if modern else initialize_problems)(opening.result)
        for problem in problems:
            yield Violation(
                problem.message, path=probe, pointer=f"/result{problem.pointer}", seen=problem.seen
            )


@check(
    id="mcp.discovery.revision-supported",
    reason_code="REVISION_NOT_SUPPORTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, server/discover supportedVersions; MCP 2025-11-25, version negotiation",
    accepts=[_HEALTHY, _HEALTHY_LEGACY],
    rejects=[
        ex.edited(_HEALTHY, probes.DISCOVER, lambda r: r.update(supportedVersions=["2025-11-25"])),
        ex.edited(
            _HEALTHY_LEGACY, probes.INITIALIZE, lambda r: r.update(protocolVersion="2031-01-01")
        ),
    ],
)
@needs_the_server
def revision_supported(transcript: Transcript) -> Iterator[Said]:
    """The server names the revision of the contract as one it supports.

    Why: a successful discover does not make a modern server; the list decides. Fix: list the
    revision in supportedVersions, or change the contract's protocol.
    """
    probe, opening = _opening(transcript)
    if opening is None:
        yield not_made(probe)
        return
    result = opening.result
    if not isinstance(result, dict):
        yield Inconclusive(unanswered(opening) or f"{probe}: no result to read the versions from")
        return
    named = result.get("supportedVersions" if transcript.revision == MODERN else "protocolVersion")
    if transcript.revision in (named if isinstance(named, list) else [named]):
        return
    if transcript.revision != MODERN and named in _OLDER:
        # Negotiating down is legal; this harness has no rules for the older revisions.
        yield Inconclusive(f"the server negotiated {named}, which is not judged here")
        return
    yield Violation(
        f"the server does not name {transcript.revision} among the revisions it speaks",
        path=probe,
        pointer="/result/supportedVersions"
        if transcript.revision == MODERN
        else "/result/protocolVersion",
        seen=cut(named),
        expected=transcript.revision,
    )


@check(
    id="mcp.discovery.unknown-version-refused",
    reason_code="UNKNOWN_VERSION_NOT_REFUSED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, UnsupportedProtocolVersionError; MCP 2025-11-25, version negotiation",
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        ex.refusing(_HEALTHY_LEGACY, probes.UNKNOWN_VERSION, -32602),
    ],
    rejects=[
        ex.answering(
            _HEALTHY, probes.UNKNOWN_VERSION, {"result": _HEALTHY.exchanges[0].result}, status=200
        ),
        ex.refusing(_HEALTHY, probes.UNKNOWN_VERSION, -32022, status=400),
        ex.changed(_HEALTHY, probes.UNKNOWN_VERSION, status=200),
        ex.edited(
            _HEALTHY_LEGACY,
            probes.UNKNOWN_VERSION,
            lambda r: r.update(protocolVersion=_UNKNOWN_LEGACY),
        ),
    ],
)
@needs_the_server
def unknown_version_refused(transcript: Transcript) -> Iterator[Said]:
    """A request in a version that does not exist is refused with the list of those that do.

    Why: a server that answers a version it cannot know will misread the next real one. Fix: answer
    -32022 with data.supported and data.requested (HTTP 400); before 2026-07-28 answer initialize
    with a version the server supports.
    """
    asked = next(iter(transcript.of(probes.UNKNOWN_VERSION)), None)
    if asked is None:
        yield not_made(probes.UNKNOWN_VERSION)
    elif unreached(asked):
        yield Inconclusive(unreached(asked))
    elif transcript.revision == MODERN:
        yield from _refuses_modern(asked)
    elif isinstance(asked.result, dict) and asked.result.get("protocolVersion") == _UNKNOWN_LEGACY:
        yield Violation(
            f"the server agreed to speak {_UNKNOWN_LEGACY}, which does not exist",
            path=probes.UNKNOWN_VERSION,
            pointer="/result/protocolVersion",
            seen=_UNKNOWN_LEGACY,
            expected="a version the server supports, or an error",
        )


def _refuses_modern(asked: Exchange) -> Iterator[Said]:
    where = probes.UNKNOWN_VERSION
    error = asked.error
    if error is None or error.get("code") != -32022:
        yield Violation(
            f"version {_UNKNOWN_MODERN} was not refused as unsupported",
            path=where,
            pointer="/error/code",
            seen=refusal(asked),
            expected="error -32022",
        )
        return
    data = error.get("data")
    named = data if isinstance(data, dict) else {}
    supported = named.get("supported")
    if not isinstance(supported, list) or not all(isinstance(v, str) for v in supported):
        yield Violation(
            "the refusal does not list the versions the server supports",
            path=where,
            pointer="/error/data/supported",
            seen=cut(supported),
            expected="a list of versions",
        )
    if named.get("requested") != _UNKNOWN_MODERN:
        yield Violation(
            "the refusal does not repeat the version that was requested",
            path=where,
            pointer="/error/data/requested",
            seen=cut(named.get("requested")),
            expected=_UNKNOWN_MODERN,
        )
    if asked.status not in {None, 400}:
        yield Violation(
            "the refusal of a version has another HTTP status than 400",
            path=where,
            seen=asked.status,
            expected=400,
        )
