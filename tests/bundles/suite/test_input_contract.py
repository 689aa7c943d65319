"""Inputs compared with declarations: how many findings, in which order, with which suggestion."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.input_contract import InputCode, check_inputs
from bundles.suite.model import Assertion, Case, Operation, Suite
from bundles.suite.nearest import suggested


def suite(given_: dict[str, Any], *expected: bool, tool: str = "t") -> Suite:
    assertions = tuple(Assertion("isError", expected=each) for each in expected)
    return Suite("s", "s", (Case("c", "c", 1, Operation("callTool", tool, given_), assertions),))


def tool(**schema: Any) -> dict[str, Any]:
    return {"name": "t", "inputSchema": {"type": "object", "properties": {}, **schema}}


def test_ten_findings_of_a_case_are_listed_and_all_are_counted() -> None:
    closed = tool(additionalProperties=False)
    names = [f"field-{n:02}" for n in range(12)]
    found = check_inputs(suite(dict.fromkeys(reversed(names), 1)), [closed])
    assert [f.path for f in found.findings] == [f"input.{name}" for name in names[:10]]
    assert found.total == 12


def test_paths_are_ordered_by_utf_16_code_unit() -> None:
    closed = tool(additionalProperties=False)
    found = check_inputs(suite({"\uff5a": 1, "\U0001f600": 1, "a": 1}), [closed])
    assert [f.path for f in found.findings] == ["input.a", "input.\U0001f600", "input.\uff5a"]


def edits(one: str, other: str) -> int:
    """Levenshtein distance as it is defined."""
    if not one or not other:
        return len(one) + len(other)
    return min(
        edits(one[1:], other) + 1,
        edits(one, other[1:]) + 1,
        edits(one[1:], other[1:]) + (one[0] != other[0]),
    )


@given(st.text("abc", max_size=5), st.lists(st.text("abc", max_size=5), max_size=4))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_the_nearest_name_is_suggested_and_none_that_is_far(name: str, known: list[str]) -> None:
    near = [
        (edits(name, other), other)
        for other in known
        if edits(name, other) <= min(2, max(len(name), len(other)) // 2)
    ]
    assert suggested(name, known) == ({"suggestion": min(near)[1]} if near else {})


@pytest.mark.parametrize(
    ("schema", "given_"),
    [
        ({"properties": {"user": {"type": "object", "required": ["id"]}}}, {"user": {}}),
        ({"properties": {"id": {"type": "string", "pattern": "^[a-z]+$"}}}, {"id": "7"}),
        ({"properties": {"n": {"multipleOf": 5}}}, {"n": 3}),
        ({"properties": {"n": {"type": "no such type"}}}, {"n": 3}),
        ({"properties": {"n": {"$ref": "https://example.com/n"}}}, {"n": 3}),
    ],
)
def test_a_rejection_is_believed_where_some_rule_may_be_what_the_input_breaks(
    schema: dict[str, Any], given_: dict[str, Any]
) -> None:
    assert check_inputs(suite(given_, True), [tool(**schema)]).findings == ()


def test_a_rejection_without_a_broken_rule_gets_a_word_and_blocks_nothing() -> None:
    found = check_inputs(suite({"a": 1}, True), [tool()])
    assert [f.code for f in found.findings] == [InputCode.REJECTION_WITHOUT_VIOLATION]
    assert found.blocking == ()


def test_an_input_nested_20000_deep_is_compared() -> None:
    deep: Any = 1
    for _ in range(20_000):
        deep = [deep]
    nested = tool(properties={"a": {"type": "object"}})
    found = check_inputs(suite({"a": deep}, False), [nested])
    assert [f.code for f in found.findings] == [InputCode.TYPE_MISMATCH]
    ended = check_inputs(suite({"a": deep}, True), [tool(properties={"a": {"enum": [deep]}})])
    assert [f.severity for f in ended.findings] in ([], ["advisory"])


def test_messages_are_one_safe_line() -> None:
    found = check_inputs(suite({}, tool="evil\n\u202etool"), [])
    assert found.findings[0].message == (
        "the server does not declare the tool 'evil\\u000a\\u202etool'"
    )
    range_ = check_inputs(suite({"n": 9}), [tool(properties={"n": {"maximum": 3}})])
    assert range_.findings[0].to_dict() == {
        "code": "RANGE_MISMATCH",
        "severity": "advisory",
        "caseId": "c",
        "path": "input.n",
        "expected": {"maximum": 3},
        "actual": 9,
        "message": 'input.n has the value 9, which is out of the declared range {"maximum":3}',
    }


def test_thousands_of_names_on_both_sides_cost_ten_suggestions() -> None:
    declared = {f"declared-{n}": {"type": "string"} for n in range(4000)}
    wide = tool(properties=declared, required=list(declared), additionalProperties=False)
    found = check_inputs(suite({f"undeclared-{n}": 1 for n in range(4000)}), [wide])
    assert (len(found.findings), found.total) == (10, 8000)


def test_a_name_that_nobody_types_is_near_to_none() -> None:
    long = "x" * 100_000
    assert suggested(long + "a", [long + "b"]) == {}
