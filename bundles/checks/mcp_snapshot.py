"""The live tools against the snapshot the bundle pins.

A difference in either direction blocks. A tool that is missing or different breaks consumers of the
contract. A tool the contract does not name was reviewed by nobody, whatever it does: it is admitted
by a bundle that names it, not by a server that offers it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.compat.subjects import never_asked
from bundles.errors import Refused
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import has_no_tools, needs_the_server, not_made, unanswered
from bundles.mcp.schema import MOST
from bundles.mcp.snapshot_diff import diff, renames
from bundles.mcp.tools import Tool, by_name, effective, gap_in, listed_tools, tool_digest
from bundles.transcript import Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_WALKS = (
    probes.TOOLS_LIST,
    *(probes.TOOLS_LIST_AGAIN + n for n in "12"),
    probes.TOOLS_LIST_AFTER,
)


def _listing_less() -> Transcript:
    less = _HEALTHY
    for walk in _WALKS:
        less = ex.edited(less, walk, lambda r: r["tools"].pop())
    return less


def _listing_other_words() -> Transcript:
    other = _HEALTHY
    for walk in _WALKS:
        other = ex.edited(other, walk, lambda r: r["tools"][0].update(description="Now better."))
    return other


def _pinning(tools: Sequence[Tool]) -> Transcript:
    return ex.knowing(_HEALTHY, **{probes.CONTEXT_SNAPSHOT: list(tools)})


def _compared(
    transcript: Transcript,
) -> tuple[dict[str, Tool], dict[str, Tool]] | Said:
    """The pinned and the live tools by name, or why they cannot be compared."""
    pinned = transcript.context.get(probes.CONTEXT_SNAPSHOT)
    if pinned is None:
        return NotApplicable("the bundle has no tool snapshot for this profile")
    pages = transcript.of(probes.TOOLS_LIST)
    if not pages:
        return not_made(probes.TOOLS_LIST)
    if has_no_tools(transcript):
        return by_name(pinned), {}
    for page in pages:
        if why := unanswered(page):
            return Inconclusive(why)
        if page.error is not None:
            return Inconclusive("tools/list was refused, so there is nothing to compare")
    return by_name(pinned), by_name(listed_tools(transcript))


def _told(old: Tool, new: Tool) -> list[dict[str, Any]]:
    """What changed in one tool, and what that means; schemas are not compared by an engine here,
    since a live server's may keep it busy for as long as it likes.
    """
    return [change.to_dict() for change in diff([old], [new], never_asked).changes[:MOST]]


@check(
    id="mcp.snapshot.tools-present",
    reason_code="TOOL_REMOVED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="the bundle's declarations.mcp_tools",
    accepts=[_HEALTHY],
    rejects=[_listing_less(), ex.toolless(_HEALTHY)],
)
@needs_the_server
def tools_present(transcript: Transcript) -> Iterator[Said]:
    """Every tool of the bundle's snapshot is listed by the server.

    Why: consumers of the contract call it. Fix: offer the tool, or publish a contract without it.
    """
    compared = _compared(transcript)
    if not isinstance(compared, tuple):
        yield compared
        return
    pinned, live = compared
    gap = "" if has_no_tools(transcript) else gap_in(transcript.of(probes.TOOLS_LIST))
    if gap and pinned.keys() - live.keys():
        yield Inconclusive(f"a tool that is missing may be further on: {gap}")
        return
    renamed = renames(pinned, live)
    for name in sorted(pinned.keys() - live.keys()):
        to = renamed.get(name)
        told = f"; {to} has its description and schemas, so it was probably renamed" if to else ""
        yield Violation(
            f"tool {name} of the contract is not listed by the server{told}",
            path=probes.TOOLS_LIST,
            pointer="/result/tools",
            seen=sorted(live),
            expected=name,
            witness={"tool": name} | ({"renamed_to": to} if to else {}),
        )


@check(
    id="mcp.snapshot.tools-declared",
    reason_code="TOOL_ADDED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="the bundle's declarations.mcp_tools",
    accepts=[_HEALTHY],
    rejects=[_pinning([ex.FORECAST])],
)
@needs_the_server
def tools_declared(transcript: Transcript) -> Iterator[Said]:
    """Every tool the server lists is in the bundle's snapshot.

    Why: nobody reviewed its description, schema or effects, and a model will call it. Fix: publish
    a contract version whose snapshot holds the tool.
    """
    compared = _compared(transcript)
    if not isinstance(compared, tuple):
        yield compared
        return
    pinned, live = compared
    for name in sorted(live.keys() - pinned.keys()):
        yield Violation(
            f"the server lists tool {name}, which the contract does not name",
            path=probes.TOOLS_LIST,
            pointer="/result/tools",
            seen=name,
            expected=sorted(pinned),
            witness={"tool": name},
        )


@check(
    id="mcp.snapshot.tools-unchanged",
    reason_code="TOOL_CHANGED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="the bundle's declarations.mcp_tools",
    accepts=[_HEALTHY],
    rejects=[_listing_other_words()],
)
@needs_the_server
def tools_unchanged(transcript: Transcript) -> Iterator[Said]:
    """A tool of the snapshot is defined by the server as the bundle pins it, compared by digest.

    Why: description, schemas and annotations are what was reviewed and what models act on. Fix:
    restore the definition, or publish a contract version with the new one.
    """
    compared = _compared(transcript)
    if not isinstance(compared, tuple):
        yield compared
        return
    pinned, live = compared
    for name in sorted(pinned.keys() & live.keys()):
        old, new = effective(pinned[name]), effective(live[name])
        try:
            was, is_now = tool_digest(old), tool_digest(new)
        except Refused as refused:
            yield Inconclusive(f"tool {name} has no digest: {refused.detail}")
            continue
        if was != is_now:
            members = sorted(m for m in old.keys() | new.keys() if old.get(m) != new.get(m))
            yield Violation(
                f"tool {name} differs from the contract in {', '.join(members) or 'its numbers'}",
                path=probes.TOOLS_LIST,
                pointer="/result/tools",
                seen=is_now,
                expected=was,
                witness={"tool": name, "members": members, "changes": _told(old, new)},
            )
