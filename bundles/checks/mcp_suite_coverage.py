"""What a bundle's coverage policy asks of its suites together, checked on the server."""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp.probes import CONTEXT_COVERAGE, CONTEXT_SUITES, TOOLS_LIST
from bundles.mcp.tools import gap_in, tools_in
from bundles.suite.axes import Coverage, coverage_of
from bundles.suite.determinism import CaseDifference, Conclusion, DifferenceKind
from bundles.suite.judge import probe_id
from bundles.suite.model import Suite
from bundles.suite.recorded import compare_recorded, none_to_judge, suites_of
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_SPEC = "bundle format, coverage"
_SHOWN_AXES = 20

_SUITE: Mapping[str, Any] = {
    "schemaVersion": 1,
    "id": "weather",
    "name": "Weather",
    "cases": [
        {
            "id": "oslo",
            "name": "answers for Oslo",
            "operation": {"type": "callTool", "tool": "get_weather", "input": {"city": "Oslo"}},
            "assertions": [{"type": "isError", "expected": False}],
        }
    ],
}
_TOOL: Mapping[str, Any] = {
    "name": "get_weather",
    "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
}


def _transcript(*answers: str, asked: Mapping[str, Any], **context: Any) -> Transcript:
    """One list of tools, and an answer to the case in each run."""
    probes = ("suite:weather:oslo", "suite-again:weather:oslo")
    listed = Exchange(TOOLS_LIST, 0, {}, message={"id": 0, "result": {"tools": [_TOOL]}})
    results = ({"content": [{"type": "text", "text": answer}]} for answer in answers)
    return Transcript(
        stage="conformance",
        profile="default",
        revision="2026-07-28",
        transport="http",
        target="example",
        context={CONTEXT_SUITES: [_SUITE], CONTEXT_COVERAGE: asked} | context,
        exchanges=(
            listed,
            *(
                Exchange(probe, 0, {}, message={"id": 1, "result": result})
                for probe, result in zip(probes, results, strict=False)
            ),
        ),
    )


_TWICE = {"determinism": "required"}


@check(
    id="mcp.suite.deterministic",
    reason_code="SUITE_NONDETERMINISTIC",
    subject=Subject.TRANSCRIPT,
    stages=(Stage.CONFORMANCE,),
    layer=Layer.BEHAVIOR,
    severity=Severity.POLICY,
    spec=_SPEC,
    accepts=(
        _transcript("sunny", "sunny", asked=_TWICE),
        _transcript("sunny", asked=_TWICE),
        _transcript("sunny", asked={}),
    ),
    rejects=(_transcript("sunny at 1", "sunny at 2", asked=_TWICE),),
)
def deterministic(transcript: Transcript) -> Iterator[Said]:
    """Where the bundle requires determinism, its suites come out the same twice, answers included.

    Why: a suite whose answers depend on time, chance or what an earlier run left fails one day
    without anybody having changed the server, and then nobody believes it.
    Fix: make the answer depend on the input alone, or keep what changes out of what the case calls.
    """
    if transcript.context.get(CONTEXT_COVERAGE, {}).get("determinism") != "required":
        yield NotApplicable("the bundle does not require determinism")
        return
    suites = list(suites_of(transcript))
    if nothing := none_to_judge(suites, transcript):
        yield nothing
        return
    for suite in suites:
        if isinstance(suite, Inconclusive):
            yield suite
            continue
        compared = compare_recorded(suite, transcript)
        for difference in compared.differences:
            yield _violation(suite, difference)
        if compared.conclusion is Conclusion.NOT_COMPARED or compared.why:
            yield Inconclusive(f"suite {suite.id}: {compared.why}")


def _violation(suite: Suite, difference: CaseDifference) -> Violation:
    value = difference.value
    what = {
        DifferenceKind.STATUS: "the status differs",
        DifferenceKind.ASSERTION: f"the outcome of {value.path} differs",
        DifferenceKind.RESPONSE: f"the answer differs at {value.path or 'its presence'}",
    }[difference.kind]
    hint = f" ({difference.hint})" if difference.hint else ""
    return Violation(
        f"suite {suite.id}, case {difference.case_id}: {what}{hint}",
        path=probe_id(suite.id, difference.case_id),
        seen={"first": value.first, "second": value.second},
        expected="the same in both runs",
    )


def _asking(minimum: float) -> Mapping[str, Any]:
    return {"contract_axes": {"minimum": minimum}}


@check(
    id="mcp.suite.axes-covered",
    reason_code="SUITE_COVERAGE_TOO_LOW",
    subject=Subject.TRANSCRIPT,
    stages=(Stage.CONFORMANCE,),
    layer=Layer.BEHAVIOR,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=(_transcript("sunny", asked=_asking(0.5)), _transcript("sunny", asked={})),
    rejects=(_transcript("sunny", asked=_asking(0.6)),),
)
def axes_covered(transcript: Transcript) -> Iterator[Said]:
    """The suites check as much of what the tools declare of their inputs as the bundle asks for.

    Why: a suite of valid calls alone never sees a server that accepts everything.
    Fix: add a case for each rule that is named: input that breaks it, and isError true.
    """
    suites = list(suites_of(transcript))
    if not suites:
        yield NotApplicable("the bundle has no suites")
        return
    unread = [suite for suite in suites if isinstance(suite, Inconclusive)]
    read = [suite for suite in suites if isinstance(suite, Suite)]
    pages = transcript.of(TOOLS_LIST)
    gap = gap_in(pages)
    coverage = coverage_of(read, () if gap else tools_in(pages))
    minimum = transcript.context.get(CONTEXT_COVERAGE, {}).get("contract_axes", {}).get("minimum")
    if minimum is None:
        yield NotApplicable(f"the bundle asks for no coverage; {gap or _counted(coverage)}")
        return
    yield from unread
    if gap:
        yield Inconclusive(f"rules of tools that are not known cannot be counted: {gap}")
    elif coverage.ratio is None:
        yield Inconclusive("no tool that the server lists declares rules that can be read")
    elif coverage.ratio < minimum:
        yield _too_low(coverage, minimum)


def _counted(coverage: Coverage) -> str:
    if coverage.ratio is None:
        return "no tool declares rules that can be read"
    counted = f"the suites check {coverage.covered} of {coverage.total} declared rules"
    left_out = [tool.tool for tool in coverage.unreadable]
    beside = f", {len(left_out)} tool(s) could not be read" if left_out else ""
    return f"{counted} ({coverage.ratio:.0%}){beside}"


def _too_low(coverage: Coverage, minimum: float) -> Violation:
    missing = [f"{tool.tool} {axis}" for tool in coverage.tools for axis in tool.missing]
    more = len(missing) - _SHOWN_AXES
    return Violation(
        f"{_counted(coverage)}, the bundle asks for {minimum:.0%}",
        seen={
            "covered": coverage.covered,
            "total": coverage.total,
            "not_covered": missing[:_SHOWN_AXES] + ([f"and {more} more"] if more > 0 else []),
            "unreadable": {tool.tool: tool.unreadable for tool in coverage.unreadable},
        },
        expected={"minimum": minimum},
    )
