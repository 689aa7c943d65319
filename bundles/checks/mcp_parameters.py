"""Parameters that are mirrored into headers (2026-07-28): declared right, and held to the body?"""

from collections.abc import Iterator, Mapping

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.header_refusals import (
    asked,
    lists_no_tools,
    mismatched,
    must_be_read_alike,
    of_older_era,
)
from bundles.mcp.parameter_headers import annotation_problems, annotations, sounds_secret
from bundles.mcp.reading import needs_the_server
from bundles.mcp.schema import LEGACY
from bundles.mcp.tools import Tool, gap_in, listed_tools
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_OTHERS = [_HEALTHY, ex.healthy(revision=LEGACY), ex.healthy(transport="stdio")]
_SPEC = "MCP 2026-07-28, basic/transports/streamable-http, custom headers from tool parameters"
_CALL = "get_forecast:0"
_ABSENT, _OTHER, _MALFORMED, _ENCODED = (
    f"{probes.PARAMETER}{name}:{_CALL}" for name in ("absent", "other", "malformed", "encoded")
)
_CALLED = {"result": {"content": [], "resultType": "complete"}}


def _with(transcript: Transcript, name: str = "day", **schema: object) -> Transcript:
    """With one more parameter of the first tool."""
    more = {name: schema}
    return ex.relisting(transcript, lambda t: t[0]["inputSchema"]["properties"].update(more))


def _mirroring() -> Transcript:
    """A healthy server with a parameter that is mirrored, and held to the body."""
    made = _with(_HEALTHY, type="string", **{"x-mcp-header": "Day"})
    made = ex.joined(made, _ENCODED, **_CALLED)
    for probe in (_ABSENT, _OTHER, _MALFORMED):
        made = ex.refusing(ex.joined(made, probe, result={}), probe, -32020, status=400)
    return made


_MIRRORING = _mirroring()
_DAY = {"type": "string", "x-mcp-header": "Day"}


@check(
    id="mcp.parameters.annotations-valid",
    reason_code="PARAMETER_ANNOTATION_INVALID",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[
        *_OTHERS,
        _MIRRORING,
        _with(_HEALTHY, type="object", properties={"day": _DAY}),
        _with(_HEALTHY, default={"x-mcp-header": 7}),
    ],
    rejects=[
        _with(_HEALTHY, type="number", **{"x-mcp-header": "Day"}),
        _with(_HEALTHY, type="string", **{"x-mcp-header": ""}),
        _with(_HEALTHY, type="string", **{"x-mcp-header": "Day\r\nX"}),
        _with(_HEALTHY, type="array", items=_DAY),
        _with(_with(_HEALTHY, **_DAY), "last", type="string", **{"x-mcp-header": "DAY"}),
    ],
)
@needs_the_server
def annotations_valid(transcript: Transcript) -> Iterator[Said]:
    """`x-mcp-header` names a header, once in a tool, on a plain parameter that properties lead to.

    Why: a client has to leave out a tool with an annotation it cannot follow, and says so only in
    its log. Fix: annotate integers, strings and booleans, with names that are header names.
    """
    for tool in _mirrored_tools(transcript):
        if not isinstance(tool, Mapping):
            yield tool
            continue
        for problem in annotation_problems(tool.get("inputSchema")):
            yield Violation(
                f"tool {tool.get('name')}: {problem.message}",
                path=probes.TOOLS_LIST,
                pointer=f"/inputSchema{problem.pointer}",
                seen=problem.seen,
            )


@check(
    id="mcp.parameters.secrets-kept",
    reason_code="SECRET_PARAMETER_MIRRORED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.AUTHORIZATION,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28, server/tools, x-mcp-header: security considerations",
    accepts=[*_OTHERS, _MIRRORING, _with(_HEALTHY, "pageToken", **_DAY)],
    rejects=[
        _with(_HEALTHY, "api_key", **_DAY),
        _with(_HEALTHY, "day", type="string", **{"x-mcp-header": "Access-Token"}),
    ],
)
@needs_the_server
def secrets_kept(transcript: Transcript) -> Iterator[Said]:
    """No parameter that reads like a credential is mirrored into a header.

    Why: headers end up in the logs of everything on the way. Fix: take the annotation off it.
    """
    for tool in _mirrored_tools(transcript):
        if not isinstance(tool, Mapping):
            yield tool
            continue
        for found in annotations(tool.get("inputSchema")):
            names = [*(found.names or ())[-1:], str(found.header)]
            if any(map(sounds_secret, names)):
                yield Violation(
                    f"tool {tool.get('name')}: a parameter that reads like a secret is mirrored",
                    path=probes.TOOLS_LIST,
                    pointer=f"/inputSchema{found.pointer}",
                    seen=names,
                )


@check(
    id="mcp.parameters.header-required",
    reason_code="PARAMETER_HEADER_NOT_REQUIRED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[*_OTHERS, _MIRRORING],
    rejects=[
        ex.answering(_MIRRORING, _ABSENT, _CALLED, status=200),
        ex.refusing(_MIRRORING, _ABSENT, -32602, status=400),
    ],
)
@needs_the_server
def header_required(transcript: Transcript) -> Iterator[Said]:
    """A call with a mirrored parameter in its body alone is refused with -32020 and HTTP 400.

    Why: what stands before the server never saw the value it was to decide by. Fix: refuse a call
    whose body has a value that its header has not.
    """
    for call in _calls(transcript, "absent"):
        if isinstance(call, Exchange):
            yield from mismatched(call, "without the header of a mirrored parameter")
        else:
            yield call


@check(
    id="mcp.parameters.header-agrees",
    reason_code="PARAMETER_HEADER_MISMATCH_SERVED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[*_OTHERS, _MIRRORING],
    rejects=[
        ex.answering(_MIRRORING, _OTHER, _CALLED, status=200),
        ex.answering(_MIRRORING, _MALFORMED, _CALLED, status=200),
        ex.refusing(_MIRRORING, _ENCODED, -32020, status=400),
    ],
)
@needs_the_server
def header_agrees(transcript: Transcript) -> Iterator[Said]:
    """The header of a mirrored parameter is read, from base64 too, and refused where it differs.

    Why: what stands before the server decides by one value, and the tool runs with another. Fix:
    decode `=?base64?…?=`, compare with the argument, answer -32020 and HTTP 400.
    """
    for name, what in (("other", "is another"), ("malformed", "holds no base64")):
        for call in _calls(transcript, name):
            if isinstance(call, Exchange):
                yield from mismatched(call, f"where the header of a mirrored parameter {what}")
            else:
                yield call
    for call in _calls(transcript, "encoded"):
        if isinstance(call, Exchange):
            plain = probes.SAFE_CALL + call.probe.removeprefix(f"{probes.PARAMETER}encoded:")
            what = "where the header of a mirrored parameter is in base64"
            yield from must_be_read_alike(transcript, call.probe, plain, what)


def _mirrored_tools(transcript: Transcript) -> Iterator[Tool | Said]:
    """The tools with annotations, and why there are none, or may be others."""
    other = of_older_era(transcript) or lists_no_tools(transcript)
    gap = gap_in(transcript.of(probes.TOOLS_LIST))
    tools = [t for t in listed_tools(transcript) if any(annotations(t.get("inputSchema")))]
    if other:
        yield other
        return
    if gap:
        yield Inconclusive(gap)
    elif not tools:
        yield NotApplicable("no tool has a parameter that is mirrored into a header")
    yield from tools


def _calls(transcript: Transcript, name: str) -> Iterator[Exchange | Said]:
    """The answered calls of one stimulus, and why there are none, or may be others."""
    prefix = f"{probes.PARAMETER}{name}:"
    calls = [asked(transcript, e.probe) for e in transcript.starting(prefix)]
    yield from calls
    mirrored = list(_mirrored_tools(transcript))
    yield from (one for one in mirrored if not isinstance(one, Mapping))
    names = {str(one.get("name")) for one in mirrored if isinstance(one, Mapping)}
    if calls or not names:
        return
    safe = sorted(names & set(transcript.safe_calls))
    if safe:
        yield Inconclusive(
            f"no call of {safe[0]} had a value for a mirrored parameter; name one that is safe"
        )
    else:
        yield NotApplicable("no tool with a mirrored parameter is declared safe to call")
