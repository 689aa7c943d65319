"""From version 1 to version 2: the same verdicts, and files that stay readable."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.assertions import judge_case
from bundles.suite.model import Case, load_suite
from bundles.suite.reading import parse
from bundles.suite.schema import equal
from bundles.suite.v2.upgrade import upgraded
from bundles.suite.v2.variables import resolved
from bundles.suite.validate import validate_suite
from bundles.suite.writing import written
from bundles.transcript import Exchange
from tests.bundles.suite.test_corpora import rows
from tests.bundles.suite.test_corpora import value as recorded

Json = dict[str, Any]

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet="ab${}\n", max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "$var", "$literal", "${a}"]), inner, max_size=3)
    ),
    max_leaves=8,
)
INPUTS = st.dictionaries(st.sampled_from(["a", "$var", "$literal"]), VALUES, max_size=2)
SCHEMAS: st.SearchStrategy[Json] = st.sampled_from(
    [{"type": "string", "minLength": 2}, {"const": {"a": 1}}, {"type": "array", "minItems": 1}]
)
ASSERTIONS = st.one_of(
    st.booleans().map(lambda expected: {"type": "isError", "expected": expected}),
    SCHEMAS.map(lambda schema: {"type": "bodyMatchesSchema", "schema": schema}),
    SCHEMAS.map(lambda schema: {"type": "structuredContentMatchesSchema", "schema": schema}),
)
CASES = st.builds(
    lambda given_input, assertions, more: {
        "id": "c",
        "name": "C",
        **more,
        "operation": {"type": "callTool", "tool": "t", "input": given_input},
        "assertions": assertions,
    },
    INPUTS,
    st.lists(ASSERTIONS, min_size=1, max_size=3),
    st.sampled_from([{}, {"timeoutMs": 7}]),
)
RESULTS = st.fixed_dictionaries(
    {},
    optional={
        "isError": st.booleans(),
        "structuredContent": VALUES,
        "content": VALUES.map(lambda value: [{"type": "text", "text": json.dumps(value)}]),
    },
)


def suite(*cases: Json, **members: Any) -> Json:
    return {"schemaVersion": 1, "id": "s", "name": "S", **members, "cases": list(cases)}


def ready(document: Json) -> Case:
    case = resolved(load_suite(document).cases[0], {})
    assert isinstance(case, Case)
    return case


@settings(max_examples=150, deadline=None, derandomize=True)
@given(CASES, RESULTS)
def test_the_same_call_is_made_and_judged_the_same(case: Json, result: Json) -> None:
    before, after = ready(suite(case)), ready(upgraded(suite(case)))
    assert after.operation == before.operation
    assert after.timeout_ms == before.timeout_ms
    answer = Exchange("suite:s:c", 0, {}, message={"id": 1, "result": result})
    assert judge_case(after, answer) == judge_case(before, answer)


def test_every_recorded_suite_that_is_valid_stays_so() -> None:
    seen = 0
    for row in rows("suite_validation", "suite"):
        if not row["expected"]["issues"]:
            assert validate_suite(upgraded(recorded(row, "suite"))) == [], row["id"]
            seen += 1
    assert seen


def test_members_keep_their_order_and_an_approval_is_left_out() -> None:
    listing = {
        "id": "l",
        "name": "L",
        "operation": {"type": "listTools"},
        "assertions": [{"type": "toolExists", "tool": "${t}"}],
    }
    document = suite(listing, approval={"fingerprint": "a" * 64}, defaultTimeoutMs=5)
    made = upgraded(document)
    assert list(made) == ["schemaVersion", "format", "id", "name", "defaultTimeoutMs", "cases"]
    assert made["cases"] == [listing]
    assert validate_suite(made) == []


def test_only_what_would_be_a_variable_is_marked_as_literal() -> None:
    def call(given_input: Json) -> Json:
        case = {"id": "c", "name": "C", "assertions": [{"type": "isError", "expected": False}]}
        return {**case, "operation": {"type": "callTool", "tool": "t", "input": given_input}}

    def given_by(given_input: Json) -> Json:
        made: Json = upgraded(suite(call(given_input)))["cases"][0]["operation"]["input"]
        return made

    plain: Json = {"a": "$5 {b} $", "$var": 1, "b": {"$var": "x", "y": 1}}
    assert given_by(plain) == plain
    for marked in ({"a": ["${b}"]}, {"a": {"$var": 1}}, {"$literal": 1}, {"a": "$${b}"}):
        assert given_by(marked) == {"$literal": marked}


@settings(max_examples=150, deadline=None, derandomize=True)
@given(VALUES)
def test_what_is_written_is_read_back(value: Any) -> None:
    assert parse(written(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}\n"),
        ([[], {"a": {}}], '[\n  [],\n  {\n    "a": {}\n  }\n]\n'),
        ({"é": "한"}, '{\n  "é": "한"\n}\n'),
        ("\ud800é", '"\\ud800é"\n'),
    ],
)
def test_text_is_for_people(value: Any, text: str) -> None:
    assert written(value) == text


def test_depth_is_no_obstacle() -> None:
    deep: Any = "${a}"
    for _ in range(20_000):
        deep = [deep]
    case = {
        "id": "c",
        "name": "C",
        "operation": {"type": "callTool", "tool": "t", "input": {"a": deep}},
        "assertions": [{"type": "isError", "expected": False}],
    }
    made = upgraded(suite(case))
    assert made["cases"][0]["operation"]["input"].keys() == {"$literal"}
    text = written(deep)
    assert text.count("\n") == 41
    assert equal(parse(text), deep)
