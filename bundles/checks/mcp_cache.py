"""Hints for caches: does every cacheable answer carry them, and one walk the same scope?"""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import needs_the_server, unanswered
from bundles.mcp.schema import LEGACY, cache_hint_problems
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_PROMPTS = f"{probes.LISTED}prompts"
_SINCE = NotApplicable("hints for caches are sent since 2026-07-28")


def _paged(first: str, second: str) -> Transcript:
    """With one more page of tools/list, and the scopes of both."""
    listed = ex.edited(_HEALTHY, probes.TOOLS_LIST, lambda r: r.update(nextCursor="2"))
    listed = ex.edited(listed, probes.TOOLS_LIST, lambda r: r.update(cacheScope=first))
    hints = {"resultType": "complete", "ttlMs": 0, "cacheScope": second}
    return ex.joined(listed, probes.TOOLS_LIST, result={"tools": [], **hints})


def _cacheable(transcript: Transcript) -> Iterator[Exchange]:
    """The answers that carry hints, as far as they were asked for once and well formed."""
    yield from transcript.of(probes.DISCOVER)
    yield from transcript.of(probes.TOOLS_LIST)
    yield from transcript.starting(probes.LISTED)
    yield from transcript.of(probes.RESOURCE_READ)


def _asks(result: Mapping[str, Any]) -> bool:
    """Whether a result asks for input: no answer yet, so nothing to keep."""
    return result.get("resultType") == "input_required"


@check(
    id="mcp.cache.hints-valid",
    reason_code="CACHE_HINTS_INVALID",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, server/utilities/caching, schema CacheableResult",
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        ex.edited(_HEALTHY, probes.TOOLS_LIST, lambda r: r.update(ttlMs=0, cacheScope="public")),
    ],
    rejects=[
        ex.edited(_HEALTHY, probes.DISCOVER, lambda r: r.pop("ttlMs")),
        ex.edited(_HEALTHY, probes.TOOLS_LIST, lambda r: r.pop("cacheScope")),
        ex.edited(_HEALTHY, probes.TOOLS_LIST, lambda r: r.update(ttlMs=-1)),
        ex.edited(_HEALTHY, probes.TOOLS_LIST, lambda r: r.update(ttlMs="60000")),
        ex.edited(_HEALTHY, probes.TOOLS_LIST, lambda r: r.update(cacheScope="shared")),
        ex.answering(
            ex.declaring(_HEALTHY, prompts={}), _PROMPTS, {"result": {"prompts": []}}, status=200
        ),
    ],
)
@needs_the_server
def hints_valid(transcript: Transcript) -> Iterator[Said]:
    """Discovery, lists and resources say how long and for whom they may be kept.

    Why: a client without the hints asks every time, or keeps one caller's answer for another. Fix:
    send ttlMs, a whole number of milliseconds (0: do not keep), and cacheScope, "private" or
    "public", with every such answer.
    """
    if transcript.revision == LEGACY:
        yield _SINCE
        return
    for exchange in _cacheable(transcript):
        if exchange.error is not None:
            continue
        if why := unanswered(exchange):
            yield Inconclusive(why)
        elif isinstance(exchange.result, dict) and not _asks(exchange.result):
            for problem in cache_hint_problems(exchange.result):
                yield Violation(
                    f"{exchange.request.get('method', exchange.probe)}: {problem.message}",
                    path=exchange.probe,
                    pointer=f"/result{problem.pointer}",
                    seen=problem.seen,
                )


@check(
    id="mcp.cache.scope-uniform",
    reason_code="CACHE_SCOPE_VARIES",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, server/utilities/caching: one cacheScope for all pages of a list",
    accepts=[_HEALTHY, _HEALTHY_LEGACY, _paged("public", "public")],
    rejects=[_paged("private", "public")],
)
@needs_the_server
def scope_uniform(transcript: Transcript) -> Iterator[Said]:
    """All pages of one walk over tools/list have the same cacheScope.

    Why: a shared cache would keep some pages for everybody and join them to another caller's list.
    Fix: decide the scope once a list, not once a page.
    """
    if transcript.revision == LEGACY:
        yield _SINCE
        return
    pages = transcript.of(probes.TOOLS_LIST)
    if len(pages) < 2:
        yield NotApplicable("the server lists its tools on one page")
        return
    yield from (Inconclusive(why) for page in pages if (why := unanswered(page)))
    results = [page.result for page in pages if isinstance(page.result, dict)]
    scopes = [r["cacheScope"] for r in results if r.get("cacheScope") in ("private", "public")]
    if len(set(scopes)) > 1:
        yield Violation(
            "the pages of one list have different scopes",
            path=probes.TOOLS_LIST,
            pointer="/result/cacheScope",
            seen=scopes[:10],
            expected=scopes[0],
        )
