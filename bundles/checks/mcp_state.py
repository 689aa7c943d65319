"""No request depends on the ones before it: not the list, and not being served at all."""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.checks.mcp_tools import NO_TOOLS
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.opening import capabilities
from bundles.mcp.reading import (
    has_no_tools,
    needs_the_server,
    not_made,
    refusal,
    unanswered,
)
from bundles.mcp.schema import LEGACY, MODERN, cut
from bundles.mcp.tools import definitions, gap_in, listed_tools, tools_in
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_LEGACY = ex.healthy(revision=LEGACY)


@check(
    id="mcp.tools.list-unmoved-by-calls",
    reason_code="TOOLS_LIST_MOVED_BY_CALLS",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, server/tools: the list does not depend on other requests",
    accepts=[
        _HEALTHY,
        ex.edited(
            ex.declaring(_LEGACY, tools={"listChanged": True}),
            probes.TOOLS_LIST_AFTER,
            lambda r: r["tools"].pop(),
        ),
    ],
    rejects=[
        ex.edited(_HEALTHY, probes.TOOLS_LIST_AFTER, lambda r: r["tools"].append(ex.MORE)),
        ex.edited(
            ex.declaring(_LEGACY, tools={}),
            probes.TOOLS_LIST_AFTER,
            lambda r: r["tools"].pop(),
        ),
    ],
)
@needs_the_server
def list_unmoved_by_calls(transcript: Transcript) -> Iterator[Said]:
    """The tools are the same after tools were called.

    Why: a call that switches tools on shows them to whoever asks next, reviewed by nobody. Fix:
    list what the credentials may use, whatever was called before. Before 2026-07-28 a server may
    change its list where it declares listChanged.
    """
    after = transcript.of(probes.TOOLS_LIST_AFTER)
    if has_no_tools(transcript):
        yield NotApplicable(NO_TOOLS)
    elif not transcript.safe_calls:
        yield NotApplicable("no tool is declared safe to call")
    elif transcript.revision == LEGACY and _may_change(transcript):
        yield NotApplicable("the server declares listChanged, which its revision allows it to use")
    elif not after:
        yield not_made(probes.TOOLS_LIST_AFTER)
    elif why := gap_in(transcript.of(probes.TOOLS_LIST)) or gap_in(after):
        yield Inconclusive(f"the lists cannot be compared: {why}")
    elif _varies_anyhow(transcript):
        yield Inconclusive("the list varies without calls: see mcp.tools.set-stable")
    else:
        first, later = definitions(listed_tools(transcript)), definitions(tools_in(after))
        for name in sorted(
            name for name in first.keys() | later.keys() if first.get(name) != later.get(name)
        ):
            yield Violation(
                f"tool {name} is listed differently after calls",
                path=probes.TOOLS_LIST_AFTER,
                pointer="/result/tools",
                seen=cut(sorted(later)),
                expected=cut(sorted(first)),
                witness={"tool": name},
            )


def _varies_anyhow(transcript: Transcript) -> bool:
    """Whether the list was different before any call, when it was asked for again."""
    first = definitions(listed_tools(transcript))
    again: dict[str, list[Exchange]] = {}
    for page in transcript.starting(probes.TOOLS_LIST_AGAIN):
        again.setdefault(page.probe, []).append(page)
    return any(
        definitions(tools_in(pages)) != first for pages in again.values() if not gap_in(pages)
    )


def _may_change(transcript: Transcript) -> bool:
    tools = (capabilities(transcript) or {}).get("tools")
    return isinstance(tools, dict) and tools.get("listChanged") is True


@check(
    id="mcp.protocol.any-request-first",
    reason_code="FIRST_REQUEST_REFUSED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, basic, statelessness: every request stands for itself",
    accepts=[_HEALTHY, _LEGACY],
    rejects=[ex.refusing(_HEALTHY, probes.FIRST_REQUEST, -32600, status=400)],
)
@needs_the_server
def any_request_first(transcript: Transcript) -> Iterator[Said]:
    """A request that is served later is served as the first one of a connection, too.

    Why: behind a balancer every request may be the first that a process sees. Fix: take version and
    capabilities from each request, and wait for no other before it.
    """
    first = next(iter(transcript.of(probes.FIRST_REQUEST)), None)
    if transcript.revision != MODERN:
        yield NotApplicable("before 2026-07-28 a handshake comes first")
    elif has_no_tools(transcript):
        yield NotApplicable(NO_TOOLS)
    elif first is None:
        yield not_made(probes.FIRST_REQUEST)
    elif not any(isinstance(page.result, dict) for page in transcript.of(probes.TOOLS_LIST)):
        yield Inconclusive("tools/list is not served later either")
    elif unanswered(first):
        yield Inconclusive(unanswered(first))
    elif first.error is not None:
        yield Violation(
            "tools/list is refused where it is the first request of a connection",
            path=probes.FIRST_REQUEST,
            pointer="/error",
            seen=refusal(first),
            expected="the list, as later on the same connection",
        )
