"""Arguments derived around a valid call: allowed ones are valid, refused ones are not."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.mcp.arguments import valid_arguments
from bundles.mcp.derived import (
    ALLOWED,
    MOST_ALLOWED,
    MOST_REFUSED,
    REFUSED,
    UNDECLARED,
    derived_arguments,
    kind_of,
)
from bundles.mcp.schema import value_problems


def schema(required: list[str] | None = None, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required or []}


def around(of: object, valid: dict[str, Any]) -> dict[str, Any]:
    made = derived_arguments(of, valid)
    return {kind: arguments for both in made for kind, arguments in both}


TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("kind", "member", "arguments"),
    [
        ("type", TEXT, {"m": 0}),
        ("enum", {"type": "string", "enum": ["x", "y"]}, {"m": "__mcpeak_invalid_enum__"}),
        ("range", {"type": "integer", "minimum": 1}, {"m": 0}),
        ("range", {"type": "number", "exclusiveMaximum": 3}, {"m": 3}),
        ("length", {"type": "string", "minLength": 2}, {"m": "e"}),
        ("length", {"type": "string", "maxLength": 2}, {"m": "exa"}),
        ("items", {"type": "array", "items": TEXT, "maxItems": 1}, {"m": ["example", "example"]}),
        ("pattern", {"type": "string", "pattern": "^[a-z]+$"}, {"m": "~"}),
        ("minimum", {"type": "integer", "minimum": 3}, {"m": 3}),
        ("maximum", {"type": "integer", "exclusiveMaximum": 10}, {"m": 9}),
        ("shortest", {"type": "string", "minLength": 1}, {"m": "e"}),
        ("longest", {"type": "string", "maxLength": 9}, {"m": "examplexx"}),
        ("fewest", {"type": "array", "items": TEXT, "minItems": 0}, {"m": []}),
        ("most", {"type": "array", "items": TEXT, "maxItems": 2}, {"m": ["example", "example"]}),
        ("enum-first", {"type": "string", "enum": ["x", "y"]}, {"m": "x"}),
        ("enum-last", {"type": "string", "enum": ["x", "y"]}, {"m": "y"}),
    ],
)
def test_each_kind_is_derived_from_its_own_rule(
    kind: str, member: dict[str, Any], arguments: dict[str, Any]
) -> None:
    valid = {"m": {"integer": 5, "number": 2, "string": "ab", "array": ["a"]}[member["type"]]}
    assert around(schema(m=member), valid)[kind] == arguments


def test_what_is_required_is_left_out_and_what_is_optional_is_added() -> None:
    made = around(schema(["a"], a=TEXT, b={"type": "integer"}), {"a": "Oslo"})
    assert made["missing"] == {}
    assert made["every-member"] == {"a": "Oslo", "b": 0}
    assert made["required-only"] == {"a": "example"}


def test_an_extra_member_is_wrong_only_where_the_schema_forbids_it() -> None:
    closed = {"type": "object", "additionalProperties": False}
    assert around(closed, {}) == {"extra": {UNDECLARED: True}}
    assert around({"type": "object"}, {}) == {}


def test_what_is_deep_or_long_is_sent_where_the_schema_refuses_it() -> None:
    made = around(schema(n={"type": "integer"}, t=TEXT), {"n": 1})
    assert json.dumps(made["deep"]).count("[") == 50
    assert len(made["long"]["n"]) == 10_000
    assert "long" not in around(schema(t=TEXT), {"t": "any text is allowed"})


def test_members_mirrored_into_headers_are_left_alone() -> None:
    mirrored = {"type": "string", "x-mcp-header": "City", "minLength": 1}
    assert around(schema(["city"], city=mirrored), {"city": "example"}) == {}
    both = schema(["city", "days"], city=mirrored, days={"type": "integer"})
    made = derived_arguments(both, {"city": "Oslo", "days": 1}).refused
    assert made
    assert {derived.arguments["city"] for derived in made} == {"Oslo"}


def test_alternatives_of_the_whole_object_do_not_hide_its_members() -> None:
    either = {**schema(a=TEXT, b=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert around(either, {"a": "x"})["type"] == {"a": 0}


@pytest.mark.parametrize(
    "of",
    [
        None,
        True,
        {},
        {"type": "array"},
        schema(m={"type": "integer", "minimum": "x"}),
        {"type": "object", "$ref": "#/$defs/none"},
    ],
)
def test_an_unusable_schema_gives_nothing(of: object) -> None:
    assert around(of, {"m": 1}) == {}


@pytest.mark.parametrize(
    "member",
    [
        {"type": "string", "minLength": 10**9},
        {"type": "string", "maxLength": 10**9},
        {"type": "array", "items": TEXT, "minItems": 10**9},
        {"type": "string", "minLength": 10**9, "pattern": "^a+$"},
        {"type": "string", "pattern": "(" * 300},
    ],
)
def test_what_would_be_too_large_is_not_made(member: dict[str, Any]) -> None:
    for arguments in around(schema(m=member), {}).values():
        assert len(json.dumps(arguments)) < 70_000


def test_the_first_of_every_kind_comes_before_the_second_of_any() -> None:
    many = schema(list("abcdefgh"), **dict.fromkeys("abcdefgh", TEXT))
    refused = derived_arguments(many, dict.fromkeys("abcdefgh", "x")).refused
    assert [derived.kind for derived in refused[:5]] == [
        "missing", "type", "deep", "missing-2", "type-2"
    ]  # fmt: skip
    assert len(refused) == MOST_REFUSED


def test_a_probe_names_its_kind_without_its_number() -> None:
    assert kind_of("invalid-arguments:a.b-2:missing") == "missing"
    assert kind_of("invalid-arguments:t:missing-12") == "missing"
    assert kind_of("allowed-arguments:t:enum-last") == "enum-last"


_MEMBERS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            ["string", "integer", "number", "boolean", "array", "object", "null"]
        )
    },
    optional={
        "minimum": st.integers(-5, 5),
        "maximum": st.integers(-5, 5),
        "minLength": st.integers(0, 12),
        "maxLength": st.integers(0, 12),
        "pattern": st.sampled_from(["^[a-z]*$", "[0-9]", "x"]),
        "enum": st.lists(st.integers() | st.text(), min_size=1, max_size=3, unique_by=str),
        "minItems": st.integers(0, 3),
        "items": st.just({"type": "integer", "maximum": 3}),
        "anyOf": st.lists(
            st.fixed_dictionaries({"type": st.just("string")}), min_size=1, max_size=2
        ),
    },
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.dictionaries(st.sampled_from("abc"), _MEMBERS),
    st.lists(st.sampled_from("abc"), unique=True),
    st.booleans(),
)
def test_what_is_derived_is_always_what_it_says(
    properties: dict[str, Any], required: list[str], closed: bool
) -> None:
    of = {**schema(required, **properties), "additionalProperties": not closed}
    valid = valid_arguments(of)
    if valid is None:
        return
    made = derived_arguments(of, valid)
    assert len(made.allowed) <= MOST_ALLOWED
    assert len(made.refused) <= MOST_REFUSED
    for kind, arguments in made.allowed:
        assert kind_of(f"x:{kind}") in ALLOWED
        assert not value_problems(of, arguments)
    for kind, arguments in made.refused:
        assert kind_of(f"x:{kind}") in REFUSED
        assert value_problems(of, arguments)
