"""Variables of version 2: where a value goes, and when it cannot."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.model import Assertion, Case, Operation
from bundles.suite.paths import Path
from bundles.suite.v2.variables import Unresolved, references, resolved

VARIABLES = {"s": "text", "n": 7.0, "t": True, "z": None, "o": {"a": ["${s}"]}}


def case(given_input: Any = None, **operation: Any) -> Case:
    asked = Operation("callTool", "t", given_input if given_input is not None else {}, **operation)
    assertion = Assertion("maxLatencyMs", given={"type": "maxLatencyMs", "ms": 5})
    return Case("c", "C", 1000, asked, (assertion,), templated=True)


def replaced(value: Any) -> Any:
    made = resolved(case({"a": value}), VARIABLES)
    assert isinstance(made, Case)
    assert not made.templated
    return made.operation.input["a"]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ({"$var": "s"}, "text"),
        ({"$var": "z"}, None),
        ({"$var": "o"}, {"a": ["${s}"]}),
        ("${s}/${n}/${t}", "text/7/true"),
        ("$${s} $$${s} $$$${s} $s $$ {s}", "${s} $text $${s} $s $$ {s}"),
        ("$${a${s}}", "${atext}"),
        ({"$literal": {"$var": "s"}}, {"$var": "s"}),
        ({"$literal": "${s}"}, "${s}"),
        ({"$var": "s", "more": 1}, {"$var": "s", "more": 1}),
        ({"${s}": ["${s}"]}, {"${s}": ["text"]}),
        ([1, None, True, []], [1, None, True, []]),
    ],
)
def test_a_value_goes_where_it_is_written(written: Any, value: Any) -> None:
    assert replaced(written) == value


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("${missing}", "variable 'missing' has no value"),
        ({"$var": "missing"}, "variable 'missing' has no value"),
        ("a ${o}", "'${o}' in a string: needs a scalar, and the variables make it object"),
        ("a ${z}", "'${z}' in a string: needs a scalar, and the variables make it null"),
    ],
)
def test_a_case_that_cannot_be_made_says_why(written: Any, why: str) -> None:
    made = resolved(case([written]), VARIABLES)
    assert isinstance(made, Unresolved)
    assert made.why.startswith(why)


def test_what_a_tool_and_a_prompt_are_given_keeps_its_type() -> None:
    assert resolved(case({"$var": "s"}), VARIABLES) == Unresolved(
        "the input of a tool: needs an object, and the variables make it string"
    )
    assert resolved(case(arguments={"a": {"$var": "n"}}), VARIABLES) == Unresolved(
        "argument 'a' of a prompt: needs a string, and the variables make it number"
    )
    assert resolved(case(arguments={"$var": "t"}), VARIABLES) == Unresolved(
        "the arguments of a prompt: needs an object, and the variables make it boolean"
    )


def test_expectations_and_answers_are_replaced_as_well() -> None:
    expected = {"type": "valueAt", "pointer": "/${s}", "equals": {"$var": "s"}}
    written = Case(
        "c",
        "C",
        1000,
        Operation("readResource", uri="x:${s}"),
        (Assertion("valueAt", given=expected),),
        answers=({"k": {"content": {"$var": "n"}}},),
        templated=True,
    )
    made = resolved(written, VARIABLES)
    assert isinstance(made, Case)
    assert made.operation.uri == "x:text"
    assert made.answers == ({"k": {"content": 7.0}},)
    assert made.assertions[0].given == {**expected, "equals": "text"}
    assert expected["equals"] == {"$var": "s"}


def test_version_1_has_no_variables() -> None:
    written = Case("c", "C", 1000, Operation("callTool", "t", {"a": {"$var": "s"}}), ())
    assert resolved(written, {}) is written


def test_depth_is_no_obstacle() -> None:
    deep: Any = {"$var": "s"}
    for _ in range(20_000):
        deep = [deep]
    value = replaced(deep)
    while isinstance(value, list):
        (value,) = value
    assert value == "text"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet="ab${}", max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "$var", "$literal", "${a}"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(alphabet="$${}s", max_size=9))
def test_any_text_can_be_written(text: str) -> None:
    doubled = re.sub(r"\$+(?=\{)", lambda run: run[0] * 2, text)
    assert list(references(doubled, Path(""))) == []
    assert replaced(doubled) == text


@settings(max_examples=200, deadline=None, derandomize=True)
@given(JSON)
def test_a_literal_is_any_value_at_all(value: Any) -> None:
    assert replaced({"$literal": value}) == value


@pytest.mark.parametrize(
    "assertion",
    [
        {"type": "valueAt", "given": {"pointer": "", "contains": "${a}"}},
        {"type": "valueAt", "given": {"pointer": "", "contains": {"$var": "a"}}},
        {"type": "protocolError", "given": {"code": 1, "messageContains": "${a}"}},
    ],
)
def test_nothing_is_found_in_every_answer_by_an_empty_variable(assertion: Any) -> None:
    seeking = replace(case(), assertions=(Assertion(**assertion),))
    made = resolved(seeking, {"a": ""})
    assert isinstance(made, Unresolved)
    assert made.why.endswith('needs something to find, and the variables make it ""')
    assert isinstance(resolved(seeking, {"a": "b"}), Case)


@pytest.mark.parametrize("written", ["${a}" * 5_000, [{"$var": "a"}] * 5_000])
@pytest.mark.parametrize("value", ["x" * 1_000, ["x" * 1_000]])
def test_variables_make_no_case_that_is_larger_than_there_is_room(written: Any, value: Any) -> None:
    if isinstance(written, str) and isinstance(value, list):
        value = 10**1_000
    made = resolved(case({"a": written}), {"a": value})
    assert isinstance(made, Unresolved)
    assert made.why == "its variables would make it longer than 4194304 characters"
