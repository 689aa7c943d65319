"""What version 2 asserts of an answer, captures from it and answers back."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.mcp.probes import REDACTED
from bundles.suite.assertions import judge_case, not_run
from bundles.suite.diagnostics import sentence
from bundles.suite.language import KOREAN
from bundles.suite.model import Case, Suite, load_suite
from bundles.suite.outcomes import CaseOutcome, CaseStatus
from bundles.transcript import Exchange, Failure

Json = dict[str, Any]

CALL = {"type": "callTool", "tool": "t", "input": {}}


def loaded(*assertions: Json, operation: Json = CALL, **members: Any) -> Case:
    expected = list(assertions) or [{"type": "maxLatencyMs", "ms": 100}]
    case = {"id": "c", "name": "C", "operation": operation, "assertions": expected, **members}
    head = {"schemaVersion": 2, "format": "bundlegate", "id": "s", "name": "S"}
    return load_suite({**head, "cases": [case]}).cases[0]


def answer(result: Any, elapsed_us: int = 0) -> Exchange:
    message = {"id": 1, "result": result}
    return Exchange("suite:s:c", 0, {}, status=200, message=message, elapsed_us=elapsed_us)


def refusal(code: Any = -32602, text: Any = "unknown tool") -> Exchange:
    return Exchange("suite:s:c", 0, {}, message={"id": 1, "error": {"code": code, "message": text}})


def text(body: str) -> Json:
    return {"content": [{"type": "text", "text": body}]}


def only(outcome: CaseOutcome) -> tuple[str, str, str]:
    (assertion,) = outcome.assertions
    return assertion.status, assertion.code, assertion.message


RESULT: Json = {
    "structuredContent": {"id": 7, "tags": ["a", {"b": 1}], "token": "s3cr3t", "none": None},
    **text('{"id": 8, "say": "hello world"}'),
}


@pytest.mark.parametrize(
    "condition",
    [
        {"pointer": "/structuredContent/id", "equals": 7.0},
        {"pointer": "/structuredContent/none", "equals": None},
        {"pointer": "/structuredContent/tags/1", "equals": {"b": 1}},
        {"pointer": "/structuredContent/tags", "contains": {"b": 1}},
        {"pointer": "/say", "in": "body", "contains": "lo wo"},
        {"pointer": "/id", "in": "body", "equals": 8},
        {"pointer": "/structuredContent/nothing", "absent": True},
        {"pointer": "/structuredContent/none", "absent": False},
        {"pointer": "/structuredContent/tags/2", "absent": True},
        {"pointer": "/structuredContent/tags/-", "absent": True},
        {"pointer": "/structuredContent/tags/00", "absent": True},
    ],
)
def test_a_value_is_where_the_pointer_leads(condition: Json) -> None:
    case = loaded({"type": "valueAt", **condition})
    assert judge_case(case, answer(RESULT)).status is CaseStatus.PASSED


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (
            {"pointer": "/structuredContent/id", "equals": "7"},
            '/structuredContent/id: expected the value "7", got 7',
        ),
        (
            {"pointer": "/structuredContent/id", "equals": True},
            "/structuredContent/id: expected the value true, got 7",
        ),
        (
            {"pointer": "/structuredContent/id", "contains": 7},
            "/structuredContent/id: expected something that contains 7, got 7",
        ),
        (
            {"pointer": "/say", "in": "body", "contains": "HELLO"},
            'the body at /say: expected something that contains "HELLO", got "hello world"',
        ),
        ({"pointer": "/a~1b", "equals": 1}, "there is nothing at /a~1b"),
        ({"pointer": "/a", "absent": False}, "there is nothing at /a"),
        ({"pointer": "/content/9999999", "equals": 1}, "there is nothing at /content/9999999"),
        (
            {"pointer": "/structuredContent/token", "equals": "other"},
            "/structuredContent/token: expected the value [REDACTED], got [REDACTED]",
        ),
        (
            {"pointer": "/structuredContent", "absent": True},
            (
                "expected nothing at /structuredContent, got "
                '{"id":7,"tags":["a",{"b":1}],"token":"[REDACTED]","none":null}'
            ),
        ),
    ],
)
def test_a_value_that_is_not_there_is_said(condition: Json, message: str) -> None:
    case = loaded({"type": "valueAt", **condition})
    assert only(judge_case(case, answer(RESULT))) == ("failed", "VALUE_MISMATCH", message)


def test_without_a_body_nothing_is_absent_from_it() -> None:
    case = loaded({"type": "valueAt", "in": "body", "pointer": "/a", "absent": True})
    outcome = judge_case(case, answer({"content": []}))
    assert only(outcome)[2] == "the result has no body: CONTENT_BLOCK_COUNT, found 0"


def test_secrets_are_masked_in_what_is_quoted() -> None:
    case = loaded({"type": "valueAt", "in": "body", "pointer": "", "equals": 1})
    outcome = judge_case(case, answer(text("say s3cr3t!")), secrets=("s3cr3t",))
    assert only(outcome)[2] == 'the body: expected the value 1, got "say [REDACTED]!"'


def test_the_body_of_a_resource_is_its_only_text() -> None:
    read = {"type": "readResource", "uri": "x:y"}
    case = loaded({"type": "valueAt", "in": "body", "pointer": "/a", "equals": 1}, operation=read)
    passing = judge_case(case, answer({"contents": [{"uri": "x:y", "text": '{"a":1}'}]}))
    assert passing.status is CaseStatus.PASSED
    for contents, found in (
        (None, 'CONTENT_NOT_ARRAY, found "null"'),
        ([], "CONTENT_BLOCK_COUNT, found 0"),
        ([7], 'CONTENT_BLOCK_NOT_TEXT, found "number"'),
        ([{"blob": "AA=="}], 'CONTENT_TEXT_MISSING, found "undefined"'),
    ):
        outcome = judge_case(case, answer({"contents": contents}))
        assert only(outcome)[2] == f"the result has no body: {found}"


def whole(schema: Json, **members: Any) -> Json:
    return {"type": "jsonMatchesSchema", "schema": schema, **members}


def test_a_json_schema_is_compared_whole() -> None:
    schema = {
        "$defs": {"id": {"type": "integer", "multipleOf": 7}},
        "properties": {"id": {"$ref": "#/$defs/id"}, "tags": {"contains": {"required": ["b"]}}},
        "unevaluatedProperties": {"type": ["string", "null"]},
    }
    case = loaded(whole(schema, pointer="/structuredContent"))
    assert judge_case(case, answer(RESULT)).status is CaseStatus.PASSED


def test_a_comparison_that_would_take_too_long_is_not_begun() -> None:
    down = {"properties": {"in": {"$ref": "#"}}}
    value: Json = {}
    for _ in range(60):
        value = {"in": value}
    case = loaded(whole({"anyOf": [down, down]}, pointer="/structuredContent"))
    (failed,) = judge_case(case, answer({"structuredContent": value})).assertions
    assert failed.message.endswith("comparing it with this JSON Schema would take too long")


def test_what_fails_in_too_many_ways_fails_without_a_list() -> None:
    down = {"properties": {"in": {"$ref": "#"}}, "required": ["more"]}
    value: Json = {}
    for _ in range(18):
        value = {"in": value}
    case = loaded(whole({"anyOf": [down, down]}, pointer="/structuredContent"))
    (failed,) = judge_case(case, answer({"structuredContent": value})).assertions
    assert failed.status == "failed"
    assert failed.message.endswith("differs from the expected JSON Schema; too much to say where")


def test_what_breaks_a_json_schema_is_listed_without_secrets() -> None:
    schema = {
        "required": ["missing"],
        "properties": {"id": {"maximum": 5}, "token": {"const": 1}, "none": {"format": "date"}},
    }
    case = loaded(whole(schema, pointer="/structuredContent"))
    (failed,) = judge_case(case, answer(RESULT)).assertions
    assert failed.code == "JSON_SCHEMA_MISMATCH"
    assert failed.total_violations == 3
    assert {violation["message"] for violation in failed.violations} == {
        (
            '/structuredContent: required "missing" does not hold of '
            '{"id":7,"tags":["a",{"b":1}],"token":"[REDACTED]","none":null}'
        ),
        "/structuredContent/id: maximum 5 does not hold of 7",
        "/structuredContent/token: const 1 does not hold of [REDACTED]",
    }


def test_what_breaks_a_json_schema_is_said_in_every_language() -> None:
    (failed,) = judge_case(loaded(whole({"maxProperties": 0})), answer({"a": 1})).assertions
    (violation,) = failed.violations
    assert violation["message"] == 'the value: maxProperties 0 does not hold of {"a":1}'
    assert (
        sentence(violation, KOREAN)
        == '값 전체: maxProperties 0 조건에 맞지 않습니다. 실제: {"a":1}'
    )


def test_formats_are_asserted_and_a_long_list_is_cut() -> None:
    case = loaded(whole({"items": {"format": "date"}}, pointer="/days"))
    assert judge_case(case, answer({"days": ["2026-12-01"]})).status is CaseStatus.PASSED
    (failed,) = judge_case(case, answer({"days": ["never"] * 25})).assertions
    assert failed.message == (
        "/days differs from the expected JSON Schema: 25 violations, the first 10 listed"
    )
    assert (len(failed.violations), failed.total_violations) == (10, 25)


def test_what_cannot_be_compared_does_not_match() -> None:
    case = loaded(whole({"items": {"$ref": "#"}}, **{"in": "body"}))
    outcome = judge_case(case, answer(text("[" * 20_000 + "]" * 20_000)))
    assert only(outcome)[2] == "the body nests deeper than 1000 levels and cannot be compared"
    outcome = judge_case(case, answer({}))
    assert only(outcome)[2] == 'the result has no body: CONTENT_NOT_ARRAY, found "undefined"'
    assert only(judge_case(loaded(whole({"type": "null"}, pointer="/a")), answer({}))) == (
        "failed",
        "JSON_SCHEMA_MISMATCH",
        "there is nothing at /a",
    )


def test_a_protocol_error_that_is_expected_passes() -> None:
    case = loaded({"type": "protocolError", "code": -32602, "messageContains": "tool"})
    outcome = judge_case(case, refusal())
    assert outcome.status is CaseStatus.PASSED
    assert outcome.operation.error == {"code": -32602, "message": "unknown tool"}


@pytest.mark.parametrize(
    ("exchange", "message"),
    [
        (answer({}), "expected JSON-RPC error -32602, got a result"),
        (refusal(-32603), "expected JSON-RPC error -32602, got error -32603"),
        (refusal("-32602"), 'expected JSON-RPC error -32602, got error "-32602"'),
        (refusal(text="no"), 'expected an error message that contains "tool", got no'),
        (refusal(text=None), 'expected an error message that contains "tool", got None'),
    ],
)
def test_another_answer_is_not_the_protocol_error(exchange: Exchange, message: str) -> None:
    case = loaded({"type": "protocolError", "code": -32602, "messageContains": "tool"})
    assert only(judge_case(case, exchange)) == ("failed", "PROTOCOL_ERROR_MISMATCH", message)


def test_no_answer_is_no_protocol_error() -> None:
    case = loaded({"type": "protocolError", "code": -32602})
    timed_out = Exchange("suite:s:c", 0, {}, failure=Failure.TIMEOUT)
    assert judge_case(case, timed_out).status is CaseStatus.TIMED_OUT
    closed = judge_case(case, Exchange("suite:s:c", 0, {}, failure=Failure.CLOSED))
    assert closed.status is CaseStatus.OPERATION_FAILED
    assert not closed.operation.certain


def test_latency_counts_every_page() -> None:
    case = loaded({"type": "maxLatencyMs", "ms": 5}, operation={"type": "listTools"})
    page = answer({"tools": []}, elapsed_us=2_500)
    assert judge_case(case, page, page).status is CaseStatus.PASSED
    outcome = judge_case(case, page, page, page)
    assert only(outcome) == (
        "failed",
        "LATENCY_EXCEEDED",
        "expected an answer within 5 ms, it took 7.5 ms",
    )


@pytest.mark.parametrize(
    ("operation", "assertion", "entries", "code"),
    [
        ("listPrompts", {"type": "promptExists", "prompt": "b"}, "prompts", "PROMPT_NOT_FOUND"),
        (
            "listResources",
            {"type": "resourceExists", "uri": "b"},
            "resources",
            "RESOURCE_NOT_FOUND",
        ),
        (
            "listResourceTemplates",
            {"type": "resourceTemplateExists", "uriTemplate": "b"},
            "resourceTemplates",
            "RESOURCE_TEMPLATE_NOT_FOUND",
        ),
    ],
)
def test_an_entry_is_looked_for_on_every_page(
    operation: str, assertion: Json, entries: str, code: str
) -> None:
    case = loaded(assertion, operation={"type": operation})
    key = next(
        name for name in ("uri", "uriTemplate", "name") if name in assertion or name == "name"
    )
    first, second = ({entries: [{key: name}, 7]} for name in ("a", "b"))
    assert judge_case(case, answer(first), answer(second)).status is CaseStatus.PASSED
    status, found, message = only(judge_case(case, answer(first)))
    assert (status, found) == ("failed", code)
    assert message.endswith("s: 'a'")
    malformed = judge_case(case, answer({}))
    assert malformed.operation.why == f"the list of {entries} is no array"
    assert malformed.operation.certain


def test_a_pointer_into_a_list_sees_every_page() -> None:
    joined = {"type": "valueAt", "pointer": "/tools/1/name", "equals": "b"}
    case = loaded(joined, operation={"type": "listTools"})
    pages = (answer({"tools": [{"name": name}]}) for name in ("a", "b"))
    assert judge_case(case, *pages).status is CaseStatus.PASSED


def test_captures_are_taken_even_from_a_case_that_fails() -> None:
    case = loaded(
        {"type": "isError", "expected": True},
        capture=[
            {"name": "id", "pointer": "/structuredContent/id"},
            {"name": "say", "in": "body", "pointer": "/say"},
        ],
    )
    outcome = judge_case(case, answer(RESULT))
    assert outcome.captured == {"id": 7, "say": "hello world"}
    assert [each.status for each in outcome.assertions] == ["failed", "passed", "passed"]
    assert "hello" not in str(outcome.to_dict()["assertions"][1:])


def test_a_capture_that_finds_nothing_fails_its_case() -> None:
    case = loaded(capture=[{"name": "id", "pointer": "/id"}])
    outcome = judge_case(case, answer({}))
    assert outcome.status is CaseStatus.FAILED
    assert outcome.captured == {}
    assert outcome.failures[0].code == "CAPTURE_NOT_FOUND"
    assert outcome.failures[0].message == "nothing to capture as 'id': there is nothing at /id"


def test_a_credential_is_not_passed_on_in_pieces() -> None:
    case = loaded(capture=[{"name": "id", "pointer": ""}])
    outcome = judge_case(case, answer({"text": [f"at {REDACTED}:jwt]"]}))
    assert outcome.captured == {}
    assert [failure.code for failure in outcome.failures] == ["CAPTURE_MASKED"]


def question(**requests: Any) -> Exchange:
    return answer({"resultType": "input_required", "inputRequests": requests})


ELICIT = {"method": "elicitation/create", "params": {}}


def test_a_case_answers_each_round_and_is_judged_by_the_last() -> None:
    case = loaded({"type": "isError", "expected": False}, answers=[{"k": {}}])
    assert judge_case(case, question(k=ELICIT), answer({})).status is CaseStatus.PASSED
    unanswered = judge_case(case, question(k=ELICIT), question(k=ELICIT))
    assert unanswered.status is CaseStatus.OPERATION_FAILED
    assert not unanswered.operation.certain
    assert unanswered.operation.why == (
        'the server asks for input, k ("elicitation/create"), and the case has no answer to it'
    )


def test_answers_the_server_never_wanted_fail_the_case() -> None:
    case = loaded({"type": "isError", "expected": False}, answers=[{"k": {}}])
    outcome = judge_case(case, answer({}))
    assert [failure.code for failure in outcome.failures] == ["ANSWERS_UNUSED"]


def test_a_case_without_answers_cannot_go_on() -> None:
    outcome = judge_case(loaded(), answer({"resultType": "input_required"}))
    assert outcome.operation.why == (
        "the server asks for input, naming none, and the case has no answers"
    )


def test_a_case_that_was_not_run_says_why() -> None:
    outcome = not_run(loaded(), "setup failed")
    assert outcome.status is CaseStatus.NOT_RUN
    assert outcome.operation.why == "setup failed"
    assert [assertion.status for assertion in outcome.assertions] == ["notRun"]


def test_a_version_2_suite_is_loaded_with_its_defaults() -> None:
    head = {"schemaVersion": 2, "format": "bundlegate", "id": "s", "name": "S"}
    case = {
        "id": "a",
        "name": "A",
        "operation": CALL,
        "assertions": [{"type": "maxLatencyMs", "ms": 9}],
    }
    suite: Suite = load_suite({**head, "cases": [case], "setup": [{**case, "id": "up"}]})
    assert (suite.version, suite.concurrency) == (2, 4)
    assert [each.id for each in suite.everything] == ["up", "a"]
    assert not suite.cases[0].independent
    assert suite.cases[0].for_profile("any")
    limited = load_suite({**head, "cases": [{**case, "profiles": ["p"]}], "concurrency": 2.0})
    assert limited.concurrency == 2
    assert limited.cases[0].for_profile("p")
    assert not limited.cases[0].for_profile("q")


NAMES = (
    *("content", "contents", "text", "type", "tools", "name", "a", "isError", "resultType"),
    *("inputRequests", "prompts", "structuredContent"),
)
ANSWERS = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(alphabet="a1{}[]", max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                [
                    "content",
                    "contents",
                    "text",
                    "type",
                    "tools",
                    "name",
                    "a",
                    "isError",
                    "resultType",
                    "inputRequests",
                    "prompts",
                    "structuredContent",
                ]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
MESSAGES = st.one_of(
    ANSWERS.map(lambda result: {"id": 1, "result": result}),
    ANSWERS.map(lambda error: {"id": 1, "error": error}),
    st.tuples(st.sampled_from([-32602, 1.5, "x", None, True]), ANSWERS).map(
        lambda error: {"id": 1, "error": {"code": error[0], "message": error[1]}}
    ),
)
EVERYTHING: list[Json] = [
    {"operation": CALL, "assertions": [{"type": "isError", "expected": False}], "answers": [{}]},
    {
        "operation": CALL,
        "assertions": [
            {"type": "valueAt", "in": "body", "pointer": "/a", "contains": "a"},
            {"type": "valueAt", "pointer": "/content/0/text", "absent": True},
            {"type": "jsonMatchesSchema", "in": "body", "schema": {"minProperties": 1}},
        ],
        "capture": [{"name": "a", "in": "body", "pointer": "/0"}],
    },
    {
        "operation": {"type": "readResource", "uri": "x:y"},
        "assertions": [{"type": "valueAt", "in": "body", "pointer": "", "equals": "a"}],
    },
    {
        "operation": {"type": "listPrompts"},
        "assertions": [
            {"type": "promptExists", "prompt": "a"},
            {"type": "jsonMatchesSchema", "pointer": "/prompts", "schema": {"maxItems": 1}},
        ],
    },
    {"operation": CALL, "assertions": [{"type": "protocolError", "code": -32602}]},
]


def _rest(members: Json) -> Json:
    return {name: value for name, value in members.items() if name != "assertions"}


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.sampled_from(EVERYTHING), st.lists(MESSAGES, min_size=1, max_size=2))
def test_whatever_a_server_answers_there_is_an_outcome(members: Json, messages: list[Json]) -> None:
    exchanges = [Exchange("suite:s:c", 0, {}, message=message) for message in messages]
    outcome = judge_case(loaded(*members["assertions"], **_rest(members)), *exchanges)
    assert (outcome.status is CaseStatus.PASSED) is (
        outcome.operation.status == "completed" and not outcome.failures
    )
    json.dumps(outcome.to_dict())
