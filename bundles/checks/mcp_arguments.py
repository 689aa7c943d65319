"""tools/call with derived arguments: wrong ones are refused, those at the limits are served."""

import re
from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.checks.mcp_calls import is_error, texts_of, tool_of
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.arguments import valid_arguments
from bundles.mcp.derived import ALLOWED, REFUSED, derived_arguments, kind_of
from bundles.mcp.disguise import says_failure
from bundles.mcp.reading import (
    needs_the_server,
    not_made,
    refusal,
    unanswered,
    unreached,
)
from bundles.mcp.schema import cut
from bundles.mcp.tools import by_name, listed_tools
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_MISSING = f"{probes.INVALID_ARGUMENTS}get_forecast:missing"
_EXTRA = f"{probes.INVALID_ARGUMENTS}get_forecast:extra"
_DEEP = f"{probes.INVALID_ARGUMENTS}get_forecast:deep"
_SHORTEST = f"{probes.ALLOWED_ARGUMENTS}get_forecast:shortest"
_BEFORE_THE_TOOL = ("deep", "long")
"""Kinds that a server may refuse before it knows what is called."""

_VALIDATOR = re.compile(
    r"""\d+\svalidation\serrors?\sfor\b                   # pydantic
    | \bInput\svalidation\serror\b | \bInvalid\sarguments\sfor\stool\b   # SDKs
    | "code":\s*"(?:invalid_type|too_small|too_big|invalid_string|invalid_enum_value
        |unrecognized_keys|invalid_value|invalid_format)"                # zod
    | \bmust\sNOT\shave\s(?:more|fewer|additional)\b | \bmust\smatch\spattern\b   # ajv
    | \bmust\sbe\sequal\sto\sone\sof\sthe\sallowed\svalues\b
    | \bis\snot\svalid\sunder\sany\sof\sthe\sgiven\sschemas\b                # jsonschema
    | \bis\snot\sof\stype\s'
    """,
    re.VERBOSE,
)
"""How the validators in common use word a refusal. Other words may be the tool's own business."""


@check(
    id="mcp.calls.invalid-arguments-as-tool-error",
    reason_code="INVALID_ARGUMENTS_AS_PROTOCOL_ERROR",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec="MCP 2025-11-25, server/tools, error handling (SEP-1303)",
    accepts=[_HEALTHY, ex.refusing(_HEALTHY, _DEEP, -32700, status=400)],
    rejects=[
        ex.refusing(_HEALTHY, _MISSING, -32602, status=400),
        ex.refusing(_HEALTHY, _EXTRA, -32602, status=400),
    ],
)
@needs_the_server
def invalid_arguments_as_tool_error(transcript: Transcript) -> Iterator[Said]:
    """Arguments that the inputSchema refuses come back as a result with isError.

    Why: a model sees a tool's result and can correct itself; it never sees a protocol error. Fix:
    validate arguments inside the tool call and return isError with the reason. What is too deep or
    too long may be refused before it reaches a tool.
    """
    for call in _wrong_calls(transcript):
        if not isinstance(call, Exchange):
            yield call
        elif kind_of(call.probe) in _BEFORE_THE_TOOL and call.error is not None:
            continue
        elif unanswered(call):
            yield Inconclusive(unanswered(call))
        elif call.error is not None:
            yield Violation(
                f"arguments for {tool_of(call)} are refused with a protocol error: {_why(call)}",
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
    accepts=[_HEALTHY, ex.refusing(_HEALTHY, _MISSING, -32602, status=400)],
    rejects=[
        ex.edited(_HEALTHY, _MISSING, lambda r: r.update(content=ex.text("done"), isError=False)),
        ex.edited(_HEALTHY, _DEEP, lambda r: r.update(content=ex.text("done"), isError=False)),
    ],
)
@needs_the_server
def invalid_arguments_refused(transcript: Transcript) -> Iterator[Said]:
    """Arguments that the inputSchema refuses are refused by the tool.

    Why: an unvalidated argument reaches files, queries and shells. Fix: validate against the
    inputSchema before anything is done.
    """
    yield from _accepted(transcript, extra=False)


@check(
    id="mcp.calls.undeclared-arguments-refused",
    reason_code="UNDECLARED_ARGUMENT_ACCEPTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.BEHAVIOR,
    severity=Severity.POLICY,
    spec="MCP 2026-07-28, server/tools, input schema; JSON Schema additionalProperties",
    accepts=[_HEALTHY, ex.refusing(_HEALTHY, _EXTRA, -32602, status=400)],
    rejects=[
        ex.edited(_HEALTHY, _EXTRA, lambda r: r.update(content=ex.text("done"), isError=False))
    ],
)
@needs_the_server
def undeclared_arguments_refused(transcript: Transcript) -> Iterator[Said]:
    """A member that the inputSchema forbids is refused, not dropped.

    Why: a misspelt option that is silently ignored changes what a call does. Validators in common
    use drop such members, so this warns and policy decides. Fix: validate strictly, or allow the
    members in the schema.
    """
    yield from _accepted(transcript, extra=True)


def _accepted(transcript: Transcript, *, extra: bool) -> Iterator[Said]:
    """Wrong calls that succeed; a success that says it failed is of
    `mcp.calls.failure-not-disguised`.
    """
    relevant = 0
    for call in _wrong_calls(transcript):
        if not isinstance(call, Exchange):
            relevant += 1
            yield call
            continue
        if (kind_of(call.probe) == "extra") is not extra:
            continue
        relevant += 1
        if unreached(call):
            yield Inconclusive(unreached(call))
        elif call.message is None:
            # a refusal before anything reads the message needs none
            if not 400 <= (call.status or 0) < 500:
                yield Inconclusive(unanswered(call))
        elif call.error is None and not is_error(call):
            if says_failure(call.result):
                continue
            yield Violation(
                f"{tool_of(call)} accepts arguments that its inputSchema refuses: {_why(call)}",
                path=call.probe,
                pointer="/result",
                seen=_arguments_of(call),
                expected="a result with isError: true",
            )
    if not relevant:
        forbids = "forbids members" if extra else "refuses anything else"
        yield NotApplicable(f"no safe tool has an inputSchema that {forbids}")


@check(
    id="mcp.calls.allowed-arguments-served",
    reason_code="ALLOWED_ARGUMENTS_REFUSED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.SCHEMA,
    severity=Severity.POLICY,
    spec="MCP 2026-07-28 and 2025-11-25, server/tools: inputSchema defines the expected parameters",
    accepts=[
        _HEALTHY,
        ex.edited(
            _HEALTHY, _SHORTEST, lambda r: r.update(content=ex.text("no such city"), isError=True)
        ),
    ],
    rejects=[
        ex.refusing(_HEALTHY, _SHORTEST, -32602, status=400),
        ex.edited(
            _HEALTHY,
            _SHORTEST,
            lambda r: r.update(content=ex.text("1 validation error for Forecast"), isError=True),
        ),
    ],
)
@needs_the_server
def allowed_arguments_served(transcript: Transcript) -> Iterator[Said]:
    """Arguments at the limits of what the inputSchema allows are not refused as invalid.

    Why: whoever calls knows the schema alone; a rule that is not in it cannot be kept. What goes
    wrong in the tool with allowed arguments is its business and says nothing here. Fix: write the
    rule into the schema, or accept what the schema accepts.
    """
    calls = list(transcript.starting(probes.ALLOWED_ARGUMENTS))
    if not calls:
        yield _no_allowed_arguments(transcript)
    for call in calls:
        if unanswered(call):
            yield Inconclusive(unanswered(call))
        elif call.error is not None and call.error.get("code") != -32602:
            yield Inconclusive(f"{call.probe}: {refusal(call)} says nothing about the arguments")
        elif call.error is not None or _is_refused_by_a_validator(call):
            yield Violation(
                f"{tool_of(call)} refuses as invalid what its inputSchema allows:"
                f" a call that {ALLOWED.get(kind_of(call.probe), 'is valid')}",
                path=call.probe,
                pointer="/error" if call.error is not None else "/result/content",
                seen=_arguments_of(call),
                expected="the call is served, or fails for a reason of the tool's own",
                witness={"tool": tool_of(call), "arguments": _arguments_of(call)},
            )


def _is_refused_by_a_validator(call: Exchange) -> bool:
    return is_error(call) and any(map(_VALIDATOR.search, texts_of(call.result)))


def _no_allowed_arguments(transcript: Transcript) -> Said:
    """Why no call at the limits of a schema was made."""
    if not transcript.safe_calls:
        return NotApplicable("no tool is declared safe to call")
    anything = [name for name, given in transcript.safe_calls.items() if not given]
    if not anything:
        return NotApplicable("every safe tool is called with the arguments named, and no others")
    tools = by_name(listed_tools(transcript))
    for name in anything:
        schema = tools.get(name, {}).get("inputSchema")
        valid = valid_arguments(schema)
        if valid is not None and derived_arguments(schema, valid).allowed:
            return not_made(probes.ALLOWED_ARGUMENTS)
    return NotApplicable("no tool that is safe with any arguments has an inputSchema with limits")


def _wrong_calls(transcript: Transcript) -> Iterator[Exchange | Said]:
    calls = list(transcript.starting(probes.INVALID_ARGUMENTS))
    if not calls:
        yield no_invalid_arguments(transcript)
    yield from calls


def no_invalid_arguments(transcript: Transcript) -> Said:
    """Why no call with wrong arguments was made."""
    if not transcript.safe_calls:
        return NotApplicable("no tool is declared safe to call")
    tools = by_name(listed_tools(transcript))
    for name, given in transcript.safe_calls.items():
        schema = tools.get(name, {}).get("inputSchema")
        valid = given[0] if given else valid_arguments(schema)
        if valid is not None and derived_arguments(schema, valid).refused:
            return not_made(probes.INVALID_ARGUMENTS)
    return NotApplicable("no safe tool has an inputSchema that refuses anything")


def _why(call: Exchange) -> str:
    """Why the schema refuses the arguments of a call."""
    return f"the call {REFUSED.get(kind_of(call.probe), 'is wrong')}"


def _arguments_of(call: Exchange) -> object:
    params = call.request.get("params")
    return cut(params.get("arguments")) if isinstance(params, dict) else None
