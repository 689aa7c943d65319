"""The schema subset: what a value violates, where, and in which order."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.diagnostics import describe
from bundles.suite.schema import SchemaViolation, ViolationCode, equal, match
from bundles.suite.validate_schema import TYPES


def found(schema: dict[str, Any], value: Any) -> list[tuple[str, str]]:
    return [(violation.code.value, violation.path) for violation in match(schema, value).violations]


@pytest.mark.parametrize(
    ("kind", "fitting"),
    [
        ("null", [None]),
        ("boolean", [True, False]),
        ("string", ["", "x"]),
        ("array", [[], [1]]),
        ("object", [{}, {"a": 1}]),
        ("number", [0, 1.5, -2, 10**30]),
        ("integer", [0, 1.0, -2, 1e21, 10**30]),
    ],
)
def test_each_type_takes_its_own_values(kind: str, fitting: list[Any]) -> None:
    for value in fitting:
        assert match({"type": kind}, value).total == 0
    for other in [None, True, "x", [], {}, 0.5, float("inf"), 10**400]:
        fits = kind == {
            type(None): "null",
            bool: "boolean",
            str: "string",
            list: "array",
            dict: "object",
        }.get(type(other))
        fits = fits or (kind == "number" and other == 0.5)
        assert (match({"type": kind}, other).total == 0) is fits


def test_type_const_and_enum_each_end_their_node() -> None:
    schema = {"type": "string", "const": "a", "enum": ["b"], "minLength": 5}
    assert found(schema, 1) == [("TYPE_MISMATCH", "$")]
    assert found(schema, "x") == [("CONST_MISMATCH", "$")]
    assert found(schema, "a") == [("ENUM_MISMATCH", "$")]


def test_the_other_keywords_add_up() -> None:
    schema = {"type": "string", "minLength": 5, "maxLength": 1, "stringContains": "z"}
    assert [code for code, _ in found(schema, "abc")] == [
        "MIN_LENGTH",
        "MAX_LENGTH",
        "STRING_CONTAINS",
    ]
    assert [code for code, _ in found({"type": "number", "minimum": 3, "maximum": 1}, 2)] == [
        "MINIMUM",
        "MAXIMUM",
    ]


def test_children_come_in_order_and_siblings_go_on() -> None:
    schema = {
        "type": "object",
        "required": ["z", "y"],
        "properties": {"b": {"type": "string"}, "10": {"type": "string"}, "9": {"type": "string"}},
        "additionalProperties": False,
    }
    value = {"😀": 1, "\uff5e": 1, "b": 1, "10": 1, "9": 1}
    assert found(schema, value) == [
        ("REQUIRED_MISSING", "$"),
        ("REQUIRED_MISSING", "$"),
        ("TYPE_MISMATCH", "$.9"),
        ("TYPE_MISMATCH", "$.10"),
        ("TYPE_MISMATCH", "$.b"),
        ("ADDITIONAL_PROPERTY", "$.😀"),
        ("ADDITIONAL_PROPERTY", "$.\uff5e"),
    ]


def test_ten_are_listed_and_all_are_counted() -> None:
    compared = match({"type": "array", "items": {"type": "null"}}, list(range(25)))
    assert compared.total == 25
    assert [violation.path for violation in compared.violations] == [f"$[{i}]" for i in range(10)]


def test_a_missing_field_names_what_is_there() -> None:
    violation = match({"type": "object", "required": ["a"]}, {"c": 1, "b": None}).violations[0]
    assert violation == SchemaViolation(ViolationCode.REQUIRED_MISSING, "$", "a", None, ("b", "c"))
    assert match({"type": "object", "required": ["b"]}, {"b": None}).total == 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (9007199254740993, 9007199254740992, True),
        (0, -0.0, True),
        ("1", 1, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ([1, 2], [2, 1], False),
        ({"a": {}}, {"a": []}, False),
        ({"a": 1}, {"a": 1, "b": None}, False),
        (None, False, False),
        (10**400, float("inf"), True),
    ],
)
def test_equality_is_that_of_json_with_doubles(one: Any, other: Any, same: bool) -> None:
    assert equal(one, other) is same
    assert equal(other, one) is same


def test_length_counts_code_points() -> None:
    assert match({"type": "string", "minLength": 2}, "😀").violations[0].actual == 1
    assert match({"type": "string", "minLength": 2}, "e\u0301").total == 0


def test_depth_is_no_obstacle() -> None:
    schema: dict[str, Any] = {"type": "array"}
    value: Any = 5
    for _ in range(20_000):
        schema, value = {"type": "array", "items": schema}, [value]
    compared = match(schema, value)
    assert compared.total == 1
    assert compared.violations[0].path == "$" + "[0]" * 20_000
    assert equal(value, value)
    assert len(describe(compared.violations[0])["message"]) < 500


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False)
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(VALUES, VALUES)
def test_const_and_enum_agree_with_equality(one: Any, other: Any) -> None:
    assert match({"const": one}, one).total == 0
    assert (match({"const": one}, other).total == 0) is equal(one, other)
    assert (match({"enum": [one]}, other).total == 0) is equal(one, other)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(VALUES)
def test_every_finite_value_has_a_type_and_every_violation_a_sentence(value: Any) -> None:
    fitting = [kind for kind in TYPES if match({"type": kind}, value).total == 0]
    assert len(fitting) == (2 if "integer" in fitting else 0 if value in _INFINITE else 1)
    for violation in match({"const": "never so"}, value).violations:
        assert describe(violation)["message"].startswith("$: wrong value. Expected: ")


_INFINITE = (float("inf"), float("-inf"))


def test_credentials_are_masked_and_long_values_cut() -> None:
    schema = {"type": "object", "properties": {"token": {"type": "object"}, "t": {"const": 1}}}
    value = {"token": "hush", "t": {"Api-Key": "hush", "x": "y" * 300}}
    described = [describe(violation) for violation in match(schema, value).violations]
    assert "hush" not in str(described)
    assert described[0]["actual"] == "[REDACTED]"
    assert described[1]["actual"].startswith('{"Api-Key":"[REDACTED]","x":"yyy')
    assert len(described[1]["actual"]) < 250


def test_a_secret_is_masked_where_it_is_the_value() -> None:
    violation = match({"type": "null"}, "hush").violations[0]
    assert describe(violation, ["hush"])["actual"] == "[REDACTED]"


def test_control_characters_cannot_act() -> None:
    violation = match({"type": "null"}, "\x1b[2J\u202e").violations[0]
    assert describe(violation)["message"] == (
        '$: wrong type. Expected: null, actual: string ("\\u001b[2J\\u202e")'
    )
    many = {f"k{i:02}": 1 for i in range(30)}
    missing = match({"type": "object", "required": ["a"]}, many).violations[0]
    described = describe(missing)
    assert described["path"] == "$.a"
    assert len(described["observedKeys"]) == 20
    assert described["observedKeysTotal"] == 30
    assert described["message"].endswith("'k19' and 10 more")
