"""Other base URLs of one deployment: a request may be served by any instance, and none remembers.

They are named by the target (`instances`) or at the terminal (`--instance URL`).
"""

from collections.abc import Iterator
from typing import Any

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.checks.mcp_tools import NO_TOOLS
from bundles.mcp import example_instances as ex
from bundles.mcp import examples, probes
from bundles.mcp.admission import one
from bundles.mcp.reading import (
    has_no_tools,
    needs_the_server,
    not_made,
    refusal,
    unanswered,
    unreached,
)
from bundles.mcp.refusals import over_http_only
from bundles.mcp.schema import LEGACY, cut
from bundles.mcp.tools import by_name, gap_in, listed_tools, tools_in
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_TWO = ex.two_instances()
_TWO_LEGACY = ex.two_instances(revision=LEGACY)
_ALONE = examples.healthy()
_SPEC = "MCP 2026-07-28, basic: requests are self-contained, and any instance may serve one"
_COMPARED = ("supportedVersions", "capabilities", "instructions")


def _numbers(transcript: Transcript) -> range | Said:
    """The numbers of the other instances, or why there are none."""
    if said := over_http_only(transcript):
        return said
    count = transcript.context.get(probes.CONTEXT_INSTANCES)
    if not isinstance(count, int):
        return not_made(probes.INSTANCE)
    return range(1, count + 1) if count else NotApplicable("no other instance is named")


def _told(transcript: Transcript, probe: str) -> Exchange | Said:
    """What an instance answered, or why nothing can be said of it."""
    exchange = one(transcript, probe)
    if exchange is None:
        return not_made(probe)
    return Inconclusive(unreached(exchange)) if unreached(exchange) else exchange


@check(
    id="mcp.instances.discovery-equal",
    reason_code="INSTANCES_DIFFER",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_TWO, _TWO_LEGACY, _ALONE, examples.healthy(transport="stdio")],
    rejects=[
        examples.edited(
            _TWO, f"{probes.INSTANCE}1:discover", lambda r: r["capabilities"].update(prompts={})
        ),
        examples.refusing(_TWO, f"{probes.INSTANCE}1:discover", -32601, status=404),
    ],
)
@needs_the_server
def discovery_equal(transcript: Transcript) -> Iterator[Said]:
    """Every instance names the same versions, capabilities and instructions.

    Why: what a client learns from one answer it uses at whichever instance is asked next. Fix:
    deploy one version and one configuration, or route by version.
    """
    numbers = _numbers(transcript)
    if transcript.revision == LEGACY:
        yield over_http_only(transcript) or NotApplicable("a session stays with its instance")
        return
    if not isinstance(numbers, range):
        yield numbers
        return
    own = _told(transcript, probes.DISCOVER)
    if not isinstance(own, Exchange) or not isinstance(own.result, dict):
        yield own if not isinstance(own, Exchange) else Inconclusive("discovery is refused")
        return
    for number in numbers:
        told = _told(transcript, f"{probes.INSTANCE}{number}:discover")
        if not isinstance(told, Exchange):
            yield told
            continue
        differing = _members(own, told)
        if differing:
            yield Violation(
                f"instance {number} differs in {', '.join(differing)}",
                path=told.probe,
                pointer="/result",
                seen=_shown(told, differing),
                expected=_shown(own, differing),
            )


def _members(own: Exchange, told: Exchange) -> list[str]:
    if not isinstance(told.result, dict):
        return ["its refusal to tell"]
    return [name for name in _COMPARED if own.result.get(name) != told.result.get(name)]


def _shown(exchange: Exchange, names: list[str]) -> Any:
    if not isinstance(exchange.result, dict):
        return refusal(exchange)
    return {name: cut(exchange.result[name]) for name in names if name in exchange.result}


@check(
    id="mcp.instances.tools-equal",
    reason_code="INSTANCE_TOOLS_DIFFER",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, server/tools, the list does not depend on the connection",
    accepts=[_TWO, _TWO_LEGACY, _ALONE, examples.healthy(transport="stdio")],
    rejects=[
        examples.edited(_TWO, f"{probes.INSTANCE}1:list", lambda r: r["tools"].pop()),
        examples.edited(_TWO_LEGACY, f"{probes.INSTANCE}1:list", lambda r: r["tools"].pop()),
    ],
)
@needs_the_server
def tools_equal(transcript: Transcript) -> Iterator[Said]:
    """Every instance lists the same tools, defined the same way, under the same credentials.

    Why: what was admitted is one list; a call may reach an instance that has another. Fix: deploy
    one version everywhere, and build the list from configuration alone.
    """
    numbers = _numbers(transcript)
    if not isinstance(numbers, range):
        yield numbers
        return
    if numbers and has_no_tools(transcript):
        yield NotApplicable(NO_TOOLS)
        return
    if why := gap_in(transcript.of(probes.TOOLS_LIST)):
        yield Inconclusive(why)
        return
    own = by_name(listed_tools(transcript))
    for number in numbers:
        probe = f"{probes.INSTANCE}{number}:list"
        walk = transcript.of(probe)
        if gap_in(walk):
            yield Inconclusive(f"instance {number}: {gap_in(walk)}")
            continue
        theirs = by_name(tools_in(walk))
        differing = sorted(n for n in own.keys() | theirs.keys() if own.get(n) != theirs.get(n))
        if differing:
            yield Violation(
                f"instance {number} lists other tools",
                path=probe,
                pointer="/result/tools",
                seen=sorted(theirs),
                expected=sorted(own),
                witness={"tools": differing},
            )


@check(
    id="mcp.instances.cursor-portable",
    reason_code="CURSOR_BOUND_TO_INSTANCE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_TWO, _TWO_LEGACY, _ALONE, examples.healthy(transport="stdio")],
    rejects=[
        examples.refusing(_TWO, f"{probes.INSTANCE}1:cursor", -32602, status=400),
        examples.edited(_TWO, f"{probes.INSTANCE}1:cursor", lambda r: r.update(tools=[])),
    ],
)
@needs_the_server
def cursor_portable(transcript: Transcript) -> Iterator[Said]:
    """A cursor that one instance gave is good at every other.

    Why: behind a balancer the next page is asked of whichever instance is free; a walk would end in
    the middle or begin anew. Fix: let the cursor itself say where to go on, or share what it names.
    """
    numbers = _numbers(transcript)
    if transcript.revision == LEGACY:
        yield over_http_only(transcript) or NotApplicable("a session stays with its instance")
        return
    if not isinstance(numbers, range):
        yield numbers
        return
    pages = transcript.of(probes.TOOLS_LIST)
    if len(pages) < 2:
        first = next(iter(pages), None)
        single = first is not None and not unanswered(first)
        yield NotApplicable("the list has one page") if single else not_made(probes.TOOLS_LIST)
        return
    if why := unanswered(pages[1]) or ("" if pages[1].error is None else refusal(pages[1])):
        yield Inconclusive(f"the second page of the target itself cannot be read: {why}")
        return
    for number in numbers:
        told = _told(transcript, f"{probes.INSTANCE}{number}:cursor")
        if not isinstance(told, Exchange):
            yield told
        elif tools_in([told]) != tools_in(pages[1:2]):
            yield Violation(
                f"a cursor of the target is not served by instance {number}",
                path=told.probe,
                seen=sorted(by_name(tools_in([told]))) or refusal(told),
                expected=sorted(by_name(tools_in(pages[1:2]))),
            )
