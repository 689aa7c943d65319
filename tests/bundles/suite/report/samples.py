"""Runs of suites to report on, made by judging what a server is said to have answered."""

from typing import Any

from bundles.suite.assertions import judge_case
from bundles.suite.fingerprint import Approval, ApprovedCase
from bundles.suite.judge import SuiteReport
from bundles.suite.model import Case, load_suite
from bundles.suite.outcomes import CaseOutcome, ServerWords, Stopped
from bundles.suite.report import SuiteRun
from bundles.transcript import Exchange, Failure


def written(case_id: str, *assertions: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "id": case_id,
        "name": f"calls {case_id}",
        "operation": {"type": "callTool", "tool": "t", "input": {}},
        "assertions": list(assertions) or [{"type": "isError", "expected": False}],
    } | changes


def case(case_id: str, *assertions: dict[str, Any], **changes: Any) -> Case:
    document = written(case_id, *assertions, **changes)
    suite = {"schemaVersion": 1, "id": "s", "name": "S", "cases": [document]}
    return load_suite(suite).cases[0]


def answered(asked: Case, result: Any, elapsed_us: int = 0) -> CaseOutcome:
    message = {"id": 1, "result": result}
    return judge_case(asked, Exchange("p", 0, {}, message=message, elapsed_us=elapsed_us))


def text(said: str, **members: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": said}], **members}


REFUSES = {"type": "isError", "expected": True}


def mixed_cases() -> tuple[CaseOutcome, ...]:
    """A case of every status, and every documented kind of failure."""
    schema = {
        "type": "object",
        "required": ["temp"],
        "properties": {"unit": {"enum": ["C", "F"]}},
    }
    tools = [{"name": "add"}, {"name": "get_weather"}]
    listing = case(
        "lists",
        {"type": "toolExists", "tool": "get_weater"},
        operation={"type": "listTools"},
    )
    error = {"id": 1, "error": {"code": -32603, "message": "boom"}}
    return (
        answered(case("good"), text("{}"), elapsed_us=1500),
        answered(listing, {"tools": tools}),
        answered(case("add-missing-a", REFUSES), text('{"sum":null}')),
        answered(
            case("body", {"type": "bodyMatchesSchema", "schema": schema}),
            text('{"temperature":21,"unit":"K"}'),
        ),
        answered(
            case("blocks", {"type": "bodyMatchesSchema", "schema": schema}), {"content": [1, 2]}
        ),
        judge_case(case("refused"), Exchange("p", 0, {}, message=error)),
        judge_case(case("slow", timeoutMs=800), Exchange("p", 0, {}, failure=Failure.TIMEOUT)),
        answered(case("unsure", REFUSES), text("boom", isError=True)),
        judge_case(case("never")),
        judge_case(case("nor-this")),
    )


def mixed(**around: Any) -> SuiteRun:
    stopped = Stopped("it ended with exit code 3", "unsure")
    report = SuiteReport("s", "Weather server", mixed_cases(), stopped, revision="2026-07-28")
    return SuiteRun(report, "http://127.0.0.1/mcp", **around)


def green(
    *cases: CaseOutcome, name: str = "S", server: ServerWords | None = None, **around: Any
) -> SuiteRun:
    outcomes = cases or (answered(case("good"), text("{}"), elapsed_us=1500),)
    report = SuiteReport("s", name, outcomes, server=server or ServerWords())
    return SuiteRun(report, "cmd", **around)


DRIFTED = Approval("drifted", "a" * 64, "b" * 64, (ApprovedCase("body", "serverDefect"),))
