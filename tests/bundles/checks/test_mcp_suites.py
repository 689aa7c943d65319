"""The two checks on a bundle's suites: each says its own thing and no other."""

from typing import Any

import pytest

from bundles.check import Outcome, registry
from bundles.transcript import Exchange, Failure, Transcript
from bundles.verdict import Verdict

SUITE: dict[str, Any] = {
    "schemaVersion": 1,
    "id": "s",
    "name": "S",
    "cases": [
        {
            "id": name,
            "name": f"case {name}",
            "operation": {"type": "callTool", "tool": "t", "input": {}},
            "assertions": [{"type": "isError", "expected": False}],
        }
        for name in ("a", "b")
    ],
}
PASSES = {"message": {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}}
FAILS = {
    "message": {
        "id": 1,
        "result": {"content": [{"type": "text", "text": "no such city"}], "isError": True},
    }
}
REFUSES = {"message": {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "boom"}}}
SILENT = {"failure": Failure.TIMEOUT}


def judged(a: dict[str, Any] | None, b: dict[str, Any] | None, suites: Any = (SUITE,)) -> Any:
    exchanges = tuple(
        Exchange(f"suite:s:{name}", 0, {}, **answer)
        for name, answer in (("a", a), ("b", b))
        if answer is not None
    )
    transcript = Transcript(
        "conformance",
        "p",
        "2026-07-28",
        "http",
        "t",
        context={"suites": suites},
        exchanges=exchanges,
    )
    checks = registry()
    return tuple(
        checks[name].judge(transcript)
        for name in ("mcp.suite.cases-pass", "mcp.suite.calls-complete")
    )


def verdicts(outcomes: tuple[Outcome, Outcome]) -> tuple[Verdict, Verdict]:
    return outcomes[0].verdict, outcomes[1].verdict


def test_a_failed_case_is_a_finding_with_what_the_server_said() -> None:
    cases, calls = judged(FAILS, PASSES)
    assert verdicts((cases, calls)) == (Verdict.FAIL, Verdict.PASS)
    (finding,) = cases.findings
    assert finding.reason_code == "SUITE_CASE_FAILED"
    assert finding.path == "suite:s:a"
    assert "no such city" in finding.message
    assert finding.seen[0]["code"] == "IS_ERROR_MISMATCH"
    assert finding.next_step


def test_a_protocol_error_is_a_finding_of_the_other_check() -> None:
    cases, calls = judged(REFUSES, PASSES)
    assert verdicts((cases, calls)) == (Verdict.INCONCLUSIVE, Verdict.FAIL)
    assert calls.findings[0].reason_code == "SUITE_CALL_FAILED"
    assert "-32603" in calls.findings[0].message


@pytest.mark.parametrize("missing", [None, SILENT])
def test_no_answer_is_never_a_pass_and_hides_no_failure(missing: Any) -> None:
    assert verdicts(judged(PASSES, missing)) == (Verdict.INCONCLUSIVE, Verdict.INCONCLUSIVE)
    assert verdicts(judged(FAILS, missing)) == (Verdict.FAIL, Verdict.INCONCLUSIVE)


def test_without_suites_they_do_not_apply_and_say_why() -> None:
    for outcome in judged(None, None, ()):
        assert outcome.verdict is Verdict.NOT_APPLICABLE
        assert outcome.why == "the bundle has no suites"


def test_a_suite_that_cannot_be_read_is_no_pass() -> None:
    assert verdicts(judged(PASSES, PASSES, [{"id": "s"}])) == (Verdict.INCONCLUSIVE,) * 2
