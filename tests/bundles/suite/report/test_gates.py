"""Gates on a whole run: what passes, what fails, and what nobody could tell."""

from dataclasses import replace
from math import nan
from typing import Any

import pytest

from bundles.reasons import reasons
from bundles.suite.assertions import not_run
from bundles.suite.axes import coverage_of
from bundles.suite.determinism import CaseRecord, compare_runs, not_compared
from bundles.suite.fingerprint import Approval
from bundles.suite.input_contract import check_inputs
from bundles.suite.judge import SuiteReport
from bundles.suite.model import load_suite
from bundles.suite.report import SuiteRun
from bundles.suite.report.gates import FailOn, gates_of
from bundles.verdict import Verdict
from tests.bundles.suite.report.samples import REFUSES, answered, case, text
from tests.servers.toolbox import SUITE, TOOLS

PASSED = SuiteReport("s", "S", (answered(case("a"), text("{}")),))
RUN = SuiteRun(PASSED)


def told(run: SuiteRun, *fail_on: FailOn, minimum: float | None = None) -> tuple[str, str]:
    (gate,) = gates_of(run, fail_on, minimum)
    assert gate.passed is (not gate.reason_code)
    judged = replace(run, gates=(gate,))
    assert judged.verdict is gate.verdict  # every case passed, so the gate decides
    return gate.verdict.value, gate.reason_code


def runs(first: Any, second: Any) -> Any:
    records = [[CaseRecord("a", "a", "t", "passed", (), answer)] for answer in (first, second)]
    return compare_runs(*records, state_restored=False)


def test_nothing_is_asked_for_unless_it_is() -> None:
    assert gates_of(RUN, ()) == ()
    assert [gate.id for gate in gates_of(RUN, list(FailOn), 0.5)] == [
        "coverage",
        "determinism",
        "inputs",
        "approval",
        "rejections",
    ]


@pytest.mark.parametrize(
    ("determinism", "expected"),
    [
        (runs(1, 1), ("PASS", "")),
        (runs(1, 2), ("FAIL", "SUITE_NONDETERMINISTIC")),
        (not_compared("it died"), ("INCONCLUSIVE", "SUITE_NOT_COMPARED")),
        (compare_runs([], [], state_restored=True), ("INCONCLUSIVE", "SUITE_NOT_COMPARED")),
        (None, ("INCONCLUSIVE", "SUITE_NOT_COMPARED")),
    ],
)
def test_nondeterminism_fails_and_what_was_not_compared_passes_nothing(
    determinism: Any, expected: tuple[str, str]
) -> None:
    assert told(replace(RUN, determinism=determinism), FailOn.NONDETERMINISM) == expected


@pytest.mark.parametrize(
    ("tools", "minimum", "expected"),
    [
        (TOOLS, 1 / 9, ("PASS", "")),
        (TOOLS, 0.15, ("FAIL", "SUITE_COVERAGE_TOO_LOW")),
        (TOOLS, nan, ("FAIL", "SUITE_COVERAGE_TOO_LOW")),
        ((), 0.1, ("INCONCLUSIVE", "SUITE_TOOLS_UNKNOWN")),
        (None, 0.1, ("INCONCLUSIVE", "SUITE_TOOLS_UNKNOWN")),
    ],
)
def test_coverage_has_to_reach_its_minimum(
    tools: Any, minimum: float, expected: tuple[str, str]
) -> None:
    coverage = None if tools is None else coverage_of([load_suite(SUITE)], tools)
    assert told(replace(RUN, coverage=coverage), minimum=minimum) == expected


def test_inputs_that_contradict_a_declaration_fail() -> None:
    sound = load_suite(SUITE)
    good = check_inputs(sound, TOOLS)
    assert told(replace(RUN, findings=good), FailOn.INPUT_FINDINGS) == ("PASS", "")
    bad = check_inputs(sound, ())
    told_bad = told(replace(RUN, findings=bad), FailOn.INPUT_FINDINGS)
    assert told_bad == ("FAIL", "SUITE_INPUT_UNDECLARED")
    assert told(RUN, FailOn.INPUT_FINDINGS) == ("INCONCLUSIVE", "SUITE_TOOLS_UNKNOWN")


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("current", ("PASS", "")),
        ("drifted", ("FAIL", "SUITE_APPROVAL_DRIFTED")),
        ("none", ("INCONCLUSIVE", "SUITE_NOT_APPROVED")),
    ],
)
def test_a_drifted_approval_fails_and_none_passes_nothing(
    state: Any, expected: tuple[str, str]
) -> None:
    approval = Approval(state, "a" * 64, "b" * 64, ())
    assert told(replace(RUN, approval=approval), FailOn.APPROVAL_DRIFT) == expected
    assert told(RUN, FailOn.APPROVAL_DRIFT) == ("INCONCLUSIVE", "SUITE_NOT_APPROVED")


def test_unverified_rejections_fail_and_are_named() -> None:
    mine = answered(case("no-city", REFUSES), text("no such city", isError=True))
    run = SuiteRun(SuiteReport("s", "S", (mine,)))
    expected = ("FAIL", "REJECTION_UNVERIFIED")
    assert told(run, FailOn.UNVERIFIED_REJECTIONS) == expected
    assert "no-city" in gates_of(run, [FailOn.UNVERIFIED_REJECTIONS])[0].message
    theirs = answered(case("b", REFUSES), text("MCP error -32602: city", isError=True))
    verified = SuiteRun(SuiteReport("s", "S", (theirs,)))
    assert told(verified, FailOn.UNVERIFIED_REJECTIONS) == ("PASS", "")


def test_rejections_that_nobody_saw_pass_nothing() -> None:
    theirs = answered(case("b", REFUSES), text("MCP error -32602: city", isError=True))
    run = SuiteRun(SuiteReport("s", "S", (theirs, not_run(case("c", REFUSES), "it died"))))
    assert told(run, FailOn.UNVERIFIED_REJECTIONS) == ("INCONCLUSIVE", "REJECTION_NOT_SEEN")


def test_a_certain_failure_outweighs_what_a_gate_could_not_tell() -> None:
    failed = SuiteReport("s", "S", (answered(case("a"), text("{}", isError=True)),))
    run = SuiteRun(failed)
    judged = replace(run, gates=gates_of(run, [FailOn.NONDETERMINISM]))
    assert judged.verdict is Verdict.FAIL


def test_every_code_of_a_gate_says_what_to_do() -> None:
    own = ("REJECTION_UNVERIFIED", "SUITE_NOT_APPROVED", "SUITE_NOT_COMPARED")
    assert all(reasons()[code].next_step for code in (*own, "SUITE_TOOLS_UNKNOWN"))
