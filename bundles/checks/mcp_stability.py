"""tools/list asked again: the same tools, in the same order?"""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.checks.mcp_tools import NO_TOOLS
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import has_no_tools, needs_the_server, not_made, unanswered
from bundles.mcp.tools import Tool, by_name, definitions, listed_tools, tools_in
from bundles.transcript import Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_AGAIN = probes.TOOLS_LIST_AGAIN + "1"


def _again(
    transcript: Transcript,
) -> Iterator[tuple[str, tuple[Tool, ...]] | Inconclusive | NotApplicable]:
    """The later walks that came to their end, or why one cannot be compared."""
    if has_no_tools(transcript):
        yield NotApplicable(NO_TOOLS)
        return
    first = transcript.of(probes.TOOLS_LIST)
    names = list(dict.fromkeys(e.probe for e in transcript.starting(probes.TOOLS_LIST_AGAIN)))
    if not first or not names:
        yield not_made(probes.TOOLS_LIST_AGAIN if first else probes.TOOLS_LIST)
        return
    for name in (probes.TOOLS_LIST, *names):
        walk = transcript.of(name)
        why = next((unanswered(e) for e in walk if unanswered(e)), "")
        refused = any(e.error is not None for e in walk)
        if why or refused:
            yield Inconclusive(why or f"{name}: tools/list was refused")
            if name == probes.TOOLS_LIST:
                return
        elif name != probes.TOOLS_LIST:
            yield name, tools_in(walk)


@check(
    id="mcp.tools.set-stable",
    reason_code="TOOLS_SET_UNSTABLE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, server/tools, the list does not depend on the connection",
    accepts=[_HEALTHY, ex.edited(_HEALTHY, _AGAIN, lambda r: r["tools"].reverse())],
    rejects=[
        ex.edited(_HEALTHY, _AGAIN, lambda r: r["tools"].pop()),
        ex.edited(_HEALTHY, _AGAIN, lambda r: r["tools"][0].update(description="Other words.")),
    ],
)
@needs_the_server
def set_stable(transcript: Transcript) -> Iterator[Said]:
    """Fresh connections with the same credentials are shown the same tools, defined the same way.

    Why: what was admitted is the list that was seen; a list that varies cannot be reviewed,
    on one connection as little as on two. Fix:
    build the list from configuration, not from connection, time or chance.
    """
    first = definitions(listed_tools(transcript))
    for walk in _again(transcript):
        if not isinstance(walk, tuple):
            yield walk
            continue
        probe, tools = walk
        later = definitions(tools)
        differing = sorted(
            name for name in first.keys() | later.keys() if first.get(name) != later.get(name)
        )
        for name in differing:
            what = "is defined differently" if name in first and name in later else "comes and goes"
            yield Violation(
                f"tool {name} {what} when it is listed again",
                path=probe,
                pointer="/result/tools",
                seen=sorted(later),
                expected=sorted(first),
                witness={"tool": name},
            )


@check(
    id="mcp.tools.order-stable",
    reason_code="TOOLS_ORDER_UNSTABLE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28, server/tools, deterministic order",
    accepts=[_HEALTHY, ex.edited(_HEALTHY, _AGAIN, lambda r: r["tools"].pop())],
    rejects=[ex.edited(_HEALTHY, _AGAIN, lambda r: r["tools"].reverse())],
)
@needs_the_server
def order_stable(transcript: Transcript) -> Iterator[Said]:
    """The tools that are listed every time are listed in the same order.

    Why: a reshuffled list defeats prompt caches and makes models choose differently. Fix: sort the
    list, for example by name.
    """
    first = list(by_name(listed_tools(transcript)))
    for walk in _again(transcript):
        if not isinstance(walk, tuple):
            yield walk
            continue
        probe, tools = walk
        later = list(by_name(tools))
        before = [name for name in first if name in later]
        after = [name for name in later if name in first]
        if before != after:
            yield Violation(
                "the order of the tools differs when they are listed again",
                path=probe,
                pointer="/result/tools",
                seen=after,
                expected=before,
            )
