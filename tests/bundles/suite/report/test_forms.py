"""The run for tools: JSON whole and stable, JUnit with its durations, SARIF, and a page."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.report import html, junit, sarif
from bundles.suite.axes import coverage_of
from bundles.suite.determinism import Conclusion, Determinism
from bundles.suite.input_contract import InputFindings
from bundles.suite.judge import SuiteReport
from bundles.suite.outcomes import ServerWords
from bundles.suite.report import Gate, SuiteRun, common_report
from bundles.verdict import Verdict
from tests.bundles.suite.report.samples import (
    DRIFTED,
    REFUSES,
    answered,
    case,
    green,
    mixed,
    text,
)


def test_the_document_has_the_documented_shape() -> None:
    document = mixed(approval=DRIFTED).to_dict()
    assert json.loads(json.dumps(document)) == document
    assert list(document) == [
        "schemaVersion",
        "suite",
        "status",
        "stopReason",
        "cases",
        "summary",
        "verdict",
        "target",
        "revision",
        "spec",
    ]
    assert document["suite"] == {"id": "s", "name": "Weather server"}
    assert (document["status"], document["verdict"]) == ("failed", "FAIL")
    assert document["stopReason"] == {
        "type": "serverGone",
        "message": "it ended with exit code 3",
        "caseId": "unsure",
    }
    assert document["summary"] == {
        "total": 10,
        "passed": 2,
        "failed": 4,
        "timedOut": 1,
        "operationFailed": 1,
        "notRun": 2,
        "rejectionUnverified": 1,
    }
    assert document["spec"]["approval"]["state"] == "drifted"
    assert document["spec"]["fingerprint"] == "b" * 64
    assert document["cases"][0] == {
        "id": "good",
        "name": "calls good",
        "status": "passed",
        "operation": {"status": "completed"},
        "assertions": [{"type": "isError", "status": "passed"}],
        "rejectionBasis": "notApplicable",
        "durationMs": 1.5,
    }
    assert document["cases"][4]["assertions"][0]["cause"] == "CONTENT_BLOCK_COUNT"
    assert document["cases"][5]["operation"]["error"] == {"code": -32603, "message": "boom"}


def test_only_what_was_asked_for_is_in_the_document() -> None:
    assert "spec" not in green().to_dict()
    gate = Gate("coverage", Verdict.FAIL, "too low", "CASE_NOT_RUN")
    asked = green(
        findings=InputFindings(),
        coverage=coverage_of([], []),
        determinism=Determinism(Conclusion.NOT_COMPARED, why="why"),
        gates=(gate,),
        server=ServerWords("tail", ("noise",), 139),
    ).to_dict()
    assert asked["spec"] == {"findings": [], "totalFindings": 0}
    assert asked["coverage"]["ratio"] is None
    assert asked["determinism"]["conclusion"] == "notCompared"
    assert asked["gates"] == [gate.to_outcome()]
    assert asked["server"] == {"stderr": "tail", "noise": ["noise"], "exitCode": 139}
    assert (asked["status"], asked["verdict"]) == ("passed", "FAIL")


def test_junit_tells_failures_from_errors_and_carries_durations() -> None:
    root = ET.fromstring(junit.render(common_report(mixed(), path="s.json")))
    assert {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "10",
        "failures": "5",  # four failed cases, and a JSON-RPC error: the server did answer
        "errors": "1",
        "skipped": "2",
    }
    tags = {each.get("name"): [child.tag for child in each] for each in root}
    assert tags["good"] == tags["unsure"] == []
    assert tags["refused"] == ["failure"]
    assert tags["slow"] == ["error"]
    assert tags["never"] == ["skipped"]
    good = root.find("testcase[@name='good']")
    assert good is not None
    assert good.get("time") == "0.002"
    assert good.get("classname") == "suite s"


def test_every_failure_is_in_sarif_with_its_file_and_what_is_unknown_is_open() -> None:
    log = sarif.document(common_report(mixed(), path="suites/a b.json"))
    results = log["runs"][0]["results"]
    assert {result["ruleId"] for result in results} == {
        *("lists", "add-missing-a", "body", "blocks", "refused", "slow")
    }
    place = results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == "suites/a%20b.json"
    assert [r["ruleId"] for r in results if r.get("kind") == "open"] == ["slow"]
    known = common_report(mixed(), path="s.json", lines={"body": 7})
    assert {f["check_id"]: f.get("line") for f in known.findings}["body"] == 7
    assert "s.json:7 |" in junit.render(known)


def test_the_page_says_what_was_found_out_around_the_cases() -> None:
    gate = Gate("coverage", Verdict.FAIL, "0.5 of the axes, 0.8 asked", "CASE_NOT_RUN")
    run = mixed(
        approval=DRIFTED,
        gates=(gate,),
        determinism=Determinism(Conclusion.NOT_COMPARED, why="no second run"),
    )
    page = html.render(common_report(run, path="s.json"))
    for said in (
        "<title>FAIL: suite s http://127.0.0.1/mcp</title>",
        "Suite: changed since its approval",
        "The basis of the rejection in 1 case",
        "it ended with exit code 3",
        "notCompared",
        "0.5 of the axes, 0.8 asked",
    ):
        assert said in page


def test_a_failed_gate_fails_every_form() -> None:
    gate = Gate("coverage", Verdict.FAIL, "too low", "CASE_NOT_RUN")
    common = common_report(green(gates=(gate,)), path="s.json")
    assert common.verdict == "FAIL"
    assert ET.fromstring(junit.render(common)).get("failures") == "1"
    (found,) = sarif.document(common)["runs"][0]["results"]
    assert (found["ruleId"], found["level"]) == ("coverage", "error")


def test_ten_thousand_cases_are_all_reported() -> None:
    cases = tuple(
        replace(answered(case("c", REFUSES), text("x")), id=f"c{number}")
        for number in range(10_000)
    )
    run = SuiteRun(SuiteReport("s", "S", cases))
    assert len(run.to_dict()["cases"]) == 10_000
    common = common_report(run, path="s.json")
    assert ET.fromstring(junit.render(common)).get("failures") == "10000"


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text(alphabet=st.characters(), min_size=1, max_size=20))
def test_no_character_breaks_a_form(said: str) -> None:
    outcome = replace(answered(case("a", REFUSES), text(said)), id=said, name=said)
    common = common_report(green(outcome), path="s.json")
    ET.fromstring(junit.render(common).encode())
    json.loads(sarif.render(common))
    html.render(common).encode()
