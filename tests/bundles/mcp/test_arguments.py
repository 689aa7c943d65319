"""Arguments made from an inputSchema are valid."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.mcp.arguments import valid_arguments
from bundles.mcp.schema import value_problems


def schema(required: list[str] | None = None, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required or []}


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ({"const": 7}, 7),
        ({"type": "string", "default": "d"}, "d"),
        ({"type": "string", "examples": ["e", "f"]}, "e"),
        ({"enum": ["x", "y"]}, "x"),
        ({"type": "string"}, "example"),
        ({"type": "string", "minLength": 9}, "examplexx"),
        ({"type": "string", "maxLength": 2}, "ex"),
        ({"type": "string", "format": "date"}, "2026-01-15"),
        ({"type": "integer"}, 1),
        ({"type": "integer", "minimum": 5}, 5),
        ({"type": "integer", "exclusiveMinimum": 5}, 6),
        ({"type": "number", "maximum": -2}, -2),
        ({"type": "boolean"}, True),
        ({"type": ["string", "null"]}, "example"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, 1),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [1, 1]),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"a": "example"},
        ),
    ],
)
def test_a_required_member_gets_what_its_author_wrote_or_the_plainest(
    member: dict[str, Any], value: Any
) -> None:
    assert valid_arguments(schema(["m"], m=member, optional={"type": "string"})) == {"m": value}


@pytest.mark.parametrize(
    "of",
    [
        None,
        True,
        {},
        {"type": "array"},
        schema(["m"], m={"type": "string", "pattern": "^[0-9]{5}$"}),
        schema(
            ["m"],
            m={"type": "array", "items": {"type": "integer"}, "minItems": 2, "uniqueItems": True},
        ),
        schema(["m"], m={"$ref": "#/$defs/none"}),
        schema(["m"], m={"type": "integer", "minimum": "x"}),
    ],
)
def test_where_no_arguments_can_be_made_there_are_none(of: object) -> None:
    assert valid_arguments(of) is None


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
        "enum": st.lists(st.integers() | st.text(), min_size=1, max_size=3, unique_by=str),
        "minItems": st.integers(0, 3),
        "anyOf": st.lists(
            st.fixed_dictionaries({"type": st.just("string")}), min_size=1, max_size=2
        ),
    },
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.dictionaries(st.sampled_from("abc"), _MEMBERS), st.lists(st.sampled_from("abc"), unique=True)
)
def test_what_is_made_is_always_what_it_says(
    properties: dict[str, Any], required: list[str]
) -> None:
    made = schema(required, **properties)
    valid = valid_arguments(made)
    if valid is not None:
        assert not value_problems(made, valid)
