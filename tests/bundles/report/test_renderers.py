"""Reports: one model, four renderings that agree and cannot be made to act."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.report import Report, html, json_document, junit, sarif, text
from bundles.report.cut import compact, cut, escaped, shown
from bundles.verdict import Verdict


def as_json(report: Report) -> str:
    return json.dumps(json_document.document(report))


FINDING: dict[str, Any] = {
    "check_id": "a.bad",
    "reason_code": "A_BAD",
    "layer": "schema",
    "severity": "MUST",
    "blocks": "ci",
    "message": "it is \x1b[31mred\x00",
    "path": "dir with space/ü.json",
    "pointer": "/tools/0",
    "line": 7,
    "seen": {"x": "y" * 500},
    "expected": "z",
    "next_step": "paint it",
}
REPORT = Report(
    "bundle lint",
    "./bundle",
    "FAIL",
    outcomes=(
        {"id": "a.bad", "verdict": "FAIL", "reason_code": "A_BAD", "message": "it is red"},
        {"id": "a.good", "verdict": "PASS", "message": "the rule", "seconds": 0.25},
        {"id": "a.maybe", "verdict": "INCONCLUSIVE", "message": "timed out"},
        {"id": "a.na", "verdict": "NOT_APPLICABLE", "message": "no tools"},
        {"id": "a.not", "verdict": "NOT_RUN", "message": "nobody watched"},
        {"id": "a.warn", "verdict": "WARN", "reason_code": "A_WARN", "message": "hm"},
    ),
    findings=(FINDING, FINDING | {"check_id": "a.warn", "severity": "SHOULD", "line": None}),
    not_covered=("no suites",),
    facts={"digest": "sha256:0", "tools": 3},
)


def test_the_text_is_stable() -> None:
    rendered = text.render(REPORT)
    assert rendered == text.render(REPORT)
    assert rendered.splitlines()[:9] == [
        "bundle lint  ./bundle",
        "  digest: sha256:0",
        "  tools: 3",
        "",
        "✗ a.bad  A_BAD",
        "    it is \\u001b[31mred\\u0000",
        "      where: dir with space/ü.json:7 /tools/0",
        '      seen: {"x":"' + "y" * 194 + "…",
        '      expected: "z"',
    ]
    assert "✓ a.good\n" in rendered
    assert "? a.maybe  timed out\n" in rendered
    assert "– a.na  no tools\n" in rendered
    assert "  not covered: no suites\n" in rendered
    assert rendered.endswith(
        "1 passed, 1 failed, 1 warned, 1 inconclusive, 1 not applicable, 1 not run (6 checks)\n"
        "verdict: FAIL\n"
    )


def test_a_finding_without_its_outcome_is_still_shown() -> None:
    lost = Report("run", "r", "FAIL", findings=(FINDING,))
    assert "✗ a.bad\n    it is" in text.render(lost)


def test_the_document_holds_everything_and_its_facts_at_the_top() -> None:
    made = json_document.document(REPORT)
    assert json.loads(json.dumps(made)) == made
    assert (made["verdict"], made["digest"], made["tools"]) == ("FAIL", "sha256:0", 3)
    assert [check["id"] for check in made["checks"]] == [o["id"] for o in REPORT.outcomes]
    assert made["findings"][0]["line"] == 7
    assert made["summary"]["INCONCLUSIVE"] == 1
    with pytest.raises(ValueError, match="verdict"):
        json_document.document(Report("t", "s", "PASS", facts={"verdict": "PASS"}))


def test_junit_keeps_names_apart_and_writes_out_what_would_act() -> None:
    ids = ("oslo", "oslo\x1b", "oslo\ud800", "\u202eolso")
    outcomes = tuple({"id": each, "verdict": "PASS", "message": "m"} for each in ids)
    root = ET.fromstring(junit.render(Report("t", "s", "PASS", outcomes=outcomes, findings=())))
    names = [case.get("name") for case in root.iter("testcase")]
    assert names == ["oslo", "oslo\\u001b", "oslo\\ud800", "\\u202eolso"]


def test_junit_never_takes_an_unknown_for_a_pass() -> None:
    root = ET.fromstring(junit.render(REPORT))
    assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "6",
        "failures": "1",
        "errors": "1",
        "skipped": "2",
    }
    children = {case.get("name"): [child.tag for child in case] for case in root}
    assert children == {
        "a.bad": ["failure"],
        "a.good": [],
        "a.maybe": ["error"],
        "a.na": ["skipped"],
        "a.not": ["skipped"],
        "a.warn": ["system-out"],
    }
    assert root.find("testcase[@name='a.good']").get("time") == "0.250"  # type: ignore[union-attr]
    odd = Report("t", "s", "?", outcomes=({"id": "x", "verdict": "BRAND_NEW", "message": ""},))
    assert ET.fromstring(junit.render(odd)).find("testcase/error") is not None


def test_sarif_names_rules_places_and_what_is_open() -> None:
    log = json.loads(sarif.render(REPORT))
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [
        *("a.bad", "a.warn", "a.maybe", "a.na")
    ]
    first, second, third, fourth = run["results"]
    assert first["level"] == "error"
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "dir%20with%20space/%C3%BC.json"
    assert place["region"] == {"startLine": 7}
    assert (second["level"], second["ruleIndex"]) == ("warning", 1)
    assert (third["kind"], third["level"], third["ruleIndex"]) == ("open", "none", 2)
    assert (fourth["kind"], fourth["level"]) == ("notApplicable", "none")


@pytest.mark.parametrize("render", [text.render, junit.render, html.render, sarif.render, as_json])
def test_every_report_says_why_a_check_does_not_apply(render: Callable[[Report], str]) -> None:
    why = "the server lists no tools"
    outcome = {"id": "a.na", "verdict": "NOT_APPLICABLE", "message": why}
    assert why in render(Report("conformance", "it", "PASS", outcomes=(outcome,)))


ANY_TEXT = st.text(alphabet=st.characters(), max_size=30)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


def test_what_is_cut_is_not_written_first() -> None:
    asked: list[str] = []

    def hides(name: str) -> bool:
        asked.append(name)
        return False

    assert compact({f"k{at}": at for at in range(1_000)}, limit=10, hides=hides) == '{"k0":0,"k…'
    assert len(asked) < 10


def test_members_are_written_as_javascript_orders_them() -> None:
    value = {"b": 1, "10": [{"a": 0, "0": 1}], "2": 3, "01": 4, "4294967295": 5, "4294967294": 6}
    assert compact(value) == (
        '{"2":3,"10":[{"0":1,"a":0}],"4294967294":6,"b":1,"01":4,"4294967295":5}'
    )


@settings(max_examples=100, deadline=None, derandomize=True)
@given(ANY_TEXT, ANY_JSON)
def test_no_input_breaks_a_rendering_or_reaches_a_terminal(words: str, value: Any) -> None:
    finding = FINDING | {"message": words, "path": words, "seen": value, "expected": words}
    outcome = {"id": words, "verdict": "FAIL", "reason_code": "A_BAD", "message": words}
    report = Report(words, words, "FAIL", (outcome,), (finding,), (words,), {"fact": value})
    for line in text.render(report).split("\n"):
        assert line == escaped(line)
    ET.fromstring(junit.render(report).encode("utf-8", "surrogatepass"))
    json.loads(sarif.render(report)).keys()


@settings(max_examples=150, deadline=None, derandomize=True)
@given(ANY_JSON)
def test_a_compact_value_is_json_that_says_the_same(value: Any) -> None:
    written = compact(value)
    plain = json.dumps(value)
    assert json.loads(written, parse_int=float) == json.loads(
        plain, parse_int=float, parse_constant=lambda _: None
    )
    assert json.loads(escaped(written)) == json.loads(written)
    assert len(shown(value)) <= 200 * 6 + 40


def test_values_are_cut_and_say_so() -> None:
    assert cut("x" * 200) == "x" * 200
    assert cut("x" * 201) == "x" * 200 + "… (201 characters)"
    assert shown("x" * 201) == '"' + "x" * 200 + '"… (201 characters)'
    deep: list[Any] = []
    for _ in range(50_000):
        deep = [deep]
    assert compact(deep, limit=10) == "[[[[[[[[[[…"
    assert len(compact(deep)) == 100_002


def test_every_verdict_has_its_sign() -> None:
    assert set(text.MARKS) == set(Verdict)
    assert len(set(text.MARKS.values())) == len(Verdict)


def staged(verdict: str, message: str, *checks: str) -> list[dict[str, Any]]:
    return [
        {"id": check, "verdict": verdict, "message": message, "stage": stage, "profile": "default"}
        for stage in ("conformance", "security")
        for check in checks
    ]


def test_a_check_that_two_stages_ran_is_shown_once_under_each() -> None:
    here = FINDING | {"check_id": "a.twice", "stage": "security", "profile": "default"}
    outcomes = staged("PASS", "", "a.twice")
    outcomes[1] |= {"verdict": "FAIL", "reason_code": "A_BAD"}
    report = Report("run r", "c", "FAIL", outcomes, (here,))
    lines = text.render(report).splitlines()
    assert lines[2:5] == ["conformance default", "✓ a.twice", "security default"]
    assert sum("where:" in line for line in lines) == 1
    cases = ET.fromstring(junit.render(report)).findall("testcase")
    assert [case.get("classname") for case in cases] == [
        "run r conformance default",
        "run r security default",
    ]
    assert [len(case) for case in cases] == [0, 1]
    (found,) = sarif.document(report)["runs"][0]["results"]
    assert found["properties"]["stage"] == "security"


def test_what_kept_many_checks_from_telling_is_said_once_and_counted() -> None:
    report = Report("run r", "c", "?", staged("INCONCLUSIVE", "not reached", "a.x", "a.y", "a.z"))
    rendered = text.render(report)
    assert rendered.count("not reached") == 2, "once a stage"
    assert "? 3 checks  not reached\n    a.x, a.y, a.z\n" in rendered
    assert "6 inconclusive (6 checks)" in rendered


def test_the_same_step_is_said_once_for_all_findings_of_a_check() -> None:
    outcome = {"id": "a.bad", "verdict": "FAIL", "message": ""}
    twice = Report("t", "s", "FAIL", (outcome,), (FINDING, FINDING | {"line": 8}))
    rendered = text.render(twice)
    assert (rendered.count("where:"), rendered.count("next: paint it")) == (2, 1)
