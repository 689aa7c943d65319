"""The bundle's own suites: what the producer promised of concrete calls, checked on the server."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bundles.check import Inconclusive, Said, Subject, Violation, check
from bundles.mcp.probes import CONTEXT_SUITES
from bundles.suite.judge import judge_suite, probe_id
from bundles.suite.outcomes import AssertionOutcome, CaseOutcome, CaseStatus
from bundles.suite.recorded import none_to_judge, suites_of
from bundles.transcript import Exchange, Failure, Transcript
from bundles.verdict import Layer, Severity, Stage

_SPEC = "suite format, versions 1 and 2"

_DOCUMENT: Mapping[str, Any] = {
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


def _transcript(
    *exchanges: Exchange, suites: Iterable[Mapping[str, Any]] = (_DOCUMENT,)
) -> Transcript:
    return Transcript(
        stage="conformance",
        profile="default",
        revision="2026-07-28",
        transport="http",
        target="example",
        context={CONTEXT_SUITES: list(suites)},
        exchanges=exchanges,
    )


def _answer(message: Mapping[str, Any] | None, failure: Failure | None = None) -> Exchange:
    request = {"method": "tools/call", "id": 1}
    return Exchange("suite:weather:oslo", 0, request, message=message, failure=failure)


_GOOD = _transcript(
    _answer({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "sunny"}]}})
)
_FAILED = _transcript(
    _answer({"jsonrpc": "2.0", "id": 1, "result": {"content": [], "isError": True}})
)
_REFUSED = _transcript(
    _answer({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "unknown"}})
)


def _cases(transcript: Transcript) -> Iterator[tuple[str, CaseOutcome] | Said]:
    """Every case with the id of its suite, or what there is to say instead."""
    suites = list(suites_of(transcript))
    if nothing := none_to_judge(suites, transcript):
        yield nothing
    for suite in suites:
        if isinstance(suite, Inconclusive):
            yield suite
        else:
            report = judge_suite(suite, transcript.exchanges)
            yield from ((suite.id, case) for case in report.cases)


@check(
    id="mcp.suite.cases-pass",
    reason_code="SUITE_CASE_FAILED",
    subject=Subject.TRANSCRIPT,
    stages=(Stage.CONFORMANCE,),
    layer=Layer.BEHAVIOR,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=(_GOOD, _transcript(suites=())),
    rejects=(_FAILED,),
)
def cases_pass(transcript: Transcript) -> Iterator[Said]:
    """Every case of the bundle's suites passes: each assertion holds for what the server answered.

    Why: a suite is the part of the contract that names concrete calls and their results.
    Fix: make the server answer as the case says, or publish a new contract version whose suite
    says what the server does.
    """
    for item in _cases(transcript):
        if not isinstance(item, tuple):
            yield item
            continue
        suite, case = item
        if case.status is CaseStatus.FAILED:
            first = case.failures[0]
            yield Violation(
                f"suite {suite}, case {case.id}: {first.type}: {_sentence(case)}",
                path=probe_id(suite, case.id),
                seen=[_seen(failure) for failure in case.failures],
                expected=case.name,
                next_step=f"call the tool as case {case.id} of suite {suite} does, and compare",
            )
        elif case.status is not CaseStatus.PASSED:
            yield Inconclusive(f"suite {suite}, case {case.id}: {case.operation.why}")


def _seen(failure: AssertionOutcome) -> dict[str, Any]:
    """A failure without what can be long: all names of a tool list. Its message has the first."""
    shown = failure.to_dict()
    if isinstance(shown.get("actual"), list):
        del shown["actual"]
    return shown


def _sentence(case: CaseOutcome) -> str:
    first = case.failures[0]
    details = [violation["message"] for violation in first.violations] or list(first.notes)
    return f"{first.message}; {details[0]}" if details else first.message


@check(
    id="mcp.suite.calls-complete",
    reason_code="SUITE_CALL_FAILED",
    subject=Subject.TRANSCRIPT,
    stages=(Stage.CONFORMANCE,),
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=(_GOOD, _FAILED, _transcript(suites=())),
    rejects=(_REFUSED,),
)
def calls_complete(transcript: Transcript) -> Iterator[Said]:
    """Every call a suite makes gets a result; a JSON-RPC error is no result, not even an error one.

    Why: a suite asks for results, and for tool errors through isError. A protocol error means that
    the tool is gone, or that the server refuses the call before the tool sees it. A version-2 case
    that expects one says so with protocolError.
    Fix: answer with a tool result; report failures of the tool with isError.
    """
    for item in _cases(transcript):
        if not isinstance(item, tuple):
            yield item
            continue
        suite, case = item
        where = f"suite {suite}, case {case.id}"
        if case.operation.status == "completed":
            continue
        if case.operation.certain:
            yield Violation(
                f"{where}: {case.operation.why}",
                path=probe_id(suite, case.id),
                seen=case.operation.error,
                expected="a result",
                next_step="answer the call with a result, with isError where the tool failed",
            )
        else:
            yield Inconclusive(f"{where}: {case.operation.why}")
