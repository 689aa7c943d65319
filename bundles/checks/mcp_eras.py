"""The eras before and since 2026-07-28: does a server keep them apart?"""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.opening import ERA_UNKNOWN, is_dual_era
from bundles.mcp.reading import needs_the_server, not_made, refusal, unanswered, unreached
from bundles.mcp.schema import LEGACY, MODERN, cut
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_PING = f"{probes.REMOVED}ping"
_NEWER_MEMBERS = ("resultType", "ttlMs", "cacheScope")
_DUAL = ex.answering(
    ex.answering(_HEALTHY, probes.HANDSHAKE, {"result": {"protocolVersion": LEGACY}}, status=200),
    probes.LEGACY_HANDSHAKE,
    {"result": {"protocolVersion": LEGACY}},
    status=200,
)


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
        yield NotApplicable("before 2026-07-28 the handshake is the rule")
        return
    asked = next(iter(transcript.of(probes.HANDSHAKE)), None)
    if asked is None:
        yield not_made(probes.HANDSHAKE)
    elif unreached(asked):
        yield Inconclusive(unreached(asked))
    elif isinstance(asked.result, dict):
        yield _served(asked, transcript)
    elif is_dual_era(transcript) is False:
        yield from _refused(asked)


def _served(asked: Exchange, transcript: Transcript) -> Said:
    version = str(asked.result.get("protocolVersion"))
    dual = is_dual_era(transcript)
    if version <= LEGACY and dual is None:
        return ERA_UNKNOWN
    if version <= LEGACY and dual:
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
    id="mcp.versions.removed-methods-refused",
    reason_code="REMOVED_METHOD_SERVED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, changes: ping, logging/setLevel, resources/(un)subscribe, roots/list",
    accepts=[_HEALTHY, _HEALTHY_LEGACY, ex.refusing(_DUAL, _PING, -32600, status=400)],
    rejects=[
        ex.answering(_HEALTHY, _PING, {"result": {}}, status=200),
        ex.answering(_DUAL, _PING, {"result": {}}, status=200),
        ex.refusing(_HEALTHY, _PING, -32602, status=400),
        ex.changed(_HEALTHY, _PING, status=200),
    ],
)
@needs_the_server
def removed_methods_refused(transcript: Transcript) -> Iterator[Said]:
    """A method that 2026-07-28 removed is refused with -32601, over HTTP with status 404.

    Why: each of them changed what a later request meant, which no request may since. Fix: route by
    the version that the request names.
    """
    if transcript.revision == LEGACY:
        yield NotApplicable("the methods belong to 2025-11-25")
        return
    asked = list(transcript.starting(probes.REMOVED))
    if not asked:
        yield not_made(probes.REMOVED)
    for exchange in asked:
        method = exchange.probe.removeprefix(probes.REMOVED)
        code = exchange.error.get("code") if exchange.error else None
        if unreached(exchange):
            yield Inconclusive(unreached(exchange))
        elif code not in {None, -32601} and is_dual_era(transcript) is not False:
            # a server of both eras knows the method, of the other one
            yield from () if is_dual_era(transcript) else (ERA_UNKNOWN,)
        elif code != -32601 or exchange.status not in {None, 404}:
            yield Violation(
                f"{method} is not refused as an unknown method",
                path=exchange.probe,
                pointer="/error/code",
                seen=refusal(exchange),
                expected="HTTP 404, error -32601",
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
