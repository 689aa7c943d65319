"""Validation of suites: every issue, its code and its place, in the format's order."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.errors import Refused
from bundles.suite.issues import ONLY_IN_VERSION_2, IssueCode
from bundles.suite.model import load_suite
from bundles.suite.validate import validate_suite

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


def suite(**changes: Any) -> dict[str, Any]:
    document: dict[str, Any] = {"schemaVersion": 1, "id": "s", "name": "S", "cases": [call()]}
    return document | changes


def call(*assertions: Any, **changes: Any) -> dict[str, Any]:
    case: dict[str, Any] = {
        "id": "c",
        "name": "C",
        "operation": {"type": "callTool", "tool": "t", "input": {}},
        "assertions": list(assertions) or [{"type": "isError", "expected": False}],
    }
    return case | changes


def with_schema(schema: Any, kind: str = "bodyMatchesSchema") -> dict[str, Any]:
    return suite(cases=[call({"type": kind, "schema": schema})])


def issues(document: Any) -> list[tuple[str, str]]:
    return [(issue.code.value, issue.path) for issue in validate_suite(document)]


SCHEMA = "cases[0].assertions[0].schema"


def test_a_whole_suite_is_valid() -> None:
    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": {"type": "array", "minItems": 0, "items": {"type": "string", "minLength": 2}},
            "b": {"type": "integer", "minimum": 3, "maximum": 1},
            "c": {"const": {"x": [None]}},
            "d": {"enum": [1, "1"]},
            "e": {"type": "string", "maxLength": 9, "stringContains": "q"},
        },
        "additionalProperties": {"type": "null"},
    }
    document = suite(
        defaultTimeoutMs=1,
        approval={"fingerprint": "0" * 64, "cases": [{"id": "gone", "status": "serverDefect"}]},
        cases=[
            {
                "id": "l",
                "name": "L",
                "operation": {"type": "listTools"},
                "assertions": [{"type": "toolExists", "tool": "t"}],
            },
            call(
                {"type": "isError", "expected": True},
                {"type": "isError", "expected": False},
                {"type": "bodyMatchesSchema", "schema": schema},
                {"type": "structuredContentMatchesSchema", "schema": schema},
                timeoutMs=2147483647,
            ),
        ],
    )
    assert issues(document) == []


@pytest.mark.parametrize("document", [[], None, "x", 1, True])
def test_what_is_no_object_is_no_suite(document: Any) -> None:
    assert issues(document) == [("INVALID_TYPE", "$")]


def test_everything_missing_is_said_in_order() -> None:
    assert issues({}) == [
        ("MISSING_REQUIRED_FIELD", "schemaVersion"),
        ("MISSING_REQUIRED_FIELD", "id"),
        ("MISSING_REQUIRED_FIELD", "name"),
        ("MISSING_REQUIRED_FIELD", "cases"),
    ]


def test_the_root_is_looked_at_in_the_documented_order() -> None:
    document = {
        "cases": [],
        "zz": 1,
        "Z": 1,
        "approval": None,
        "defaultTimeoutMs": 0,
        "name": 1,
        "id": "",
        "schemaVersion": True,
    }
    assert issues(document) == [
        ("UNSUPPORTED_SCHEMA_VERSION", "schemaVersion"),
        ("INVALID_VALUE", "id"),
        ("INVALID_TYPE", "name"),
        ("INVALID_TIMEOUT", "defaultTimeoutMs"),
        ("INVALID_TYPE", "approval"),
        ("UNKNOWN_FIELD", "Z"),
        ("UNKNOWN_FIELD", "zz"),
        ("EMPTY_CASES", "cases"),
    ]


@pytest.mark.parametrize("blank", ["", " ", "\t\n\v\f\r", "\u00a0", "\ufeff", "\u2028\u3000"])
def test_what_javascript_calls_white_space_is_blank(blank: str) -> None:
    assert issues(suite(id=blank)) == [("INVALID_VALUE", "id")]


@pytest.mark.parametrize("name", ["\x1c", "\x85", "\u200b", " a ", "0"])
def test_what_javascript_does_not_call_white_space_is_a_name(name: str) -> None:
    assert issues(suite(id=name)) == []


@pytest.mark.parametrize("version", [1, 1.0])
def test_one_is_the_version_however_it_is_written(version: float) -> None:
    assert issues(suite(schemaVersion=version)) == []


@pytest.mark.parametrize("timeout", [0, -1, 1.5, True, "1", None, 2**31, 10**400, float("inf")])
def test_timeouts_are_whole_milliseconds_within_bounds(timeout: Any) -> None:
    found = issues(suite(defaultTimeoutMs=timeout, cases=[call(timeoutMs=timeout)]))
    assert found == [
        ("INVALID_TIMEOUT", "defaultTimeoutMs"),
        ("INVALID_TIMEOUT", "cases[0].timeoutMs"),
    ]


def test_an_approval_is_checked_for_form_alone() -> None:
    approval = {
        "fingerprint": "A" * 64,
        "cases": [{"id": "x", "status": "no"}, {"id": "x", "status": "passed"}, 5, {"id": " "}],
        "by": "me",
    }
    assert issues(suite(approval=approval)) == [
        ("INVALID_VALUE", "approval.fingerprint"),
        ("INVALID_VALUE", "approval.cases[0].status"),
        ("INVALID_VALUE", "approval.cases[1].id"),
        ("INVALID_VALUE", "approval.cases[2]"),
        ("INVALID_VALUE", "approval.cases[3].id"),
        ("INVALID_VALUE", "approval.cases[3].status"),
        ("UNKNOWN_FIELD", "approval.by"),
    ]
    assert issues(suite(approval={"fingerprint": 5})) == [("INVALID_TYPE", "approval.fingerprint")]
    assert issues(suite(approval={"cases": {}})) == [
        ("MISSING_REQUIRED_FIELD", "approval.fingerprint"),
        ("INVALID_VALUE", "approval.cases"),
    ]


def test_a_case_is_looked_at_in_the_documented_order() -> None:
    case = {"assertions": [], "operation": {}, "extra": 1, "timeoutMs": 0, "name": " ", "id": "c"}
    assert issues(suite(cases=[call(), case])) == [
        ("INVALID_VALUE", "cases[1].name"),
        ("DUPLICATE_CASE_ID", "cases[1].id"),
        ("INVALID_TIMEOUT", "cases[1].timeoutMs"),
        ("UNKNOWN_FIELD", "cases[1].extra"),
        ("MISSING_REQUIRED_FIELD", "cases[1].operation.type"),
        ("EMPTY_ASSERTIONS", "cases[1].assertions"),
    ]


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (None, [("INVALID_TYPE", "cases[0].operation")]),
        ({"type": 5, "x": 1}, ["INVALID_VALUE .type", "UNKNOWN_FIELD .x"]),
        ({"type": "listTools", "tool": "t"}, ["UNKNOWN_FIELD .tool"]),
        ({"type": "callTool"}, ["MISSING_REQUIRED_FIELD .tool", "MISSING_REQUIRED_FIELD .input"]),
        ({"type": "callTool", "tool": 1}, ["MISSING_REQUIRED_FIELD .input", "INVALID_TYPE .tool"]),
        (
            {"type": "callTool", "tool": "t", "input": []},
            ["INVALID_JSON_VALUE .input"],
        ),
        (
            {"type": "callTool", "tool": "t", "input": {"b": [float("inf")], "1": 10**400}},
            ["INVALID_JSON_VALUE .input.1", "INVALID_JSON_VALUE .input.b[0]"],
        ),
    ],
)
def test_operations(operation: Any, expected: list[Any]) -> None:
    wanted = [
        tuple(item.replace(" .", " cases[0].operation.").split(" "))
        if isinstance(item, str)
        else item
        for item in expected
    ]
    case = call(operation=operation)
    if isinstance(operation, dict) and operation.get("type") == "listTools":
        case["assertions"] = [{"type": "toolExists", "tool": "t"}]
    assert issues(suite(cases=[case])) == wanted


@pytest.mark.parametrize("kind", ["readResource", "toString", "constructor"])
def test_no_assertion_goes_with_an_operation_nobody_knows(kind: str) -> None:
    assert issues(suite(cases=[call(operation={"type": kind})])) == [
        ("INVALID_VALUE", "cases[0].operation.type"),
        ("INCOMPATIBLE_ASSERTION", "cases[0].assertions[0]"),
    ]


def test_assertions_must_go_with_the_operation() -> None:
    found = issues(
        suite(
            cases=[
                call({"type": "toolExists"}, {"type": 7}, {}, 7, {"type": "isError", "expected": 1})
            ]
        )
    )
    place = "cases[0].assertions"
    assert found == [
        ("INCOMPATIBLE_ASSERTION", f"{place}[0]"),
        ("INCOMPATIBLE_ASSERTION", f"{place}[1]"),
        ("INCOMPATIBLE_ASSERTION", f"{place}[2]"),
        ("INVALID_TYPE", f"{place}[3]"),
        ("INVALID_TYPE", f"{place}[4].expected"),
    ]


def test_without_an_operation_assertions_are_still_looked_at() -> None:
    case = call({"type": "toolExists", "tool": " "}, {"type": "no"}, {"type": 7}, {"x": 1})
    del case["operation"]
    place = "cases[0].assertions"
    assert issues(suite(cases=[case])) == [
        ("MISSING_REQUIRED_FIELD", "cases[0].operation"),
        ("INVALID_VALUE", f"{place}[0].tool"),
        ("INVALID_VALUE", f"{place}[1].type"),
        ("INVALID_TYPE", f"{place}[2].type"),
        ("MISSING_REQUIRED_FIELD", f"{place}[3].type"),
        ("UNKNOWN_FIELD", f"{place}[3].x"),
    ]


@pytest.mark.parametrize("kind", ["bodyMatchesSchema", "structuredContentMatchesSchema"])
@pytest.mark.parametrize(
    "keyword",
    ["$ref", "anyOf", "pattern", "format", "maxItems", "description", "multipleOf", "__proto__"],
)
def test_a_keyword_outside_the_subset_is_refused(kind: str, keyword: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", keyword: "x"}}}
    assert issues(with_schema(schema, kind)) == [
        ("UNSUPPORTED_SCHEMA_KEYWORD", f"{SCHEMA}.properties.a.{keyword}")
    ]


def test_a_schema_node_is_looked_at_in_the_documented_order() -> None:
    schema = {
        "zz": 1,
        "items": {},
        "properties": {"b": {}, "1": []},
        "required": [],
        "minItems": -1,
        "enum": [],
        "additionalProperties": 5,
        "type": ["object"],
        "aa": 1,
    }
    assert issues(with_schema(schema)) == [
        ("UNSUPPORTED_SCHEMA_KEYWORD", f"{SCHEMA}.aa"),
        ("UNSUPPORTED_SCHEMA_KEYWORD", f"{SCHEMA}.zz"),
        ("INVALID_VALUE", f"{SCHEMA}.type"),
        ("SCHEMA_KEYWORD_REQUIRES_TYPE", f"{SCHEMA}.additionalProperties"),
        ("SCHEMA_KEYWORD_REQUIRES_TYPE", f"{SCHEMA}.items"),
        ("SCHEMA_KEYWORD_REQUIRES_TYPE", f"{SCHEMA}.minItems"),
        ("SCHEMA_KEYWORD_REQUIRES_TYPE", f"{SCHEMA}.properties"),
        ("SCHEMA_KEYWORD_REQUIRES_TYPE", f"{SCHEMA}.required"),
        ("INVALID_TYPE", f"{SCHEMA}.enum"),
        ("INVALID_VALUE", f"{SCHEMA}.required"),
        ("INVALID_VALUE", f"{SCHEMA}.minItems"),
        ("INVALID_TYPE", f"{SCHEMA}.properties.1"),
        ("INVALID_VALUE", f"{SCHEMA}.properties.b"),
        ("INVALID_TYPE", f"{SCHEMA}.additionalProperties"),
        ("INVALID_VALUE", f"{SCHEMA}.items"),
    ]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ("x", "INVALID_TYPE "),
        ({}, "INVALID_VALUE "),
        ({"type": "object", "properties": {}}, "INVALID_VALUE .properties"),
        ({"type": "object", "properties": []}, "INVALID_TYPE .properties"),
        ({"type": "object", "required": ["a", 1]}, "INVALID_TYPE .required[1]"),
        ({"type": "object", "required": ["\ufeff"]}, "INVALID_VALUE .required[0]"),
        ({"type": "string", "minLength": True}, "INVALID_VALUE .minLength"),
        ({"type": "string", "maxLength": 2**53}, "INVALID_VALUE .maxLength"),
        ({"type": "string", "stringContains": " "}, "INVALID_VALUE .stringContains"),
        ({"type": "string", "stringContains": 1}, "INVALID_TYPE .stringContains"),
        ({"type": "number", "minimum": "1"}, "INVALID_VALUE .minimum"),
        ({"type": "integer", "maximum": float("inf")}, "INVALID_VALUE .maximum"),
        ({"const": [float("-inf")]}, "INVALID_JSON_VALUE .const[0]"),
        ({"enum": [1, {"a": float("inf")}]}, "INVALID_JSON_VALUE .enum[1].a"),
        ({"type": "string", "minimum": 1}, "SCHEMA_KEYWORD_REQUIRES_TYPE .minimum"),
        ({"type": None}, "INVALID_VALUE .type"),
    ],
)
def test_schema_values(schema: Any, expected: str) -> None:
    code, _, place = expected.partition(" ")
    assert issues(with_schema(schema)) == [(code, SCHEMA + place)]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (lambda: suite(case=[]), "not a field here; did you mean 'cases'?; this place takes sch"),
        (lambda: suite(tags=[]), "not a field here; this place takes schemaVersion, id, name, "),
        (lambda: suite(defaultTimeout=1), "; did you mean 'defaultTimeoutMs'?"),
        (lambda: suite(cases=[call(timeout_ms=1)]), "; did you mean 'timeoutMs'?"),
        (
            lambda: suite(cases=[call(operation={"type": "calltool"})]),
            "expects listTools or callTool, got 'calltool'; did you mean 'callTool'?",
        ),
        (
            lambda: suite(cases=[call({"type": "bodyMatchSchema", "schema": {}})]),
            "bodyMatchesSchema, structuredContentMatchesSchema; did you mean 'bodyMatchesSchema'?",
        ),
        (
            lambda: with_schema({"type": "string", "minLenght": 1}),
            "not a supported keyword; did you mean 'minLength'?; supported are type, const,",
        ),
        (lambda: with_schema({"type": "int"}), "got 'int'; did you mean 'integer'?"),
    ],
)
def test_a_slip_is_answered_with_the_name_that_was_meant(document: Any, said: str) -> None:
    assert said in validate_suite(document())[0].message


def test_depth_is_no_obstacle() -> None:
    schema: dict[str, Any] = {"type": "array"}
    given: list[Any] = []
    for _ in range(20_000):
        schema = {"type": "array", "items": schema}
        given = [given]
    case = call({"type": "bodyMatchesSchema", "schema": schema})
    case["operation"]["input"] = {"deep": given}
    assert issues(suite(cases=[case])) == []


@settings(max_examples=150, deadline=None, derandomize=True)
@given(JSON)
def test_any_json_gets_an_answer(document: Any) -> None:
    assert validate_suite(document)  # no random document is a suite
    assert validate_suite(suite(approval=document, cases=document))
    before = copy.deepcopy(document)
    validate_suite(with_schema(document))
    assert repr(document) == repr(before)


def test_every_code_is_of_the_format() -> None:
    assert len(set(IssueCode) - ONLY_IN_VERSION_2) == 13


def test_loading_applies_the_defaults_and_refuses_what_is_invalid() -> None:
    loaded = load_suite(suite(cases=[call(), call(id="d", timeoutMs=7.0)]))
    assert [case.timeout_ms for case in loaded.cases] == [10_000, 7]
    loaded = load_suite(suite(defaultTimeoutMs=5, cases=[call()]))
    assert loaded.cases[0].timeout_ms == 5
    with pytest.raises(Refused) as refused:
        load_suite(suite(cases=[]), path="suites/a.json")
    assert refused.value.reason_code == "SUITE_VALIDATION_FAILED"
    assert refused.value.path == "suites/a.json"
    assert refused.value.next_steps
