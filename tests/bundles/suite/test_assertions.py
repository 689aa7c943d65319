"""Cases judged by what came back for them."""

import json
from typing import Any

import pytest

from bundles.mcp.wire import MODERN, PROTOCOL_VERSION_KEY
from bundles.suite.assertions import judge_case
from bundles.suite.extraction import Extracted, NotExtracted, extract_body, extract_structured
from bundles.suite.judge import SuiteReport, judge_suite, probe_id, verdict_of
from bundles.suite.model import Assertion, Case, Operation, Suite, load_suite
from bundles.suite.outcomes import CaseOutcome, CaseStatus
from bundles.transcript import Exchange, Failure
from bundles.verdict import Verdict


def case(*assertions: Assertion, operation: Operation | None = None) -> Case:
    called = operation or Operation("callTool", "t", {})
    return Case("c", "C", 1000, called, assertions or (Assertion("isError"),))


def answer(result: Any) -> Exchange:
    return Exchange("suite:s:c", 0, {}, status=200, message={"id": 1, "result": result})


def failed(failure: Failure, note: str = "") -> Exchange:
    return Exchange("suite:s:c", 0, {}, failure=failure, note=note)


def text(*texts: str, **members: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": each} for each in texts], **members}


def judged(result: Any, *assertions: Assertion, secrets: tuple[str, ...] = ()) -> CaseOutcome:
    return judge_case(case(*assertions), answer(result), secrets=secrets)


@pytest.mark.parametrize(
    ("body", "value", "form"),
    [
        ('{"a":1}', {"a": 1}, "json"),
        (" [1] ", [1], "json"),
        ("21", "21", "text"),
        ("null", "null", "text"),
        ('"x"', '"x"', "text"),
        ("[NaN]", "[NaN]", "text"),
        ("\ufeff{}", "\ufeff{}", "text"),
        ("\u00a0{}", "\u00a0{}", "text"),
        ("", "", "text"),
    ],
)
def test_only_objects_and_arrays_become_structure(body: str, value: Any, form: str) -> None:
    assert extract_body(text(body)) == Extracted(value, form)


@pytest.mark.parametrize(
    ("result", "code", "actual"),
    [
        ({}, "CONTENT_NOT_ARRAY", "undefined"),
        ({"content": None}, "CONTENT_NOT_ARRAY", "null"),
        ({"content": {}}, "CONTENT_NOT_ARRAY", "object"),
        ({"content": []}, "CONTENT_BLOCK_COUNT", 0),
        (text("a", "b"), "CONTENT_BLOCK_COUNT", 2),
        ({"content": [None]}, "CONTENT_BLOCK_NOT_TEXT", "null"),
        ({"content": [{}]}, "CONTENT_BLOCK_NOT_TEXT", "undefined"),
        ({"content": [{"type": "image"}]}, "CONTENT_BLOCK_NOT_TEXT", "image"),
        ({"content": [{"type": 5}]}, "CONTENT_BLOCK_NOT_TEXT", "5"),
        ({"content": [{"type": None}]}, "CONTENT_BLOCK_NOT_TEXT", "null"),
        ({"content": [{"type": []}]}, "CONTENT_BLOCK_NOT_TEXT", "array"),
        ({"content": [{"type": "text"}]}, "CONTENT_TEXT_MISSING", "undefined"),
        ({"content": [{"type": "text", "text": True}]}, "CONTENT_TEXT_MISSING", "boolean"),
    ],
)
def test_anything_but_one_text_block_is_no_body(result: Any, code: str, actual: Any) -> None:
    extracted = extract_body(result)
    assert isinstance(extracted, NotExtracted)
    assert (extracted.code, extracted.actual) == (code, actual)
    outcome = judged(result, Assertion("bodyMatchesSchema", schema={"type": "string"}))
    assert outcome.status is CaseStatus.FAILED
    assert outcome.assertions[0].code == "BODY_EXTRACTION_FAILED"
    assert outcome.assertions[0].actual == actual


def test_the_body_is_compared_whether_or_not_it_is_an_error() -> None:
    wanted = Assertion("bodyMatchesSchema", schema={"type": "object", "required": ["temp"]})
    assert judged(text('{"temp":1}', isError=True), wanted).status is CaseStatus.PASSED
    outcome = judged(text('{"temperature":1}'), wanted)
    shown = outcome.to_dict()["assertions"][0]
    assert (shown["code"], shown["totalViolations"]) == ("BODY_SCHEMA_MISMATCH", 1)
    assert shown["violations"][0]["path"] == "$.temp"
    assert "Found fields: 'temperature'" in shown["violations"][0]["message"]


def test_structured_content_stands_for_itself() -> None:
    wanted = Assertion("structuredContentMatchesSchema", schema={"type": "object"})
    assert judged(text("x", structuredContent={}), wanted).status is CaseStatus.PASSED
    absent = judged(text("{}"), wanted).assertions[0]
    assert absent.code == "STRUCTURED_CONTENT_EXTRACTION_FAILED"
    null = judged(text("{}", structuredContent=None), wanted).assertions[0]
    assert null.code == "STRUCTURED_CONTENT_SCHEMA_MISMATCH"
    assert extract_structured({"structuredContent": None}) == Extracted(None, "json")


@pytest.mark.parametrize(
    ("members", "actual"),
    [
        ({"isError": True}, True),
        ({"isError": False}, False),
        ({}, False),
        ({"isError": "y"}, False),
    ],
)
def test_is_error_is_true_or_it_is_false(members: dict[str, Any], actual: bool) -> None:
    outcome = judged(text("no", **members), Assertion("isError", expected=actual))
    assert outcome.status is CaseStatus.PASSED
    other = judged(text("no", **members), Assertion("isError", expected=not actual))
    assert other.assertions[0].code == "IS_ERROR_MISMATCH"
    assert other.assertions[0].notes == ("no",)


def test_a_contradiction_fails_one_side() -> None:
    outcome = judged(text("x"), Assertion("isError", expected=True), Assertion("isError"))
    assert [assertion.status for assertion in outcome.assertions] == ["failed", "passed"]
    assert outcome.status is CaseStatus.FAILED


def test_what_the_server_said_is_masked_before_it_is_cut() -> None:
    said = text('{"Access-Token":"hush","error":"key s3cr3t expired"}', isError=True)
    note = judged(said, Assertion("isError"), secrets=("s3cr3t",)).assertions[0].notes[0]
    assert note == '{"Access-Token":"[REDACTED]","error":"key [REDACTED] expired"}'
    long = text("\x1b]0;x\x07line one\n\n" + "y" * 300, isError=True)
    notes = judged(long, Assertion("isError")).assertions[0].notes
    assert notes[0] == "\\u001b]0;x\\u0007line one"
    assert len(notes) == 2
    assert notes[1].endswith("… (316 characters)")


def test_a_tool_is_looked_for_on_every_page() -> None:
    listing = case(Assertion("toolExists", "b"), operation=Operation("listTools"))
    pages = (
        answer({"tools": [{"name": "a"}, {"name": "Z"}, None, {}], "nextCursor": "1"}),
        answer({"tools": [{"name": "b"}, {"name": "a"}]}),
    )
    assert judge_case(listing, *pages).status is CaseStatus.PASSED
    outcome = judge_case(listing, answer({**pages[0].result, "nextCursor": None}))
    assert outcome.assertions[0].actual == ["Z", "a"]
    assert outcome.assertions[0].message == "tool 'b' not found. Found tools: 'Z', 'a'"
    crowd = answer({"tools": [{"name": f"t{number:03}"} for number in range(100)]})
    outcome = judge_case(listing, crowd)
    assert outcome.assertions[0].message.endswith("'t019' and 80 more")
    assert len(outcome.assertions[0].actual) == 100


def test_what_a_server_calls_a_block_is_masked_and_cut() -> None:
    blocks = {"content": [{"type": "s3cr3t\x1b" + "y" * 100_000}]}
    for assertion in (
        Assertion("bodyMatchesSchema", schema={"type": "null"}),
        Assertion("valueAt", given={"in": "body", "pointer": "", "equals": 1}),
    ):
        (failed,) = judged(blocks, assertion, secrets=("s3cr3t",)).assertions
        told = json.dumps(failed.to_dict())
        assert "CONTENT_BLOCK_NOT_TEXT" in told
        assert "[REDACTED]" in told
        assert "s3cr3t" not in told
        assert "\x1b" not in failed.message
        assert len(told) < 1_000


@pytest.mark.parametrize("expected", [True, False])
def test_a_protocol_error_is_no_error_result(expected: bool) -> None:
    error = {"id": 1, "error": {"code": -32602, "message": "unknown tool"}}
    exchange = Exchange("suite:s:c", 0, {}, status=400, message=error)
    outcome = judge_case(case(Assertion("isError", expected=expected)), exchange)
    assert outcome.status is CaseStatus.OPERATION_FAILED
    assert verdict_of(outcome) is Verdict.FAIL
    assert outcome.assertions[0].status == "skipped"
    shown = outcome.to_dict()
    assert shown["status"] == "failed"
    assert shown["operation"]["error"] == {"code": -32602, "message": "unknown tool"}


@pytest.mark.parametrize(
    ("exchange", "status", "verdict"),
    [
        (failed(Failure.TIMEOUT), CaseStatus.TIMED_OUT, Verdict.INCONCLUSIVE),
        (failed(Failure.CLOSED), CaseStatus.OPERATION_FAILED, Verdict.INCONCLUSIVE),
        (failed(Failure.UNREACHABLE), CaseStatus.NOT_RUN, Verdict.NOT_RUN),
        (failed(Failure.TOO_LARGE), CaseStatus.OPERATION_FAILED, Verdict.INCONCLUSIVE),
        (failed(Failure.BUDGET, "out of time"), CaseStatus.NOT_RUN, Verdict.NOT_RUN),
        (answer(None), CaseStatus.OPERATION_FAILED, Verdict.FAIL),
        (
            answer({"resultType": "input_required"}),
            CaseStatus.OPERATION_FAILED,
            Verdict.INCONCLUSIVE,
        ),
        (
            Exchange("suite:s:c", 0, {}, status=500, body="oops", parse_error="no JSON"),
            CaseStatus.OPERATION_FAILED,
            Verdict.FAIL,
        ),
        (
            Exchange("suite:s:c", 0, {}, status=200, parse_error="JSON_TOO_DEEP: deeper than 128"),
            CaseStatus.OPERATION_FAILED,
            Verdict.INCONCLUSIVE,
        ),
        (
            Exchange("suite:s:c", 0, {}, status=503, body="try later", parse_error="no JSON"),
            CaseStatus.OPERATION_FAILED,
            Verdict.INCONCLUSIVE,
        ),
        (
            Exchange("suite:s:c", 0, {"id": 1}, status=401, message={"id": None, "error": {}}),
            CaseStatus.OPERATION_FAILED,
            Verdict.INCONCLUSIVE,
        ),
    ],
)
def test_only_an_answer_can_fail_a_case_for_certain(
    exchange: Exchange, status: CaseStatus, verdict: Verdict
) -> None:
    outcome = judge_case(case(), exchange)
    assert outcome.status is status
    assert verdict_of(outcome) is verdict
    assert outcome.operation.why
    assert all(assertion.status != "passed" for assertion in outcome.assertions)


@pytest.mark.parametrize("received", [2, "1", None, 1.0, True])
def test_an_answer_to_another_call_is_no_answer(received: Any) -> None:
    outcome = judge_case(case(), received_as({"id": received}))
    assert (outcome.status, verdict_of(outcome)) == (CaseStatus.OPERATION_FAILED, Verdict.FAIL)
    assert judge_case(case(), received_as({})).status is CaseStatus.PASSED


def received_as(changes: dict[str, Any], **members: Any) -> Exchange:
    """What came back for a call over the wire; of `changes`, None takes a member away."""
    message = {"jsonrpc": "2.0", "id": 1, "result": {"content": []}} | changes
    told = {"params": {"_meta": {PROTOCOL_VERSION_KEY: MODERN}}}
    request = {"id": 1, "method": "tools/call"} | members.pop("request", told)
    kept = {name: value for name, value in message.items() if value != REMOVED}
    return Exchange("suite:s:c", 0, request, message=kept, **members)


REMOVED = "removed"
JSON_TYPE = {"content-type": "application/json; charset=utf-8"}


@pytest.mark.parametrize(
    "exchange",
    [
        received_as({"jsonrpc": REMOVED}),
        received_as({"jsonrpc": "1.0"}),
        received_as({"jsonrpc": 2.0}),
        *(
            received_as({}, status=code, headers=JSON_TYPE)
            for code in (302, 400, 401, 429, 500, 503)
        ),
        received_as({}, status=200, headers={"content-type": "text/html"}),
        received_as({}, status=200),
        received_as({"result": {"resultType": "task", "taskId": "1"}}),
        received_as({"result": {"resultType": 5, "content": []}}),
        *(
            received_as({"result": {"content": [], "isError": odd}})
            for odd in ("true", "y", 1, None)
        ),
    ],
)
@pytest.mark.parametrize("expected", [True, False])
def test_a_result_that_no_client_reads_is_no_answer(exchange: Exchange, expected: bool) -> None:
    outcome = judge_case(case(Assertion("isError", expected=expected)), exchange)
    assert (outcome.status, verdict_of(outcome)) == (CaseStatus.OPERATION_FAILED, Verdict.FAIL)


@pytest.mark.parametrize(
    "exchange",
    [
        received_as({}, status=200, headers=JSON_TYPE),
        received_as({}, status=200, headers={"content-type": "Text/Event-Stream"}),
        received_as({"result": {"resultType": "complete", "content": [], "isError": False}}),
        received_as({"result": {"resultType": "page", "content": []}}, request={"params": {}}),
    ],
)
def test_a_result_that_clients_read_is_an_answer(exchange: Exchange) -> None:
    assert judge_case(case(), exchange).status is CaseStatus.PASSED


@pytest.mark.parametrize(
    ("cursors", "verdict"),
    [
        (("1", None), Verdict.PASS),
        (("", None), Verdict.PASS),
        (("1", "1"), Verdict.FAIL),
        (("1", "2", "1"), Verdict.FAIL),
        ((7,), Verdict.FAIL),
        (("1", {}), Verdict.FAIL),
        (("1", "2", "3"), Verdict.INCONCLUSIVE),
    ],
)
def test_nothing_is_said_of_a_list_that_is_not_known_to_its_end(
    cursors: tuple[Any, ...], verdict: Verdict
) -> None:
    listing = case(Assertion("toolExists", "a"), operation=Operation("listTools"))
    pages = [answer({"tools": [{"name": "a"}], "nextCursor": cursor}) for cursor in cursors]
    assert verdict_of(judge_case(listing, *pages)) is verdict


def test_suites_whose_ids_hold_colons_do_not_answer_for_each_other() -> None:
    ids = ("a", "a:", "a:b", "a%3A", "a%3Ab", "%", "b:c", "c", ":", ":c")
    named = [probe_id(suite_id, case_id) for suite_id in ids for case_id in ids]
    assert len(set(named)) == len(named)
    assert probe_id("weather", "oslo: cold") == "suite:weather:oslo: cold"


def test_a_list_that_is_no_list_fails_for_certain() -> None:
    listing = case(Assertion("toolExists", "b"), operation=Operation("listTools"))
    outcome = judge_case(listing, answer({"tools": {}}))
    assert (outcome.status, verdict_of(outcome)) == (CaseStatus.OPERATION_FAILED, Verdict.FAIL)


def suite(*names: str) -> Suite:
    cases = [
        {
            "id": name,
            "name": name.upper(),
            "operation": {"type": "callTool", "tool": "t", "input": {}},
            "assertions": [{"type": "isError", "expected": False}],
        }
        for name in names
    ]
    return load_suite({"schemaVersion": 1, "id": "s", "name": "S", "cases": cases})


def exchange(name: str, result: Any = None, failure: Failure | None = None) -> Exchange:
    message = None if failure else {"id": 1, "result": result}
    return Exchange(probe_id("s", name), 0, {}, message=message, failure=failure)


def test_a_suite_passes_when_every_case_does() -> None:
    report = judge_suite(suite("a", "b"), [exchange("b", {}), exchange("a", {})])
    assert report.verdict is Verdict.PASS
    assert [made.id for made in report.cases] == ["a", "b"]
    assert report.to_dict()["status"] == "passed"


def test_a_failure_outweighs_what_is_unknown_and_unknown_outweighs_a_pass() -> None:
    bad = exchange("a", {"isError": True})
    slow = exchange("b", failure=Failure.TIMEOUT)
    report = judge_suite(suite("a", "b", "c"), [bad, slow])
    assert report.verdict is Verdict.FAIL
    assert report.summary == {
        "total": 3,
        "passed": 0,
        "failed": 1,
        "timedOut": 1,
        "operationFailed": 0,
        "notRun": 1,
        "rejectionUnverified": 0,
    }
    report = judge_suite(suite("a", "b"), [exchange("a", {}), slow])
    assert report.verdict is Verdict.INCONCLUSIVE
    assert judge_suite(suite("a"), []).verdict is Verdict.INCONCLUSIVE


def test_a_rejection_that_nothing_explains_is_counted_where_the_case_passed() -> None:
    expected = Assertion("isError", expected=True)
    asked = case(expected)
    crash = judge_case(asked, answer(text("boom", isError=True)))
    assert (crash.status, crash.rejection) == (CaseStatus.PASSED, "unverified")
    refused = judge_case(asked, answer(text("MCP error -32602: bad", isError=True)))
    assert refused.rejection == "verified"
    accepted = judge_case(asked, answer(text("MCP error -32602: bad")))
    assert (accepted.status, accepted.rejection) == (CaseStatus.FAILED, "unverified")
    assert judge_case(asked, failed(Failure.TIMEOUT)).rejection == "unverified"
    assert judge_case(asked).rejection == "notApplicable", "it was never run"
    assert judged(text("x"), Assertion("isError")).rejection == "notApplicable"
    report = SuiteReport("s", "S", (crash, refused, accepted))
    assert report.summary["rejectionUnverified"] == 1
    assert report.unverified_rejections == (crash,)
