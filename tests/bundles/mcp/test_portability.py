"""Spellings of schemas that are valid and that some clients refuse."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.mcp.portability import Extent, PortabilityRule, extent_of, unportable


def found(schema: object) -> list[tuple[str, str]]:
    return [(spelling.rule.value, spelling.pointer) for spelling in unportable(schema)]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True},
        {"type": "object", "additionalProperties": False, "unevaluatedProperties": False},
        {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}},
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/a"}},
            "$defs": {"a": {"enum": []}},
        },
        {"type": "object", "properties": {"a": {"not": {}}}},
        {"type": "object", "dependencies": {"a": ["b"]}},
        {"type": "object", "properties": {"a": {"if": {"const": 1}, "then": {"type": "null"}}}},
        {"type": "object", "default": {"anyOf": True}, "examples": [True], "enum": [True]},
        {"type": "object", "required": True},
        None,
        [],
    ],
)
def test_what_every_client_reads_is_not_objected_to(schema: object) -> None:
    assert found(schema) == []


@pytest.mark.parametrize(
    ("schema", "rule", "pointer"),
    [
        (True, "boolean-schema", ""),
        ({"type": "object", "properties": {"a/b": True}}, "boolean-schema", "/properties/a~1b"),
        ({"type": "array", "items": False}, "boolean-schema", "/items"),
        ({"prefixItems": [{"type": "null"}, True]}, "boolean-schema", "/prefixItems/1"),
        ({"items": [{"type": "null"}, True]}, "boolean-schema", "/items/1"),
        ({"not": True}, "boolean-schema", "/not"),
        ({"type": ["string", "null"]}, "type-union", "/type"),
        ({"allOf": [{"$ref": "https://x/y.json#/a"}]}, "remote-ref", "/allOf/0/$ref"),
        ({"type": "object", "properties": {"a": {}}}, "untyped-schema", "/properties/a"),
        (
            {"type": "object", "properties": {"a": {"description": "anything"}}},
            "untyped-schema",
            "/properties/a",
        ),
        ({"type": "object", "additionalProperties": {}}, "untyped-schema", "/additionalProperties"),
        ({"if": {"type": "null"}}, "untyped-schema", ""),
        (
            {"$defs": {"a": {"type": "object", "properties": {"b": True}}}, "type": "object"},
            "boolean-schema",
            "/$defs/a/properties/b",
        ),
    ],
)
def test_each_rule_names_the_place(schema: object, rule: str, pointer: str) -> None:
    assert found(schema) == [(rule, pointer)]


def test_it_finds_what_the_inspector_finds() -> None:
    # recorded: what its command (2.12.0, --strict) says of this schema, by rule and place
    schema = {
        "type": "object",
        "properties": {
            "a": True,
            "b": {"type": ["string", "null"]},
            "c": {},
            "d": {"$ref": "https://x.example/y"},
            "e": {"type": "array", "items": False},
            "f": {"not": True},
            "g": {"description": "x"},
            "h": {"not": {}},
            "i": {"if": {"const": 1}},
            "j": {"type": "object", "additionalProperties": True, "unevaluatedProperties": False},
            "k": {"dependencies": {"a": ["b"]}},
        },
    }
    assert found(schema) == [
        ("boolean-schema", "/properties/a"),
        ("type-union", "/properties/b/type"),
        ("untyped-schema", "/properties/c"),
        ("remote-ref", "/properties/d/$ref"),
        ("boolean-schema", "/properties/e/items"),
        ("boolean-schema", "/properties/f/not"),
        ("untyped-schema", "/properties/g"),
        ("untyped-schema", "/properties/i"),
    ]
    assert found({"type": "object", "patternProperties": {"x": False}}) == [
        ("boolean-schema", "/patternProperties/x")
    ]


def test_only_a_bare_boolean_is_an_error() -> None:
    assert [rule.value for rule in PortabilityRule if rule.is_error] == ["boolean-schema"]


def test_a_hostile_schema_is_looked_at_within_bounds() -> None:
    deep: dict[str, Any] = {"properties": {"bottom": True}}
    for _ in range(5_000):
        deep = {"properties": {"a": deep}}
    assert found(deep) == []
    assert len(unportable({"properties": {str(n): True for n in range(10_000)}})) == 10


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "items", "properties", "anyOf", "not", "$ref", "$defs", "if"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(_JSON)
def test_any_json_at_all_is_looked_at_without_an_exception(value: object) -> None:
    for spelling in unportable(value):
        assert spelling.message
        assert spelling.instead


def test_the_extent_of_a_schema_counts_subschemas_and_levels() -> None:
    assert extent_of({"type": "object"}, 10) == Extent(1, 1)
    nested = {"properties": {"a": {"items": {"anyOf": [True, {"not": {}}]}}, "b": {}}}
    assert extent_of(nested, 100) == Extent(7, 5)
    assert extent_of({"anyOf": [{} for _ in range(1_000)]}, 10).subschemas == 10


def test_the_extent_of_a_schema_that_is_none_is_one() -> None:
    assert extent_of(None, 10) == extent_of([1], 10) == Extent(1, 1)
