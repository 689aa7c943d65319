"""Reports of other tools: what they say, in our verdicts, and what is never a pass."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.errors import BundlegateError, Invalid, LimitExceeded, Refused
from bundles.imports import Imported, Source, read_report
from bundles.report import Report
from bundles.report import junit as ours
from bundles.verdict import Verdict

WHEN = "2026-11-30T20-34-11-123Z"


def check(name: str, status: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "name": name, "description": f"about {name}", "status": status, **more}


def tree(*checks: dict[str, Any], scenario: str = "tools-list") -> dict[str, bytes]:
    return {f"out/server-{scenario}-{WHEN}/checks.json": json.dumps(checks).encode()}


def verdicts(report: Imported) -> dict[str, str]:
    return {entry.id: entry.verdict.value for entry in report.outcomes}


# --- the official conformance suite -----------------------------------------------------------


def test_a_tree_of_results_is_read_scenario_by_scenario() -> None:
    files = tree(check("a", "SUCCESS"), check("b", "WARNING")) | tree(
        check("a", "SUCCESS"), scenario="auth/basic-dcr"
    )
    report = read_report(files)
    assert report.source is Source.CONFORMANCE
    assert verdicts(report) == {
        "server:auth/basic-dcr:a": "PASS",
        "server:tools-list:a": "PASS",
        "server:tools-list:b": "WARN",
    }
    assert report.verdict is Verdict.PASS
    assert set(report.digests) == set(files)


@pytest.mark.parametrize(
    ("statuses", "verdict"),
    [
        (["SUCCESS", "FAILURE", "SUCCESS"], "FAIL"),
        (["SUCCESS", "WARNING"], "WARN"),
        (["SKIPPED", "SUCCESS"], "PASS"),
        (["SKIPPED"], "NOT_APPLICABLE"),
        (["SUCCESS", "NEWSTATUS"], "INCONCLUSIVE"),
        (["SUCCESS", "INFO"], "PASS"),
    ],
)
def test_repeated_ids_collapse_to_the_worst(statuses: list[str], verdict: str) -> None:
    report = read_report(tree(*(check("a", status) for status in statuses)))
    assert verdicts(report) == {"server:tools-list:a": verdict}


@pytest.mark.parametrize(
    "more",
    [{"details": {"untestable": True}}, {"errorMessage": "Not testable: no tool test_simple_text"}],
)
def test_what_is_not_testable_does_not_apply(more: dict[str, Any]) -> None:
    report = read_report(tree(check("a", "FAILURE", **more)))
    assert verdicts(report) == {"server:tools-list:a": "NOT_APPLICABLE"}
    assert report.verdict is Verdict.INCONCLUSIVE, "nothing was shown"


def test_the_suites_own_fault_is_not_the_servers() -> None:
    report = read_report(tree(check("wire-schema-harness-error", "FAILURE"), check("a", "SUCCESS")))
    assert report.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("checks", [[], [check("log", "INFO")]])
def test_a_scenario_without_a_verdict_is_inconclusive(checks: list[dict[str, Any]]) -> None:
    report = read_report(tree(*checks))
    assert verdicts(report) == {"server:tools-list": "INCONCLUSIVE"}


def test_a_scenario_keeps_its_name_whatever_the_folder_around_it_is_called() -> None:
    files = {f"server-out/server-caching-{WHEN}/checks.json": json.dumps([check("a", "SUCCESS")])}
    report = read_report({path: text.encode() for path, text in files.items()})
    assert verdicts(report) == {"server:caching:a": "PASS"}


def expecting(text: str, *checks: dict[str, Any]) -> Imported:
    return read_report(tree(*checks), expected_failures=text.encode())


def test_expected_failures_are_waived_and_the_rest_is_not() -> None:
    report = expecting(
        "server: [tools-list:a]",
        check("a", "FAILURE"),
        check("b", "SUCCESS"),
        check("c", "FAILURE"),
    )
    codes = {entry.id: entry.reason_code for entry in report.outcomes}
    assert codes["server:tools-list:a"] == "IMPORTED_FAILURE_EXPECTED"
    assert codes["server:tools-list:c"] == "IMPORTED_CHECK_FAILED"
    assert report.verdict is Verdict.FAIL
    whole = expecting("server: [tools-list]", check("a", "FAILURE"), check("b", "SUCCESS"))
    assert whole.verdict is Verdict.PASS


def test_beside_expected_failures_a_warning_fails() -> None:
    assert read_report(tree(check("a", "WARNING"))).verdict is Verdict.PASS
    assert expecting("server: []", check("a", "WARNING")).verdict is Verdict.FAIL
    assert expecting("server: ['tools-list:a']", check("a", "WARNING")).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("tools-list:a", "passes"),
        ("tools-list", "passes"),
        ("tools-lists", "matches nothing"),
        ("tools-list:b", "matches nothing"),
    ],
)
def test_a_stale_entry_is_said(entry: str, why: str) -> None:
    report = expecting(f"server: ['{entry}']", check("a", "SUCCESS"))
    stale = [seen for seen in report.outcomes if seen.reason_code == "EXPECTED_FAILURE_STALE"]
    assert [entry in seen.message and why in seen.message for seen in stale] == [True]
    assert stale[0].verdict is Verdict.WARN


def test_an_entry_of_the_other_side_excuses_nothing() -> None:
    assert expecting("client: [tools-list]", check("a", "FAILURE")).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("[]", ""),
        ("servers: []", ""),
        ("server: tools-list", "/server"),
        ("server: [tools-list: a]", "/server/0"),
        ("server: [null]", "/server/0"),
        ("server: ['tools-list:']", "/server/0"),
        ("server: [a, 'a:b']", "/server"),
    ],
)
def test_a_file_in_another_format_is_refused(text: str, pointer: str) -> None:
    with pytest.raises(Refused) as refused:
        expecting(text, check("a", "SUCCESS"))
    assert (refused.value.reason_code, refused.value.pointer) == (
        "EXPECTED_FAILURES_INVALID",
        pointer,
    )


def test_only_the_suite_has_expected_failures() -> None:
    with pytest.raises(Invalid, match="EXPECTED_FAILURES_UNUSED"):
        read_report({"a.json": b'{"result": {}}'}, expected_failures=b"server: []")


# --- the Inspector ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "verdict"),
    [
        ({"result": {"tools": []}}, Verdict.PASS),
        ({"result": {"content": [], "isError": True}}, Verdict.FAIL),
        ({"error": {"code": "tool_is_error", "message": "x"}}, Verdict.FAIL),
        ({"error": {"code": "tool_not_found", "message": "x"}}, Verdict.FAIL),
        ({"error": {"code": "auth_required", "message": "x", "status": 401}}, Verdict.INCONCLUSIVE),
        ({"error": {"code": "unreachable", "message": "x"}}, Verdict.INCONCLUSIVE),
        ({"error": {"code": "error", "message": "usage"}}, Verdict.INCONCLUSIVE),
        ({"error": {"code": "of_tomorrow", "message": "x"}}, Verdict.INCONCLUSIVE),
        ({"error": {"code": "no_app", "message": "x"}}, Verdict.INCONCLUSIVE),
    ],
)
def test_a_run_of_the_inspector_has_the_verdict_of_its_class(
    document: object, verdict: Verdict
) -> None:
    report = read_report({"call.json": json.dumps(document).encode()})
    assert (report.source, report.verdict) == (Source.INSPECTOR, verdict)


def lints(*findings: dict[str, Any]) -> dict[str, Any]:
    listed = [{"schema": "inputSchema", "issue": "m", **found} for found in findings]
    return {"result": {"tools": []}, "schemaFindings": [{"toolName": "t", "findings": listed}]}


def test_both_streams_in_one_file_are_one_run() -> None:
    found = lints(
        {"rule": "boolean-schema", "severity": "error", "path": "properties.a"},
        {"rule": "type-union", "severity": "warning", "path": "properties.b"},
    )
    error = {"error": {"code": "schema_unportable", "message": "1 error"}}
    words = "1 error, 1 warning across 1 tool."
    text = f"{json.dumps(found)}\nTool: t\n{words}\n{json.dumps(error)}\n"
    report = read_report({"list.json": text.encode()})
    assert verdicts(report) == {
        "list.json": "FAIL",
        "list.json:t:boolean-schema:inputSchema/properties.a": "FAIL",
        "list.json:t:type-union:inputSchema/properties.b": "WARN",
    }
    apart = read_report({"list.err": f"{words}\n{json.dumps(error)}\n".encode()})
    assert verdicts(apart) == {"list.err": "FAIL"}


def test_a_lint_of_unknown_severity_is_no_warning() -> None:
    found = lints(
        {"rule": "type-union", "path": "a"},
        {"rule": "of-tomorrow", "path": "b"},
        {"rule": "type-union", "path": "c", "severity": "fatal"},
    )
    report = read_report({"l": json.dumps(found).encode()})
    assert list(verdicts(report).values()) == ["PASS", "WARN", "FAIL", "FAIL"]


@pytest.mark.parametrize(
    "content",
    [
        b"{}",
        b'{"error": "x"}',
        b'{"result": {}, "schemaFindings": 1}',
        b'{"result": {}, "schemaFindings": [{}]}',
        b'{"a"',
        b"1",
    ],
)
def test_what_the_inspector_never_prints_is_refused(content: bytes) -> None:
    with pytest.raises(Refused):
        read_report({"a.json": content}, Source.INSPECTOR)


# --- JUnit ------------------------------------------------------------------------------------


def junit(body: str, **suite: object) -> Imported:
    said = "".join(f' {name}="{value}"' for name, value in suite.items())
    text = f'<testsuites><testsuite name="s"{said}>{body}</testsuite></testsuites>'
    return read_report({"r.xml": text.encode()})


@pytest.mark.parametrize(
    ("case", "verdict"),
    [
        ('<testcase classname="c" name="n"/>', "PASS"),
        ('<testcase classname="c" name="n"><failure message="m"/></testcase>', "FAIL"),
        ('<testcase classname="c" name="n"><error type="E"/></testcase>', "INCONCLUSIVE"),
        ('<testcase classname="c" name="n"><skipped/></testcase>', "NOT_RUN"),
        ('<testcase classname="c" name="n" status="notrun"/>', "NOT_RUN"),
        ('<testcase classname="c" name="n"><failure/><error/></testcase>', "FAIL"),
        ('<testcase classname="c" name="n"><error/><failure/></testcase>', "FAIL"),
        (
            '<testcase name="c:n"/><testcase classname="c" name="n"><failure/></testcase>',
            "FAIL",
        ),
        ('<testcase classname="c" name="n"><system-out>failure</system-out></testcase>', "PASS"),
    ],
)
def test_a_test_has_the_verdict_of_what_it_holds(case: str, verdict: str) -> None:
    assert verdicts(junit(case)) == {"c:n": verdict}


def test_a_skip_or_an_error_is_never_a_pass() -> None:
    passed = '<testcase name="a"/>'
    assert junit(passed).verdict is Verdict.PASS
    assert junit(passed + '<testcase name="b"><skipped/></testcase>').verdict == "INCONCLUSIVE"
    assert junit(passed + '<testcase name="b"><error/></testcase>').verdict == "INCONCLUSIVE"
    assert junit("").verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("said", [{"tests": 2}, {"failures": 1}, {"errors": 1}])
def test_a_report_that_shows_less_than_it_says_is_inconclusive(said: dict[str, int]) -> None:
    assert junit('<testcase name="a"/>', **said).verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("said", ["1e9", "nan", "-5", "2.5", "9" * 10, "9" * 5_000])
def test_a_suite_whose_counts_cannot_be_read_is_inconclusive(said: str) -> None:
    assert junit('<testcase name="a"/>', tests=said).verdict is Verdict.INCONCLUSIVE


def test_what_the_whole_report_counts_has_to_be_shown_as_well() -> None:
    def report(counts: str) -> Imported:
        text = f'<testsuites {counts}><testsuite name="s"><testcase name="a"/></testsuite>'
        return read_report({"r.xml": f"{text}</testsuites>".encode()})

    assert report('tests="1" failures="0" errors="0"').verdict is Verdict.PASS
    assert report('tests="2"').verdict is Verdict.INCONCLUSIVE
    assert report('tests="1" failures="1"').verdict is Verdict.INCONCLUSIVE
    assert report('errors="many"').verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        ('<failure message="m"/>', Verdict.FAIL),
        ('<error message="the setup died"/>', Verdict.INCONCLUSIVE),
        ('<testcase name="b" status="failed"/>', Verdict.FAIL),
        ('<testcase name="b" result="Error"/>', Verdict.INCONCLUSIVE),
        ('<testcase name="b" status="run" result="completed"/>', Verdict.PASS),
        ('<testcase name="b" xmlns:q="urn:q"><q:failure/></testcase>', Verdict.FAIL),
    ],
)
def test_a_failure_is_heard_wherever_a_writer_says_it(more: str, verdict: Verdict) -> None:
    assert junit(f'<testcase name="a"/>{more}').verdict is verdict


@pytest.mark.parametrize("codec", ["utf-7", "rot13", "base64", "big5", "klingon"])
def test_an_encoding_that_cannot_be_read_is_a_refusal(codec: str) -> None:
    text = f'<?xml version="1.0" encoding="{codec}"?><testsuite><testcase name="a"/></testsuite>'
    with pytest.raises(Refused, match="its encoding"):
        read_report({"r.xml": text.encode()}, Source.JUNIT)


def test_our_own_junit_reads_back_with_its_verdict() -> None:
    outcomes = [
        {"id": "x.pass", "verdict": "PASS", "message": "ok"},
        {"id": "x.fail", "verdict": "FAIL", "message": "no", "reason_code": "X"},
        {"id": "x.open", "verdict": "INCONCLUSIVE", "message": "?"},
    ]
    text = ours.render(Report(title="t", subject="s", verdict="FAIL", outcomes=outcomes))
    read = verdicts(read_report({"r.xml": text.encode()}))
    assert read == {"t:x.pass": "PASS", "t:x.fail": "FAIL", "t:x.open": "INCONCLUSIVE"}


@pytest.mark.parametrize(
    "content",
    [
        b"<testsuite>",
        b"<html/>",
        b'<!DOCTYPE x [<!ENTITY a "b">]><testsuite>&a;</testsuite>',
        b"<testsuite>" + b"<properties>" * 100 + b"</properties>" * 100 + b"</testsuite>",
        b"not xml",
    ],
)
def test_what_is_no_junit_is_refused(content: bytes) -> None:
    with pytest.raises(Refused, match="IMPORT_UNREADABLE"):
        read_report({"r.xml": content}, Source.JUNIT)


# --- all of them ------------------------------------------------------------------------------


def test_files_of_several_tools_are_no_one_report() -> None:
    with pytest.raises(Refused, match="several tools"):
        read_report({"a.xml": b"<testsuite/>", "b.json": b'{"result": {}}'})
    with pytest.raises(Refused, match="IMPORT_UNREADABLE"):
        read_report({})


def test_a_report_without_end_is_refused() -> None:
    with pytest.raises(LimitExceeded, match="IMPORT_TOO_LARGE"):
        junit("".join(f'<testcase name="{n}"/>' for n in range(5_001)))


def test_what_comes_from_outside_is_cut_and_masked() -> None:
    secret = "password=hunter2hunter2"
    report = read_report(tree(check("a", "FAILURE", errorMessage=f"cannot log in: {secret}")))
    assert "hunter2" not in repr(report)
    long = read_report(tree(check("b" * 9_999, "FAILURE", errorMessage="x" * 9_999)))
    assert len(long.outcomes[0].id) < 400
    assert len(long.outcomes[0].message) < 600


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.binary(max_size=60)
    | st.sampled_from([b"[", b"{", b"<testsuite>", b'[{"id": 1}]', b'[{"id": "a"}]', b"[[]]"]),
    st.sampled_from([None, *Source]),
)
def test_no_bytes_bring_the_reader_down(content: bytes, source: Source | None) -> None:
    try:
        report = read_report({f"server-a-{WHEN}/checks.json": content}, source)
    except BundlegateError:
        return  # said with a reason, which is all that is asked
    assert report.outcomes
