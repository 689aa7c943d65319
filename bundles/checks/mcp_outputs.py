"""What results say twice: text and structure agree, keys are filled, failures are called so."""

import json
import re
from collections.abc import Iterator
from typing import Any

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.checks.mcp_calls import calls_with_results, is_error, succeeded, texts_of, tool_of
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.disguise import says_failure
from bundles.mcp.reading import needs_the_server, unanswered, unreached
from bundles.mcp.schema import cut, output_schema_problems, value_problems
from bundles.mcp.tools import by_name, listed_tools
from bundles.suite.schema import equal
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_FORECAST = f"{probes.SAFE_CALL}get_forecast:0"
_SAVE = f"{probes.SAFE_CALL}save_alert:0"
_EXTRA = f"{probes.INVALID_ARGUMENTS}get_forecast:extra"
_STAGES = (Stage.CONFORMANCE,)
_BOTH_STAGES = (Stage.SECURITY, Stage.CONFORMANCE)  # the first makes more calls that fail
_KEY = re.compile(r"(?:.*[_-])?(?:id|key|uuid)|.*[a-z0-9](?:Id|ID|Key|Uuid|UUID)|ID|UUID")
"""Names of members that name a thing."""


def _unwrapped(value: object, *texts: str) -> Transcript:
    """A call that gave a value in the member SDKs put around what is no object, and these texts."""
    content = [block for words in texts for block in ex.text(words)]
    given = {"content": content, "structuredContent": {"result": value}}
    return ex.edited(_HEALTHY, _SAVE, lambda r: r.update(given))


def _structured(transcript: Transcript) -> Iterator[tuple[Exchange, Any, list[str]] | Said]:
    """Successful results that carry structuredContent: call, structure, texts."""
    relevant = False
    for call in calls_with_results(transcript):
        if not isinstance(call, Exchange):
            yield call
        elif _is_readable(call):
            relevant = True
            yield call, call.result["structuredContent"], texts_of(call.result)
    if not relevant:
        yield NotApplicable("no successful result carried structuredContent")


def _is_readable(call: Exchange) -> bool:
    """A success with a structure; one without content is of `mcp.calls.result-schema-valid`."""
    return (
        succeeded(call)
        and call.result.get("structuredContent") is not None
        and isinstance(call.result.get("content"), list)
    )


def _agrees(structured: Any, texts: list[str]) -> bool:
    """Whether texts hold the structure: whole, or unwrapped from the one member SDKs put around
    what is no object, lists as one text an element and null as none.
    """
    read = [value for value in map(_parsed, texts) if value is not _NO_JSON]
    if any(equal(value, structured) for value in read):
        return True
    if not isinstance(structured, dict) or list(structured) != ["result"]:
        return isinstance(structured, str) and structured in texts
    inner = structured["result"]
    as_text = isinstance(inner, str) and inner in texts
    return as_text or any(equal(value, inner) for value in read) or _one_a_text(inner, texts)


def _one_a_text(inner: object, texts: list[str]) -> bool:
    """Whether the texts are a list's elements, or nothing for null, as the Python SDK has them."""
    if inner is not None and not isinstance(inner, list):
        return False
    elements = _unrolled(inner)
    return len(elements) == len(texts) and all(
        element == text or equal(_parsed(text), element)
        for element, text in zip(elements, texts, strict=True)
    )


def _unrolled(value: object) -> list[object]:
    """What is in a list, and in the lists in it, in order and without the nulls."""
    elements: list[object] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting.extend(reversed(one))
        elif one is not None:
            elements.append(one)
    return elements


class _NoJson:
    """What a text is that is no JSON."""


_NO_JSON = _NoJson()


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NO_JSON


def _is_container(text: str) -> bool:
    return isinstance(_parsed(text), dict | list)


@check(
    id="mcp.calls.text-agrees-with-structure",
    reason_code="TEXT_CONTRADICTS_STRUCTURE",
    subject=Subject.TRANSCRIPT,
    stages=_STAGES,
    layer=Layer.BEHAVIOR,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28 and 2025-11-25, server/tools, structured content",
    accepts=[
        _HEALTHY,
        ex.edited(_HEALTHY, _FORECAST, lambda r: r.update(content=ex.text('{"celsius": 4.0}'))),
        ex.edited(
            _HEALTHY,
            _SAVE,
            lambda r: r.update(content=ex.text("3"), structuredContent={"result": 3}),
        ),
        _unwrapped([[{"id": 1}], [None, {"id": 2}]], '{"id": 1}', '{"id": 2}'),
    ],
    rejects=[
        ex.edited(_HEALTHY, _FORECAST, lambda r: r.update(content=ex.text('{"celsius": 5}'))),
        _unwrapped([[{"id": 1}], [{"id": 2}]], '{"id": 2}', '{"id": 1}'),
    ],
)
@needs_the_server
def text_agrees_with_structure(transcript: Transcript) -> Iterator[Said]:
    """JSON in the text of a result says what its structuredContent says.

    Why: some clients show the text to the model, others the structure; one answer must not be two.
    Fix: make the text from the structure.
    """
    for found in _structured(transcript):
        if not isinstance(found, tuple):
            yield found
            continue
        call, structured, texts = found
        if any(map(_is_container, texts)) and not _agrees(structured, texts):
            told = next(text for text in texts if _is_container(text))
            yield Violation(
                f"the text of {tool_of(call)} contradicts its structuredContent",
                path=call.probe,
                pointer="/result/content",
                seen=cut(told),
                expected=cut(structured),
            )


@check(
    id="mcp.calls.structure-repeated-in-text",
    reason_code="STRUCTURE_NOT_IN_TEXT",
    subject=Subject.TRANSCRIPT,
    stages=_STAGES,
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28 and 2025-11-25, server/tools, structured content: serialized in a text",
    accepts=[
        _HEALTHY,
        _unwrapped(None),
        _unwrapped([]),
        _unwrapped(["a", None, ["b", 3]], "a", "b", "3"),
    ],
    rejects=[
        ex.edited(_HEALTHY, _FORECAST, lambda r: r.update(content=ex.text("4 degrees"))),
        ex.edited(_HEALTHY, _FORECAST, lambda r: r.update(content=[])),
        _unwrapped("", "done"),
        _unwrapped(None, "done"),
        _unwrapped([["a"], "b"], "a"),
    ],
)
@needs_the_server
def structure_repeated_in_text(transcript: Transcript) -> Iterator[Said]:
    """A result with structuredContent carries the same JSON as a text.

    Why: clients that do not know structuredContent see the content alone. Fix: add a text block
    with the structure as JSON.
    """
    for found in _structured(transcript):
        if not isinstance(found, tuple):
            yield found
            continue
        call, structured, texts = found
        # JSON that says something else is of the check before
        if not any(map(_is_container, texts)) and not _agrees(structured, texts):
            yield Violation(
                f"no text of {tool_of(call)} repeats its structuredContent",
                path=call.probe,
                pointer="/result/content",
                seen=cut(texts[0] if texts else []),
                expected=cut(structured),
            )


@check(
    id="mcp.calls.keys-filled",
    reason_code="BUSINESS_KEY_EMPTY",
    subject=Subject.TRANSCRIPT,
    stages=_STAGES,
    layer=Layer.BEHAVIOR,
    severity=Severity.POLICY,
    spec="MCP 2026-07-28 and 2025-11-25, server/tools, output schema: what is required is there",
    accepts=[
        _HEALTHY,
        ex.promising(_HEALTHY, "get_forecast", "station_id", {"celsius": 4, "station_id": "OSL"}),
    ],
    rejects=[
        ex.promising(_HEALTHY, "get_forecast", "station_id", {"celsius": 4, "station_id": " "}),
    ],
)
@needs_the_server
def keys_filled(transcript: Transcript) -> Iterator[Said]:
    """A required member that names a thing, as an id or a key, is not empty.

    Why: an empty key satisfies the schema, and the next call with it finds nothing or everything.
    Fix: return the key, or fail with isError; minLength in the outputSchema says it to everybody.
    """
    tools = by_name(listed_tools(transcript))
    relevant = False
    for found in _structured(transcript):
        if not isinstance(found, tuple):
            yield found
            continue
        call, structured, _ = found
        for name in _required_keys(tools.get(tool_of(call), {}).get("outputSchema")):
            relevant = True
            value = structured.get(name) if isinstance(structured, dict) else None
            # one that is absent breaks the schema, which others say
            if isinstance(value, str) and not value.strip():
                yield Violation(
                    f"{tool_of(call)} succeeds with an empty {name}",
                    path=call.probe,
                    pointer=f"/result/structuredContent/{name}",
                    seen=value,
                    expected="a key",
                )
    if not relevant:
        yield NotApplicable("no outputSchema of a safe tool requires a member that names a thing")


def _required_keys(schema: object) -> list[str]:
    required = schema.get("required") if isinstance(schema, dict) else None
    names = required if isinstance(required, list) else []
    return [name for name in names if isinstance(name, str) and _KEY.fullmatch(name)]


@check(
    id="mcp.calls.failure-not-disguised",
    reason_code="FAILURE_AS_SUCCESS",
    subject=Subject.TRANSCRIPT,
    stages=_BOTH_STAGES,
    layer=Layer.BEHAVIOR,
    severity=Severity.POLICY,
    spec="MCP 2026-07-28 and 2025-11-25, server/tools, error handling: isError: true",
    accepts=[
        _HEALTHY,
        ex.edited(_HEALTHY, _SAVE, lambda r: r.update(content=ex.text("Error budget: 3 left"))),
    ],
    rejects=[
        ex.edited(_HEALTHY, _SAVE, lambda r: r.update(content=ex.text("Error: no such alert"))),
        ex.edited(
            _HEALTHY,
            _EXTRA,
            lambda r: r.update(content=ex.text('{"error": "unknown option"}'), isError=False),
        ),
    ],
)
@needs_the_server
def failure_not_disguised(transcript: Transcript) -> Iterator[Said]:
    """A result that reports a failure says so with isError.

    Why: a caller that reads isError takes the failure for the answer, and goes on. Fix: set
    isError: true on every result that reports that the tool failed.
    """
    calls = list(_tool_calls(transcript))
    for call in calls:
        if unreached(call):
            yield Inconclusive(unreached(call))
        elif succeeded(call) and says_failure(call.result):
            yield Violation(
                f"{tool_of(call)} reports a failure as a success",
                path=call.probe,
                pointer="/result/isError",
                seen=cut(next(iter(texts_of(call.result)), None)),
                expected="isError: true",
            )
    if not calls and transcript.safe_calls:
        yield Inconclusive("the run called no safe tool")
    elif not calls:
        yield NotApplicable("no tool is declared safe to call")


@check(
    id="mcp.calls.error-structure-valid",
    reason_code="ERROR_STRUCTURE_MISMATCH",
    subject=Subject.TRANSCRIPT,
    stages=_BOTH_STAGES,
    layer=Layer.SCHEMA,
    severity=Severity.POLICY,
    spec="MCP 2026-07-28 and 2025-11-25, server/tools, output schema",
    accepts=[_HEALTHY],
    rejects=[
        ex.edited(_HEALTHY, _EXTRA, lambda r: r.update(structuredContent={"reason": "extra"})),
    ],
)
@needs_the_server
def error_structure_valid(transcript: Transcript) -> Iterator[Said]:
    """A failed result of a tool with an outputSchema carries no structure that breaks it.

    Why: some clients validate every structuredContent and then show the mismatch in place of the
    error. Fix: report what failed as text alone, or let the outputSchema describe it.
    """
    declared = {
        name: tool["outputSchema"]
        for name, tool in by_name(listed_tools(transcript)).items()
        if isinstance(tool.get("outputSchema"), dict)
        and not output_schema_problems(tool["outputSchema"], transcript.revision)
    }
    failed = [call for call in _tool_calls(transcript) if is_error(call) and not unanswered(call)]
    relevant = [call for call in failed if tool_of(call) in declared]
    for call in relevant:
        if call.result.get("structuredContent") is None:
            continue
        for problem in value_problems(declared[tool_of(call)], call.result["structuredContent"]):
            yield Violation(
                f"the failure of {tool_of(call)} breaks its outputSchema: {problem.message}",
                path=call.probe,
                pointer=f"/result/structuredContent{problem.pointer}",
                seen=cut(call.result["structuredContent"]),
                expected="no structuredContent, or one that is valid",
            )
    if not relevant:
        yield NotApplicable("no call of a tool with an outputSchema failed")


def _tool_calls(transcript: Transcript) -> Iterator[Exchange]:
    for prefix in (probes.SAFE_CALL, probes.ALLOWED_ARGUMENTS, probes.INVALID_ARGUMENTS):
        yield from transcript.starting(prefix)
