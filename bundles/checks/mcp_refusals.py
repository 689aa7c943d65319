"""Calls that are refused: as what, and whether nothing was done all the same."""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, NotVerified, Said, Subject, Violation, check
from bundles.checks.mcp_arguments import no_invalid_arguments
from bundles.checks.mcp_calls import is_error, tool_of
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.header_refusals import HEADER_MISMATCH
from bundles.mcp.reading import needs_the_server, not_made, refusal, unanswered
from bundles.mcp.schema import LEGACY, MOST
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_LEGACY = ex.healthy(revision=LEGACY)
_MISSING = f"{probes.INVALID_ARGUMENTS}get_forecast:missing"
_TEXT = f"{probes.MALFORMED_CALL}arguments-text"
_NO_NAME = f"{probes.MALFORMED_CALL}no-name"
_WROTE = {"alerts/b.json": "sha256:" + "b" * 64}
_CODES = (-32602, -32600)


def _unwatched(transcript: Transcript) -> Transcript:
    for call in list(transcript.starting(probes.INVALID_ARGUMENTS)):
        transcript = ex.changed(transcript, call.probe, observed={})
    return transcript


@check(
    id="mcp.calls.refused-call-does-nothing",
    reason_code="REFUSED_CALL_HAD_EFFECTS",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.BEHAVIOR,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, server/tools, security: servers MUST validate inputs",
    claim="refused-calls",
    accepts=[_HEALTHY, _unwatched(_HEALTHY)],
    rejects=[
        ex.observing(_HEALTHY, _MISSING, {}, _WROTE),
        ex.observing(_HEALTHY, _MISSING, _WROTE, {}),
    ],
)
@needs_the_server
def refused_call_does_nothing(transcript: Transcript) -> Iterator[Said]:
    """A call that is refused for its arguments has changed nothing.

    Why: whoever reads the refusal repeats the call with better arguments, and then it is done
    twice. Fix: validate all arguments before anything is done.
    """
    calls = list(transcript.starting(probes.INVALID_ARGUMENTS))
    if not calls:
        yield no_invalid_arguments(transcript)
        return
    refused = [call for call in calls if is_error(call) or call.error is not None]
    for call in calls:
        if unanswered(call):
            yield Inconclusive(unanswered(call))
        elif call in refused:
            yield from _effects(call)
    if not refused and not any(map(unanswered, calls)):
        yield NotApplicable("no call was refused; see mcp.calls.invalid-arguments-refused")


def _effects(call: Exchange) -> Iterator[Said]:
    if not call.observed:
        yield NotVerified(f"{tool_of(call)} refused a call and no files observer watched it")
    for observer, seen in sorted(call.observed.items()):
        before, after = seen.get("before"), seen.get("after")
        if not isinstance(before, dict) or not isinstance(after, dict):
            why = seen.get("failed", "it recorded no files")
            yield Inconclusive(f"{call.probe}: observer {observer} could not look: {why}")
            continue
        paths = sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p))
        if paths:
            yield Violation(
                f"{tool_of(call)} refused a call and changed {paths[0]}",
                path=call.probe,
                seen=paths[:MOST],
                expected="no effect",
                witness={"tool": tool_of(call), "observer": observer, "path": paths[0]},
            )


@check(
    id="mcp.calls.malformed-call-refused",
    reason_code="MALFORMED_CALL_NOT_REFUSED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.PROTOCOL,
    severity=Severity.POLICY,
    spec="MCP 2026-07-28 and 2025-11-25, server/tools, error handling (prose); schema"
    " CallToolRequestParams",
    accepts=[
        _HEALTHY,
        _LEGACY,
        ex.refusing(_HEALTHY, _NO_NAME, -32020, status=400),
        ex.refusing(_HEALTHY, _TEXT, -32600, status=400),
    ],
    rejects=[
        ex.answering(_HEALTHY, _TEXT, {"result": ex.content("done")}, status=200),
        ex.answering(_LEGACY, _TEXT, {"result": ex.content("no", isError=True)}, status=200),
        ex.refusing(_HEALTHY, _NO_NAME, -32603, status=400),
    ],
)
@needs_the_server
def malformed_call_refused(transcript: Transcript) -> Iterator[Said]:
    """A call without a name, or with arguments that are no object, is a protocol error.

    Why: it is no call, so no tool can have failed, and an internal error tells a client to try
    again. Fix: answer -32602.
    """
    calls = list(transcript.starting(probes.MALFORMED_CALL))
    if not calls:
        yield not_made(probes.MALFORMED_CALL)
    for call in calls:
        if unanswered(call):
            yield Inconclusive(unanswered(call))
            continue
        code = None if call.error is None else call.error.get("code")
        # over HTTP what is missing in the body is missing in the headers made from it, too
        if code in _CODES or (code == HEADER_MISMATCH and transcript.transport == "http"):
            continue
        failed = isinstance(call.result, dict) and call.result.get("isError") is True
        met = "reported as a tool's error" if failed else "served"
        yield Violation(
            f"a malformed call ({call.probe.removeprefix(probes.MALFORMED_CALL)})"
            f" is {met if code is None else 'refused with another code'}",
            path=call.probe,
            pointer="/result" if code is None else "/error/code",
            seen=refusal(call),
            expected="error -32602",
        )
