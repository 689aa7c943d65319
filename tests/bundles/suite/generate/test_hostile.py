"""Schemas that would take for ever, or all memory: the tool is left out, and the rest goes on."""

from typing import Any

import pytest

from bundles.suite.generate import GenerationRefused, generate_suite

FINE = {"name": "fine", "inputSchema": {"type": "object"}}


def needing(**schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"v": schema}, "required": ["v"]}


def doubling(keyword: str) -> dict[str, Any]:
    """Definitions that each hold the next twice: 2^60 values."""
    levels: dict[str, Any] = {}
    for level in range(60):
        below = {"$ref": f"#/$defs/l{level + 1}"}
        levels[f"l{level}"] = (
            {"type": "object", "properties": {"x": below, "y": below}, "required": ["x", "y"]}
            if keyword == "properties"
            else {keyword: [below, below]}
        )
    levels["l60"] = {"type": "string", "allOf": []}
    if keyword == "properties":
        levels["l60"] = {"type": "string"}
    return {**needing(**{"$ref": "#/$defs/l0"}), "$defs": levels}


def spreading() -> dict[str, Any]:
    """A million fields, three levels down."""
    levels: dict[str, Any] = {"l3": {"type": "string"}}
    for level in range(3):
        below = {"$ref": f"#/$defs/l{level + 1}"}
        levels[f"l{level}"] = {"type": "object", "properties": {f"f{n}": below for n in range(100)}}
    return {"type": "object", "properties": {"v": {"$ref": "#/$defs/l0"}}, "$defs": levels}


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return needing(**schema)


def deep_value(depth: int) -> dict[str, Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return needing(type="array", items={"type": "string"}, default=value)


@pytest.mark.parametrize(
    "schema",
    [
        doubling("properties"),
        doubling("anyOf"),
        doubling("oneOf"),
        spreading(),
        nested(5_000),
        deep_value(5_000),
        needing(type="string", minLength=10**12),
        needing(type="array", items={"type": "string"}, minItems=10**12),
        needing(type="string", pattern="(a{1000}){1000}"),
        needing(type="string", pattern="^(a+)+$", default="a" * 60 + "b"),
        needing(**{"$ref": "#/properties/v"}),
        needing(anyOf=[{"$ref": "#"}]),
        needing(type="number", default=float("inf")),
        needing(**{"$ref": "https://example.com/schema"}),
        {"type": "object", "$ref": "#"},
        {"type": "object", "$schema": "https://example.com/my-own-dialect"},
    ],
)
def test_the_tool_is_left_out_with_a_reason_and_the_others_are_not(schema: dict[str, Any]) -> None:
    made = generate_suite([{"name": "huge", "inputSchema": schema}, FINE])
    assert [case["id"] for case in made.suite["cases"]] == ["fine-success"]
    [left] = made.skipped
    assert (left.index, left.tool) == (0, "huge")
    assert left.path.startswith("tools[0].inputSchema")
    assert left.message


def test_bounds_too_far_away_to_reach_are_named() -> None:
    schema = needing(type="string", maxLength=10**12)
    schema["properties"]["w"] = {"type": "array", "items": {"type": "null"}, "maxItems": 10**12}
    made = generate_suite([{"name": "wide", "inputSchema": schema}])
    ids = {case["id"] for case in made.suite["cases"]}
    assert not [i for i in ids if "range" in i or "bound" in i]
    assert {left.path for left in made.uncovered_fields} == {"v", "w"}


def test_a_definition_that_holds_itself_where_it_may_is_followed_once() -> None:
    node = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
        },
        "required": ["name"],
    }
    schema = {**needing(**{"$ref": "#/$defs/Node"}), "$defs": {"Node": node}}
    made = generate_suite([{"name": "list", "inputSchema": schema}])
    assert made.suite["cases"][0]["operation"]["input"] == {"v": {"name": "example"}}
    assert not made.skipped


def test_a_suite_too_large_to_write_down_is_refused() -> None:
    properties = {f"f{n}": {"type": "string", "minLength": 60_000} for n in range(25)}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    with pytest.raises(GenerationRefused) as refusal:
        generate_suite([{"name": "heavy", "inputSchema": schema}])
    assert refusal.value.reason_code == "GENERATED_SUITE_INVALID"
