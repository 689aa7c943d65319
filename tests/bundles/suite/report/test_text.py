"""The text report: the documented layout, in English and with the documented Korean sentences."""

from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.report.cut import escaped
from bundles.suite.assertions import judge_case
from bundles.suite.axes import coverage_of
from bundles.suite.determinism import CaseRecord, Conclusion, Determinism, compare_runs
from bundles.suite.fingerprint import Approval
from bundles.suite.input_contract import check_inputs
from bundles.suite.language import ENGLISH, KOREAN, LANGUAGES
from bundles.suite.model import load_suite
from bundles.suite.outcomes import CaseStatus, Part, ServerWords, Stopped
from bundles.suite.report import Gate, SuiteRun, case_lines, common_report, render_text
from bundles.suite.selection import LeftOut
from bundles.verdict import Verdict
from tests.bundles.suite.report.samples import (
    DRIFTED,
    REFUSES,
    answered,
    case,
    green,
    mixed,
    mixed_cases,
    text,
    written,
)


def test_the_layout_is_the_documented_one() -> None:
    assert render_text(mixed()).splitlines() == [
        "Weather server  (10 cases)",
        "",
        "✓ good           calls good",
        "✗ lists          calls lists",
        "    toolExists  tool 'get_weater' not found. Found tools: 'add', 'get_weather'",
        "    fix: check the server's tools/list and the suite",
        "✗ add-missing-a  calls add-missing-a",
        "    isError  expected an error result, got a normal one",
        '    → {"sum":null}',
        "    fix: check the input of the tool and the server's error answer",
        "✗ body           calls body",
        "    bodyMatchesSchema  the body differs from the expected schema: 2 violations",
        "    → $.temp: required field is missing. Found fields: 'temperature', 'unit'",
        '    → $.unit: not one of the expected values. Expected: "C" | "F", actual: "K"',
        "    fix: correct the answer; if the change is intended, update the suite",
        "✗ blocks         calls blocks",
        "    bodyMatchesSchema  the result has no body to compare: CONTENT_BLOCK_COUNT, found 2",
        "    fix: bodyMatchesSchema is for results with exactly one text block",
        "⊘ refused        calls refused",
        "    the server answered with JSON-RPC error -32603: boom",
        (
            "    fix: see why the server gave none; "
            "a failing tool answers with a result that has isError"
        ),
        "    isError  (skipped) there is no result to look at",
        "⧖ slow           calls slow",
        "    no answer within 800 ms",
        "    fix: see why the server is slow, or give the case a longer timeoutMs",
        "    isError  (skipped) there is no result to look at",
        "✓ unsure         calls unsure",
        "· never          calls never",
        "    the suite stopped before this case ended",
        "· nor-this       calls nor-this",
        "",
        "Failed cases",
        "  ✗ lists          → tool 'get_weater' not found. Found tools: 'add', 'get_weather'",
        '  ✗ add-missing-a  → {"sum":null}',
        (
            "  ✗ body           → $.temp: required field is missing. "
            "Found fields: 'temperature', 'unit'"
        ),
        "  ✗ blocks         → the result has no body to compare: CONTENT_BLOCK_COUNT, found 2",
        "  ⊘ refused        → the server answered with JSON-RPC error -32603: boom",
        "  ⧖ slow           → no answer within 800 ms",
        "",
        "stopped: the server is gone: it ended with exit code 3. Last case: 'unsure'",
        "",
        "2 passed, 4 failed, 1 timed out, 1 without a result, 2 not run  (10 total)",
        "",
        "  → The basis of the rejection in 1 case that expects one is not verified.",
        "    Whether the server rejected the input or failed for another reason cannot be told.",
        "    check: the answers of these cases: unsure",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "    toolExists  툴 'get_weater'을(를) 찾을 수 없습니다. 발견된 툴: 'add', 'get_weather'",
        "    해결: 서버의 tools/list 응답과 테스트 명세를 확인하세요.",
        "    isError  오류 응답을 기대했지만 정상 응답을 받았습니다.",
        '    → {"sum":null}',
        "    해결: 툴 입력값과 서버의 오류 응답을 확인하세요.",
        "    bodyMatchesSchema  응답이 기대 스키마와 다릅니다. 위반 2건.",
        "    → $.temp: 필수 필드가 없습니다. 발견된 필드: 'temperature', 'unit'",
        '    → $.unit: 기대한 값 중 하나가 아닙니다. 기대: "C" | "F", 실제: "K"',
        "    해결: 스키마 변경이 의도된 것이라면 테스트를 업데이트하세요.",
        (
            "    bodyMatchesSchema  응답에서 검사할 본문을 정할 수 없습니다. "
            "content 블록이 2개입니다. 1개여야 합니다."
        ),
        "실패한 케이스",
        '  ✗ add-missing-a  → {"sum":null}',
        "중단: 서버가 사라져 실행을 멈췄습니다. (it ended with exit code 3) 마지막 케이스 'unsure'",
        "2 passed, 4 failed, 1 timed out, 1 without a result, 2 not run  (10 total)",
        "  → 거절을 기대한 케이스 1건은 거절 근거를 확인하지 못했습니다.",
        "    서버가 거절한 것인지 다른 이유로 실패한 것인지 이 도구는 판단하지 못합니다.",
    ],
)
def test_korean_says_the_documented_sentences(line: str) -> None:
    assert line in render_text(mixed(), KOREAN).splitlines()


def test_both_languages_have_the_same_lines_in_the_same_order() -> None:
    run = mixed(approval=DRIFTED)
    english, korean = (render_text(run, words).splitlines() for words in (ENGLISH, KOREAN))
    assert len(english) == len(korean)
    for one, other in zip(english, korean, strict=True):
        assert (one == "") is (other == "")
        assert one[: len(one) - len(one.lstrip())] == other[: len(other) - len(other.lstrip())]


def test_a_green_run_is_short() -> None:
    approved = Approval("current", "a" * 64, "a" * 64)
    run = green(approval=approved, server=ServerWords(stderr="started\n"))
    assert render_text(run) == "S  (1 case)\n\n✓ good  calls good\n\n1 passed  (1 total)\n"


def test_a_rejection_that_names_itself_needs_no_notice() -> None:
    refused = answered(case("r", REFUSES), text("MCP error -32602: bad", isError=True))
    assert "rejection" not in render_text(green(refused))
    unsure = [answered(case(f"u{n}", REFUSES), text("x", isError=True)) for n in range(23)]
    said = render_text(green(*unsure))
    assert "the rejection in 23 cases that expect one" in said
    assert said.endswith("u18, u19 and 3 more\n")


def test_the_approval_is_shown_where_it_may_explain_something() -> None:
    drifted = render_text(green(approval=DRIFTED))
    assert "Suite: changed since its approval\n  → approved aaaaaaaaaaaa…   now bbbb" in drifted
    assert "명세: 승인 시점 이후 변경됨" in render_text(green(approval=DRIFTED), KOREAN)
    failed = mixed(approval=DRIFTED)
    assert render_text(failed).count("marked as a defect of the server") == 1
    for state, said in (("current", "Suite: as approved (bbbb"), ("none", "no approval recorded")):
        approval = Approval(state, "", "b" * 64)  # type: ignore[arg-type]
        assert said in render_text(mixed(approval=approval))
        assert said not in render_text(green(approval=approval))


def test_attempts_are_said_of_a_case_that_passed_in_the_end_and_of_one_that_never_did() -> None:
    (good, *_), reason = mixed_cases(), "the index is eventually consistent"
    retried = replace(good, attempts=3, retry_reason=reason)
    assert list(case_lines(retried)) == [f"    passed at attempt 3: {reason}"]
    lost = replace(retried, status=CaseStatus.TIMED_OUT)
    assert list(case_lines(lost)) == [f"    failed 3 attempts: {reason}"]


def test_the_parts_of_a_suite_are_told_apart_and_what_was_left_out_is_named() -> None:
    good = mixed_cases()[0]
    parts = [replace(good, id=part, part=part) for part in get_args(Part)]
    report = replace(green(*parts).report, left_out=(LeftOut("slow-one", "has the tag slow"),))
    run = SuiteRun(report)
    said = render_text(run)
    assert "✓ setup     calls good  [setup]\n✓ cases     calls good\n" in said
    assert said.endswith("3 passed  (3 total)\n1 case left out: slow-one\n")
    assert "제외된 케이스 1건: slow-one" in render_text(run, KOREAN)
    outcomes = common_report(run, path="p").outcomes
    assert outcomes[-1] == {
        "id": "slow-one",
        "verdict": "NOT_APPLICABLE",
        "message": "has the tag slow",
    }


@pytest.mark.parametrize("kind", ["serverGone", "budget", "setupFailed", "interrupted"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_stop_has_its_line(kind: str, language: str) -> None:
    run = green()
    stopped = replace(run.report, stopped=Stopped("because", kind=kind))
    said = render_text(replace(run, report=stopped), LANGUAGES[language])
    assert "because" in said
    assert "Last case" not in said


TOOL = {
    "name": "t",
    "inputSchema": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "u": {"enum": ["C", "F"]}, "x": {"anyOf": []}},
        "required": ["city"],
    },
}


def suite_of(*cases: dict[str, Any]) -> Any:
    return load_suite({"schemaVersion": 1, "id": "s", "name": "S", "cases": list(cases)})


def test_findings_are_shown_for_the_cases_that_did_not_pass() -> None:
    wrong = {"type": "callTool", "tool": "t", "input": {"citi": "Oslo", "u": "K"}}
    lost = {"type": "callTool", "tool": "tt", "input": {}}
    suite = suite_of(
        written("bad", operation=wrong), written("fine", operation=lost), written("good")
    )
    findings = check_inputs(suite, [TOOL])
    bad = answered(suite.cases[0], text("no", isError=True))
    fine = answered(suite.cases[1], text("yes"))
    run = green(bad, fine, findings=findings)
    said = render_text(run)
    bad_ones = [finding for finding in findings.findings if finding.case_id == "bad"]
    for finding in bad_ones:
        assert f"    → {finding.severity}: {finding.message}\n" in said
    assert "Inputs of failed cases that do not fit what the tools declare\n  bad\n" in said
    assert "  fine\n" not in said
    assert f"  {findings.total} in the whole suite, {len(bad_ones)} listed here\n" in said
    korean = render_text(run, KOREAN)
    assert "차단: 필수 필드 'city' 가 입력에 없습니다. 비슷한 이름: 'citi'" in korean


def test_coverage_names_its_denominators_and_what_could_not_be_read() -> None:
    tools = [TOOL, {"name": "odd", "inputSchema": {"type": "object", "oneOf": []}}]
    coverage = coverage_of([suite_of(written("good"))], tools)
    said = render_text(green(coverage=coverage))
    assert f"Coverage of contract axes: {coverage.covered} of {coverage.total} (" in said
    assert "  odd  not counted: its input schema cannot be read (oneOf)\n" in said
    assert "    → not checked: HAPPY_PATH, REQUIRED_OMITTED:city" in said
    assert "    → not counted, cannot be read: x\n" in said
    nothing = coverage_of([], [])
    assert "no tool declares anything that can be read" in render_text(green(coverage=nothing))


def record(case_id: str, status: str = "passed", **seen: Any) -> CaseRecord:
    return CaseRecord(case_id, f"calls {case_id}", "t", status, **seen)


def test_what_differs_between_two_runs_is_shown_with_what_it_looks_like() -> None:
    first = [
        record("time", response=text('{"at":"2026-01-02T03:04:05Z"}')),
        record("flaky"),
        record("gone", response={}),
        record("skipped", "notRun"),
    ]
    second = [
        record("time", response=text('{"at":"2026-01-02T03:04:06Z"}')),
        record("flaky", "failed"),
        record("gone"),
        record("skipped", "notRun"),
    ]
    found = compare_runs(first, second, state_restored=True)
    said = render_text(green(determinism=found))
    for line in (
        "Determinism: 3 of 3 cases came out different",
        "  t / calls time (time)",
        "  → differs at content[0].text",
        "  → JSON inside that text differs at at",
        '     first:  "2026-01-02T03:04:05Z"',
        "  → it looks like a time: it changes from run to run and cannot be asserted",
        "  → another verdict: first passed, then failed",
        "  → differs at whether there was an answer",
        "     second: (no response)",
        "  not compared, for they were not run: 1",
    ):
        assert line in said.splitlines()
    korean = render_text(green(determinism=found), KOREAN)
    assert "  → 판정이 다릅니다: 1회차 passed, 2회차 failed" in korean
    assert "(응답 없음)" in korean
    cut_short = render_text(green(determinism=replace(found, why="the server was gone")))
    assert "  compared as far as both runs got: the server was gone\n" in cut_short
    for same, line in (
        (
            compare_runs(first[:1], first[:1], state_restored=True),
            "the same (1 compared)\n",
        ),
        (compare_runs(first[:1], first[:1], state_restored=False), "nothing put the server's"),
        (
            Determinism(Conclusion.NOT_COMPARED, why="the server was gone"),
            "Determinism: not compared: the server was gone\n",
        ),
    ):
        assert line in render_text(green(determinism=same))


def test_gates_are_shown_and_change_the_verdict() -> None:
    kept = Gate("determinism", Verdict.PASS, "both runs came out the same")
    missed = Gate("coverage", Verdict.FAIL, "0.5 of the axes, 0.8 asked", "CASE_NOT_RUN")
    unknown = Gate("coverage", Verdict.INCONCLUSIVE, "nothing can be read", "CASE_NOT_RUN")
    assert green(gates=(kept,)).verdict is Verdict.PASS
    assert green(gates=(kept, unknown)).verdict is Verdict.INCONCLUSIVE
    assert green(gates=(unknown, missed)).verdict is Verdict.FAIL
    said = render_text(green(gates=(kept, missed)))
    assert "✓ determinism: both runs came out the same\n✗ coverage: 0.5 of the axes" in said
    assert said.rstrip().splitlines()[-1].startswith("    fix: ")
    low = replace(missed, reason_code="SUITE_COVERAGE_TOO_LOW")
    korean = render_text(green(gates=(low,)), KOREAN)
    assert "✗ coverage: 계약 축 커버리지가 요구보다 낮습니다. (0.5 of the axes" in korean


def test_the_end_of_stderr_is_shown_beside_a_failure_and_cannot_pass_for_the_report() -> None:
    stderr = "".join(f"line {n}\n" for n in range(29)) + "\tat f\x1b[2J\n1 passed  (1 total)"
    words = ServerWords(stderr, ("Listening on\x9b31m stdin",))
    run = mixed()
    said = render_text(replace(run, report=replace(run.report, server=words))).splitlines()
    at = said.index("Server process")
    assert said[at + 1 : at + 3] == [
        "  stderr (the last 20 lines, 11 more above):",
        "    · line 11",
    ]
    assert said[at + 20 : at + 22] == ["    · \tat f\\u001b[2J", "    · 1 passed  (1 total)"]
    assert said[at + 22 :] == [
        "  not messages, on stdout:",
        "    · Listening on\\u009b31m stdin",
    ]
    assert said.count("1 passed  (1 total)") == 0


@pytest.mark.parametrize(
    ("server", "shown"),
    [
        (ServerWords("started\n", exit_code=0), ""),
        (ServerWords("started\n", exit_code=143), ""),
        (ServerWords("started\n", exit_code=137), ""),
        (ServerWords(exit_code=139), "  exit code: 139  signal: SIGSEGV\n"),
        (ServerWords(exit_code=1), "  exit code: 1  signal: none\n"),
        (ServerWords(noise=("hello",)), "  not messages, on stdout:\n    · hello\n"),
    ],
)
def test_under_a_green_run_a_server_is_only_spoken_of_when_something_is_wrong(
    server: ServerWords, shown: str
) -> None:
    said = render_text(green(server=server))
    assert said.endswith(f"\nServer process\n{shown}" if shown else "1 passed  (1 total)\n")


def test_a_run_of_no_case_is_no_green_one() -> None:
    run = SuiteRun(replace(green().report, cases=()))
    assert (run.verdict, run.all_passed) == (Verdict.INCONCLUSIVE, False)
    assert render_text(run) == "S  (0 cases)\n\n\nnone  (0 total)\n"


def test_a_reason_that_kept_many_cases_from_running_is_said_once() -> None:
    cases = [judge_case(case(f"c{n}")) for n in range(500)]
    run = SuiteRun(replace(green().report, cases=tuple(cases)))
    assert render_text(run).count("the suite stopped before this case ended") == 1


ANY_TEXT = st.text(alphabet=st.characters(), min_size=1, max_size=20) | st.sampled_from(
    ["\x1b]0;x\x07", "\u202egnp", "a\nb", "\x9b2J", "\ud800", "{braces}", "%s"]
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(ANY_TEXT, ANY_TEXT, st.sampled_from(sorted(LANGUAGES)))
def test_no_word_of_a_server_or_a_suite_reaches_the_terminal_raw(
    name: str, said: str, language: str
) -> None:
    failed = answered(case("a", REFUSES), text(said))
    outcome = replace(failed, id=name, name=name, attempts=2, retry_reason=said)
    run = green(outcome, approval=DRIFTED, server=ServerWords(said, (said,)))
    report = replace(run.report, name=name, stopped=Stopped(said, name))
    rendered = render_text(replace(run, report=report), LANGUAGES[language])
    for line in rendered.split("\n"):
        assert line.replace("\t", "") == escaped(line.replace("\t", ""))
    rendered.encode()
