"""tools/call with wrong arguments: are they refused, and as what?"""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.checks.mcp_calls import is_error, tool_of
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.arguments import invalid_arguments, valid_arguments
from bundles.mcp.reading import (
    needs_the_server,
    not_made,
    refusal,
    unanswered,
    unreached,
)
from bundles.mcp.schema import (
    cut,
)
from bundles.mcp.tools import by_name, listed_tools
from bundles.transcript import Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()


@check(
    id="mcp.calls.invalid-arguments-as-tool-error",
    reason_code="INVALID_ARGUMENTS_AS_PROTOCOL_ERROR",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec="MCP 2025-11-25, server/tools, error handling (SEP-1303)",
    accepts=[_HEALTHY],
    rejects=[
        ex.refusing(_HEALTHY, probes.INVALID_ARGUMENTS + "get_forecast", -32602, status=400),
    ],
)
@needs_the_server
def invalid_arguments_as_tool_error(transcript: Transcript) -> Iterator[Said]:
    """Arguments that the inputSchema refuses come back as a result with isError.

    Why: a model sees a tool's result and can correct itself; it never sees a protocol error. Fix:
    validate arguments inside the tool call and return isError with the reason.
    """
    calls = list(transcript.starting(probes.INVALID_ARGUMENTS))
    if not calls:
        yield no_invalid_arguments(transcript)
    for call in calls:
        if unanswered(call):
            yield Inconclusive(unanswered(call))
        elif call.error is not None:
            yield Violation(
                f"wrong arguments for {tool_of(call)} are a protocol error",
                path=call.probe,
                pointer="/error/code",
                seen=refusal(call),
                expected="a result with isError: true",
            )


@check(
    id="mcp.calls.invalid-arguments-refused",
    reason_code="INVALID_ARGUMENTS_ACCEPTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.BEHAVIOR,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, server/tools, security: servers MUST validate inputs",
    accepts=[
        _HEALTHY,
        ex.refusing(_HEALTHY, probes.INVALID_ARGUMENTS + "get_forecast", -32602, status=400),
    ],
    rejects=[
        ex.edited(_HEALTHY, probes.INVALID_ARGUMENTS + "get_forecast", lambda r: r.pop("isError")),
    ],
)
@needs_the_server
def invalid_arguments_refused(transcript: Transcript) -> Iterator[Said]:
    """Arguments that the inputSchema refuses are refused by the tool.

    Why: an unvalidated argument reaches files, queries and shells. Fix: validate against the
    inputSchema before anything is done.
    """
    calls = list(transcript.starting(probes.INVALID_ARGUMENTS))
    if not calls:
        yield no_invalid_arguments(transcript)
    for call in calls:
        if unreached(call):
            yield Inconclusive(unreached(call))
        elif call.message is not None and call.error is None and not is_error(call):
            yield Violation(
                f"{tool_of(call)} accepts arguments that its inputSchema refuses",
                path=call.probe,
                pointer="/result",
                seen=cut(call.request.get("params")),
                expected="a result with isError: true",
            )


def no_invalid_arguments(transcript: Transcript) -> Said:
    """Why no call with wrong arguments was made."""
    if not transcript.safe_calls:
        return NotApplicable("no tool is declared safe to call")
    tools = by_name(listed_tools(transcript))
    for name, given in transcript.safe_calls.items():
        schema = tools.get(name, {}).get("inputSchema")
        valid = given[0] if given else valid_arguments(schema)
        if valid is not None and invalid_arguments(schema, valid) is not None:
            return not_made(probes.INVALID_ARGUMENTS)
    return NotApplicable("no safe tool has an inputSchema that refuses anything")
