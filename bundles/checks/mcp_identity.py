"""Who a server says it is, with every result and from one discover to the next."""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.opening import opening_of
from bundles.mcp.reading import needs_the_server, not_made, unanswered
from bundles.mcp.schema import LEGACY, cut
from bundles.mcp.wire import SERVER_INFO_KEY
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_OF_THE_OLDER_ERA = frozenset({probes.INITIALIZE, probes.LEGACY_HANDSHAKE})
_TO_BE_REFUSED = (probes.ENVELOPE, probes.MALFORMED, probes.FOREIGN_ORIGIN)
_SOON_MS = 10_000
"""A discover result that is fresh for less may expire before it is asked for again."""


def _lasting(transcript: Transcript) -> Transcript:
    for probe in (probes.DISCOVER, probes.DISCOVER_AGAIN):
        transcript = ex.edited(transcript, probe, lambda r: r.update(ttlMs=60_000))
    return transcript


@check(
    id="mcp.discovery.server-named",
    reason_code="RESULT_WITHOUT_SERVER_INFO",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.DECLARATION,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28, basic, _meta of results: io.modelcontextprotocol/serverInfo",
    accepts=[_HEALTHY, _HEALTHY_LEGACY],
    rejects=[
        ex.edited(_HEALTHY, probes.DISCOVER, lambda r: r.pop("_meta")),
        ex.edited(_HEALTHY, probes.TOOLS_LIST, lambda r: r.update(_meta={})),
        ex.edited(_HEALTHY, probes.TOOLS_LIST, lambda r: r["_meta"].update({SERVER_INFO_KEY: {}})),
    ],
)
@needs_the_server
def server_named(transcript: Transcript) -> Iterator[Said]:
    """Every result names the server in its _meta.

    Why: without a handshake nothing else says which server, of those behind one address, answered.
    Fix: put name and version under io.modelcontextprotocol/serverInfo where results are written.
    """
    if transcript.revision == LEGACY:
        yield NotApplicable("before 2026-07-28 the handshake names the server")
        return
    unnamed: dict[str, list[str]] = {}
    judged = 0
    for exchange in transcript.exchanges:
        if not isinstance(exchange.result, dict) or _of_another_check(exchange):
            continue
        judged += 1
        if not _names_server(exchange.result):
            unnamed.setdefault(str(exchange.request.get("method")), []).append(exchange.probe)
    if not judged:
        yield Inconclusive("the server gave no result")
    for method, places in unnamed.items():
        yield Violation(
            f"results of {method} do not name the server",
            path=places[0],
            pointer="/result/_meta",
            expected=SERVER_INFO_KEY,
            witness={"times": len(places)},
        )


def _of_another_check(exchange: Exchange) -> bool:
    """True for results of the older era, of what is to be refused, and beside an error."""
    other = exchange.probe in _OF_THE_OLDER_ERA or exchange.probe.startswith(_TO_BE_REFUSED)
    return other or exchange.error is not None


def _names_server(result: Mapping[str, Any]) -> bool:
    meta = result.get("_meta")
    info = meta.get(SERVER_INFO_KEY) if isinstance(meta, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return isinstance(name, str) and name != ""


@check(
    id="mcp.discovery.stable-while-fresh",
    reason_code="DISCOVERY_CHANGES_WHILE_FRESH",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.TEMPORAL,
    severity=Severity.POLICY,
    spec="MCP 2026-07-28, server/discover ttlMs",
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        _lasting(_HEALTHY),
        ex.edited(_lasting(_HEALTHY), probes.DISCOVER_AGAIN, lambda r: r.update(_meta={"a": 1})),
        ex.edited(_HEALTHY, probes.DISCOVER_AGAIN, lambda r: r.update(instructions="new")),
    ],
    rejects=[
        ex.edited(
            _lasting(_HEALTHY), probes.DISCOVER_AGAIN, lambda r: r.update(instructions="new")
        ),
        ex.edited(_lasting(_HEALTHY), probes.DISCOVER_AGAIN, lambda r: r.update(capabilities={})),
    ],
)
@needs_the_server
def stable_while_fresh(transcript: Transcript) -> Iterator[Said]:
    """The discover result stays the same for as long as its ttlMs promises.

    Why: clients act on the cached one. Fix: shorten ttlMs, or change what is declared with a
    release only.
    """
    if transcript.revision == LEGACY:
        yield NotApplicable("discover exists since 2026-07-28")
        return
    first = opening_of(transcript)
    again = next(iter(transcript.of(probes.DISCOVER_AGAIN)), None)
    if again is None:
        yield not_made(probes.DISCOVER_AGAIN)
    elif why := unanswered(first) or unanswered(again):
        yield Inconclusive(why)
    elif not isinstance(first.result, dict) or not isinstance(again.result, dict):
        yield Inconclusive("discover was refused, so its results cannot be compared")
    elif not _is_fresh(first.result):
        yield NotApplicable(f"the result is not fresh for {_SOON_MS // 1000} s")
    else:
        before, after = _without_meta(first.result), _without_meta(again.result)
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name):
                yield Violation(
                    f"{name} changes while the discover result is fresh",
                    path=probes.DISCOVER_AGAIN,
                    pointer=f"/result/{name}",
                    seen=cut(after.get(name)),
                    expected=cut(before.get(name)),
                )


def _is_fresh(result: Mapping[str, Any]) -> bool:
    ttl = result.get("ttlMs")
    return isinstance(ttl, int) and ttl >= _SOON_MS


def _without_meta(result: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name != "_meta"}
