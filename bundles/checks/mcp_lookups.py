"""Asking for what is not there: a page, a resource, a prompt."""

from collections.abc import Iterator
from typing import Any

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.checks.mcp_tools import NO_TOOLS
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.opening import UNREADABLE, capabilities
from bundles.mcp.reading import has_no_tools, needs_the_server, not_made, refusal, unanswered
from bundles.mcp.schema import LEGACY, MODERN
from bundles.mcp.tools import gap_in
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_LEGACY = ex.healthy(revision=LEGACY)
_NO_SUCH_METHOD = -32601
_REFUSALS = (-32602, -32002)
"""-32602; the code it replaces is of `mcp.protocol.error-codes-defined`."""


@check(
    id="mcp.tools.foreign-cursor-refused",
    reason_code="FOREIGN_CURSOR_SERVED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28 and 2025-11-25, server/utilities/pagination, error handling",
    accepts=[
        _HEALTHY,
        ex.paged(ex.refusing(_HEALTHY, probes.FOREIGN_CURSOR, -32602, status=400)),
        ex.answering(_HEALTHY, probes.FOREIGN_CURSOR, {"result": {"tools": []}}),
    ],
    rejects=[
        ex.paged(_HEALTHY, foreign={"result": ex.cacheable({"tools": []})}),
        ex.paged(_HEALTHY, foreign={"error": {"code": -32603, "message": "no"}}),
    ],
)
@needs_the_server
def foreign_cursor_refused(transcript: Transcript) -> Iterator[Said]:
    """A cursor that the server never gave is refused with -32602.

    Why: page one in answer to a cursor that is lost sends a client around for ever. Fix: answer
    -32602 to a cursor that is not your own.
    """
    pages = transcript.of(probes.TOOLS_LIST)
    asked = next(iter(transcript.of(probes.FOREIGN_CURSOR)), None)
    if has_no_tools(transcript):
        yield NotApplicable(NO_TOOLS)
    elif len(pages) == 1 and unanswered(pages[0]):
        yield Inconclusive(unanswered(pages[0]))
    elif len(pages) < 2:
        yield NotApplicable("the server gives no cursors: its list has one page")
    elif why := gap_in(pages):
        yield Inconclusive(why)
    else:
        yield from _refused(asked, probes.FOREIGN_CURSOR, "a cursor that no page named")


@check(
    id="mcp.resources.unknown-refused",
    reason_code="UNKNOWN_RESOURCE_NOT_REFUSED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, server/resources, error handling (SEP-2164)",
    accepts=[_HEALTHY, ex.offering(_HEALTHY)],
    rejects=[
        ex.answering(
            ex.offering(_HEALTHY),
            probes.UNKNOWN_RESOURCE,
            {"result": ex.cacheable({"contents": []})},
            status=200,
        ),
        ex.refusing(ex.offering(_HEALTHY), probes.UNKNOWN_RESOURCE, -32603, status=400),
    ],
)
@needs_the_server
def unknown_resource_refused(transcript: Transcript) -> Iterator[Said]:
    """A resource that does not exist is refused with -32602, and never read as empty.

    Why: an empty answer says that there is a resource, and nothing in it. Fix: answer -32602.
    """
    asked = next(iter(transcript.of(probes.UNKNOWN_RESOURCE)), None)
    if transcript.revision != MODERN:
        yield NotApplicable("the code is prescribed since 2026-07-28")
    elif (said := _without(transcript, "resources")) is not None:
        yield said
    else:
        yield from _refused(asked, probes.UNKNOWN_RESOURCE, "a resource that does not exist")


@check(
    id="mcp.prompts.unknown-refused",
    reason_code="UNKNOWN_PROMPT_NOT_REFUSED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28 and 2025-11-25, server/prompts, error handling",
    accepts=[_HEALTHY, ex.offering(_HEALTHY), ex.offering(_LEGACY)],
    rejects=[
        ex.refusing(ex.offering(_HEALTHY), probes.UNKNOWN_PROMPT, -32603, status=400),
        ex.answering(
            ex.offering(_LEGACY), probes.UNKNOWN_PROMPT, {"result": {"messages": []}}, status=200
        ),
    ],
)
@needs_the_server
def unknown_prompt_refused(transcript: Transcript) -> Iterator[Said]:
    """A prompt that does not exist is refused with -32602.

    Why: an internal error tells a client to try again. Fix: answer -32602.
    """
    if (said := _without(transcript, "prompts")) is not None:
        yield said
        return
    asked = next(iter(transcript.of(probes.UNKNOWN_PROMPT)), None)
    yield from _refused(asked, probes.UNKNOWN_PROMPT, "a prompt that does not exist")


@check(
    id="mcp.prompts.missing-argument-refused",
    reason_code="PROMPT_ARGUMENT_NOT_CHECKED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28 and 2025-11-25, server/prompts, error handling",
    accepts=[_HEALTHY, ex.offering(_HEALTHY), ex.offering(_LEGACY)],
    rejects=[
        ex.refusing(ex.offering(_HEALTHY), probes.PROMPT_WITHOUT_ARGUMENTS, -32603, status=400),
        ex.answering(
            ex.offering(_LEGACY),
            probes.PROMPT_WITHOUT_ARGUMENTS,
            {"result": {"messages": []}},
            status=200,
        ),
    ],
)
@needs_the_server
def missing_argument_refused(transcript: Transcript) -> Iterator[Said]:
    """A prompt without an argument that it requires is refused with -32602.

    Why: a prompt made without it says something else than its author meant. Fix: compare the
    arguments with those that are listed as required, and answer -32602.
    """
    if (said := _without(transcript, "prompts")) is not None:
        yield said
        return
    asked = next(iter(transcript.of(probes.PROMPT_WITHOUT_ARGUMENTS)), None)
    page = next(iter(transcript.of(f"{probes.LISTED}prompts")), None)
    if page is None:
        yield not_made(f"{probes.LISTED}prompts")
        return
    if why := unanswered(page):
        yield Inconclusive(why)
        return
    if asked is None and not _requires_arguments(page.result):
        yield NotApplicable("no prompt of the first page requires an argument")
        return
    yield from _refused(asked, probes.PROMPT_WITHOUT_ARGUMENTS, "a prompt without its arguments")


def _requires_arguments(page: Any) -> bool:
    """Whether a prompt that a page lists has a required argument."""
    listed = page.get("prompts") if isinstance(page, dict) else None
    prompts = [p for p in listed if isinstance(p, dict)] if isinstance(listed, list) else []
    named = [p["arguments"] for p in prompts if isinstance(p.get("arguments"), list)]
    return any(isinstance(a, dict) and a.get("required") is True for one in named for a in one)


def _without(transcript: Transcript, kind: str) -> Said | None:
    """Why nothing can be asked about prompts or resources, None where it can.

    A list that is declared and refused is of `mcp.discovery.capabilities-true`; a server with an
    empty list of prompts has none to mistake, while resources may be there unlisted.
    """
    declared = capabilities(transcript)
    if declared is None:
        return UNREADABLE
    if kind not in declared:
        return NotApplicable(f"the server declares no {kind}")
    page = next(iter(transcript.of(probes.LISTED + kind)), None)
    if page is not None and page.error is not None and not unanswered(page):
        return Inconclusive(f"the server declares {kind} and refuses to list them")
    listed = page.result.get(kind) if page and isinstance(page.result, dict) else None
    if kind == "prompts" and listed == []:
        return NotApplicable("the server lists no prompts")
    return None


def _refused(asked: Exchange | None, probe: str, what: str) -> Iterator[Said]:
    if asked is None:
        yield not_made(probe)
    elif unanswered(asked):
        yield Inconclusive(unanswered(asked))
    elif asked.error is not None and asked.error.get("code") == _NO_SUCH_METHOD:
        yield NotApplicable(f"the server has no {asked.request.get('method')}")
    elif asked.error is None or asked.error.get("code") not in _REFUSALS:
        yield Violation(
            f"{what} is {'served' if asked.error is None else 'refused with another code'}",
            path=probe,
            pointer="/result" if asked.error is None else "/error/code",
            seen=refusal(asked),
            expected="error -32602",
        )
