"""tools/call: do results keep the promises of the list, and is an unknown tool refused?"""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.arguments import valid_arguments
from bundles.mcp.reading import (
    has_no_tools,
    needs_the_server,
    not_made,
    unanswered,
)
from bundles.mcp.schema import (
    LEGACY,
    MOST,
    call_result_problems,
    cut,
    output_schema_problems,
    value_problems,
)
from bundles.mcp.tools import by_name, listed_tools
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_FORECAST = probes.SAFE_CALL + "get_forecast:0"
_SAVE = probes.SAFE_CALL + "save_alert:0"


def tool_of(exchange: Exchange) -> str:
    """The tool a call names."""
    params = exchange.request.get("params")
    return str(params.get("name", "")) if isinstance(params, dict) else ""


def safe_calls(transcript: Transcript) -> Iterator[Exchange | Said]:
    """The safe calls that were answered; for the others, and for none at all, why not."""
    if not transcript.safe_calls:
        yield NotApplicable("no tool is declared safe to call")
        return
    calls = list(transcript.starting(probes.SAFE_CALL))
    called = {tool_of(call) for call in calls}
    for tool in sorted(set(transcript.safe_calls) - called):
        yield Inconclusive(
            f"the run did not call {tool}, which is declared safe{_why_not(transcript, tool)}"
        )
    for call in calls:
        yield Inconclusive(unanswered(call)) if unanswered(call) else call


def calls_with_results(transcript: Transcript) -> Iterator[Exchange | Said]:
    """The safe calls as `safe_calls` says them, and what succeeded at the limits of schemas."""
    yield from safe_calls(transcript)
    yield from (
        call
        for call in transcript.starting(probes.ALLOWED_ARGUMENTS)
        if not unanswered(call) and succeeded(call)
    )


def _why_not(transcript: Transcript, tool: str) -> str:
    """What kept a run from a call that it was to make with arguments of its own, "" if not that."""
    listed = by_name(listed_tools(transcript)).get(tool)
    if listed is None or transcript.safe_calls[tool]:
        return ""
    if valid_arguments(listed.get("inputSchema")) is not None:
        return ""
    return ": no arguments could be made from its inputSchema; name some beside it in safe_tools"


def is_error(call: Exchange) -> bool:
    """True for a result that says the tool failed."""
    return isinstance(call.result, dict) and call.result.get("isError") is True


def succeeded(call: Exchange) -> bool:
    """True for a result of a tool that neither failed nor asks for input first."""
    result = call.result
    return (
        isinstance(result, dict)
        and result.get("isError") is not True
        and result.get("resultType") != "input_required"
    )


def texts_of(result: object) -> list[str]:
    """The texts among the content blocks of a result, in order."""
    content = result.get("content") if isinstance(result, dict) else None
    return [
        block["text"]
        for block in (content if isinstance(content, list) else [])
        if isinstance(block, dict) and isinstance(block.get("text"), str)
    ]


def _unpinned(transcript: Transcript) -> Transcript:
    return ex.knowing(transcript, **{probes.CONTEXT_SNAPSHOT: None})


@check(
    id="mcp.calls.safe-call-served",
    reason_code="SAFE_CALL_REFUSED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, tools/call",
    accepts=[
        _HEALTHY,
        ex.edited(_HEALTHY, _SAVE, lambda r: r.update(isError=True)),
    ],
    rejects=[
        ex.refusing(_HEALTHY, _SAVE, -32600, status=400),
        _unpinned(ex.relisting(_HEALTHY, lambda tools: tools.pop())),
        _unpinned(ex.toolless(_HEALTHY)),
    ],
)
@needs_the_server
def safe_call_served(transcript: Transcript) -> Iterator[Said]:
    """A tool that is listed and declared safe can be called.

    Why: a tool that is only ever refused with a protocol error is listed, not offered; one that is
    served and not listed escapes every check of the list. Fix: list the tool, serve the call,
    report what goes wrong inside the tool as a result with isError, or correct the bundle.
    """
    yield from _not_listed(transcript)
    for call in safe_calls(transcript):
        if not isinstance(call, Exchange):
            yield call
        elif call.error is not None:
            yield Violation(
                f"the call of {tool_of(call)} with declared arguments is a protocol error",
                path=call.probe,
                pointer="/error",
                seen=cut(dict(call.error)),
                expected="a result",
            )


def _not_listed(transcript: Transcript) -> Iterator[Said]:
    """Only where no snapshot says which tools there are, and the list came or the server says that
    it has none: else others say it.
    """
    pages = transcript.of(probes.TOOLS_LIST)
    pinned = transcript.context.get(probes.CONTEXT_SNAPSHOT) is not None
    came = bool(pages) and all(isinstance(page.result, dict) for page in pages)
    if pinned or not (came or has_no_tools(transcript)):
        return
    listed = by_name(listed_tools(transcript))
    for tool in sorted(set(transcript.safe_calls) - listed.keys()):
        yield Violation(
            f"{tool} is declared safe to call and is not listed",
            path=probes.TOOLS_LIST,
            pointer="/result/tools",
            seen=sorted(listed)[:MOST],
            expected=tool,
        )


@check(
    id="mcp.calls.result-schema-valid",
    reason_code="CALL_RESULT_SCHEMA_INVALID",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, schema CallToolResult",
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        ex.edited(_HEALTHY, _SAVE, lambda r: r.update(structuredContent=None)),
    ],
    rejects=[
        ex.edited(_HEALTHY, _SAVE, lambda r: r.pop("content")),
        ex.edited(_HEALTHY, _SAVE, lambda r: r.update(isError="false")),
        ex.edited(_HEALTHY_LEGACY, _SAVE, lambda r: r.update(structuredContent=None)),
    ],
)
@needs_the_server
def result_schema_valid(transcript: Transcript) -> Iterator[Said]:
    """The result of a tool call has the shape its revision prescribes.

    Why: a client that cannot read the result treats the call as failed though its effects stand.
    Fix: always send content, as a list of typed blocks, and resultType since 2026-07-28.
    """
    for call in calls_with_results(transcript):
        if not isinstance(call, Exchange):
            yield call
        elif isinstance(call.result, dict) and call.result.get("resultType") == "input_required":
            yield Inconclusive(f"{call.probe}: the tool asks for input before it answers")
        elif call.error is None:
            for problem in call_result_problems(call.result, transcript.revision):
                yield Violation(
                    f"result of {tool_of(call)}: {problem.message}",
                    path=call.probe,
                    pointer=f"/result{problem.pointer}",
                    seen=problem.seen,
                )


def _with_output_schema(
    transcript: Transcript,
) -> Iterator[tuple[Exchange, dict[str, object], dict[str, object]] | Said]:
    """Successful safe calls of tools with a usable outputSchema: call, result, schema."""
    declared = {
        name: tool["outputSchema"]
        for name, tool in by_name(listed_tools(transcript)).items()
        if isinstance(tool.get("outputSchema"), dict)
        and not output_schema_problems(tool["outputSchema"], transcript.revision)
    }
    relevant = False
    for call in calls_with_results(transcript):
        if not isinstance(call, Exchange):
            yield call
            continue
        name = tool_of(call)
        if name not in declared:
            continue
        relevant = True
        result = call.result
        if not isinstance(result, dict):
            yield Inconclusive(f"{call.probe}: no result to look into")
        elif result.get("isError") is True:
            yield Inconclusive(f"{call.probe}: the tool failed, so its output stays unproven")
        elif result.get("resultType") == "input_required":
            yield Inconclusive(f"{call.probe}: the tool asks for input before it answers")
        else:
            yield call, result, declared[name]
    if not relevant:
        yield NotApplicable("no tool with an outputSchema is declared safe to call")


@check(
    id="mcp.calls.structured-content-present",
    reason_code="STRUCTURED_CONTENT_MISSING",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, server/tools, output schema",
    accepts=[_HEALTHY],
    rejects=[ex.edited(_HEALTHY, _FORECAST, lambda r: r.pop("structuredContent"))],
)
@needs_the_server
def structured_content_present(transcript: Transcript) -> Iterator[Said]:
    """A successful result of a tool with an outputSchema carries structuredContent.

    Why: the schema promises machine-readable output, and clients refuse results without it. Fix:
    return the object the schema describes, or drop the outputSchema.
    """
    for found in _with_output_schema(transcript):
        if not isinstance(found, tuple):
            yield found
        elif "structuredContent" not in found[1]:
            yield Violation(
                f"{tool_of(found[0])} declares an outputSchema and returns no structuredContent",
                path=found[0].probe,
                pointer="/result",
                seen=sorted(found[1]),
                expected="structuredContent",
            )


@check(
    id="mcp.calls.structured-content-valid",
    reason_code="STRUCTURED_CONTENT_MISMATCH",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, server/tools, output schema",
    accepts=[_HEALTHY],
    rejects=[
        ex.edited(
            _HEALTHY,
            _FORECAST,
            lambda r: r.update(structuredContent={"degrees": 4}, content=ex.text('{"degrees": 4}')),
        ),
    ],
)
@needs_the_server
def structured_content_valid(transcript: Transcript) -> Iterator[Said]:
    """StructuredContent matches the outputSchema the server lists for the tool.

    Why: consumers are generated from the schema; a renamed or retyped field breaks them at run
    time. Fix: return what the schema says, or change the schema as a new contract version.
    """
    for found in _with_output_schema(transcript):
        if not isinstance(found, tuple):
            yield found
            continue
        call, result, schema = found
        if "structuredContent" not in result:
            continue
        content = result["structuredContent"]
        for problem in value_problems(schema, content):
            yield Violation(
                f"{tool_of(call)} breaks its own outputSchema: {problem.message}",
                path=call.probe,
                pointer=f"/result/structuredContent{problem.pointer}",
                seen=cut(content),
            )


@check(
    id="mcp.calls.unknown-tool-refused",
    reason_code="UNKNOWN_TOOL_SUCCEEDED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, server/tools, error handling",
    accepts=[
        _HEALTHY,
        ex.answering(_HEALTHY, probes.UNKNOWN_TOOL, {"result": {"content": [], "isError": True}}),
    ],
    rejects=[ex.answering(_HEALTHY, probes.UNKNOWN_TOOL, {"result": {"content": []}}, status=200)],
)
@needs_the_server
def unknown_tool_refused(transcript: Transcript) -> Iterator[Said]:
    """A call of a tool that does not exist does not succeed.

    Why: an error dressed as success makes a caller believe that something was done. Fix: answer
    -32602, or at least a result with isError.
    """
    call = next(iter(transcript.of(probes.UNKNOWN_TOOL)), None)
    if call is None:
        yield not_made(probes.UNKNOWN_TOOL)
    elif unanswered(call):
        yield Inconclusive(unanswered(call))
    elif call.error is None and not is_error(call):
        yield Violation(
            "a call of a tool that does not exist is answered as a success",
            path=probes.UNKNOWN_TOOL,
            pointer="/result",
            seen=cut(call.result),
            expected="error -32602",
        )


@check(
    id="mcp.calls.unknown-tool-protocol-error",
    reason_code="UNKNOWN_TOOL_ERROR_AS_RESULT",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.POLICY,
    spec="MCP 2026-07-28, server/tools, error handling (prose; SEP-2145 would allow either)",
    accepts=[_HEALTHY],
    rejects=[
        ex.answering(
            _HEALTHY,
            probes.UNKNOWN_TOOL,
            {"result": {"content": [], "isError": True}},
            status=200,
        ),
    ],
)
@needs_the_server
def unknown_tool_protocol_error(transcript: Transcript) -> Iterator[Said]:
    """A call of a tool that does not exist is a protocol error, not a tool's result.

    Why: a model cannot repair a missing tool, a client can. Most servers and both official SDKs
    answer isError, so this warns and policy decides. Fix: answer -32602.
    """
    call = next(iter(transcript.of(probes.UNKNOWN_TOOL)), None)
    if call is None:
        yield not_made(probes.UNKNOWN_TOOL)
    elif unanswered(call):
        yield Inconclusive(unanswered(call))
    elif is_error(call):
        yield Violation(
            "an unknown tool is reported as a result with isError",
            path=probes.UNKNOWN_TOOL,
            pointer="/result/isError",
            seen=True,
            expected="error -32602",
        )
