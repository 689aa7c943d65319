"""What comparing with a JSON Schema would take is told before a validator is let at it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.schema_effort import is_bearable, is_bearable_anywhere
from bundles.schema_index import SchemaIndex, SchemaSource

Json = dict[str, Any]

TWICE: Json = {
    "$defs": {
        **{f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)},
        "d40": {"type": "boolean"},
    },
    "$ref": "#/$defs/d0",
}
TREE: Json = {
    "type": "object",
    "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}, "name": {"type": "string"}},
}
TWO_WAYS_DOWN: Json = {
    "anyOf": [{"properties": {"in": {"$ref": "#"}}}, {"properties": {"in": {"$ref": "#"}}}]
}


def index(schema: Any) -> SchemaIndex:
    return SchemaIndex([SchemaSource("", "", schema, addressable=False)])


def nested(levels: int, *names: str) -> Json:
    value: Json = {}
    for _ in range(levels):
        value = dict.fromkeys(names, value)
    return value


def test_references_that_double_at_every_step_are_bearable_for_no_value() -> None:
    assert not is_bearable_anywhere(index(TWICE))
    assert not is_bearable(index(TWICE), 1)


def test_a_tree_is_bearable_however_deep_and_wide() -> None:
    assert is_bearable_anywhere(index(TREE))
    assert is_bearable(index(TREE), nested(900, "left"))
    assert is_bearable(index({"items": {"$ref": "#/$defs/t"}, "$defs": {"t": TREE}}), [{}] * 9_999)


@pytest.mark.parametrize(
    "schema",
    [
        TWO_WAYS_DOWN,
        {"items": {"$ref": "#"}, "contains": {"$ref": "#"}},
        {"properties": {"in": {"$dynamicRef": "#a"}}, "patternProperties": {"^i": {"$ref": "#"}}}
        | {"$dynamicAnchor": "a"},
        {"$ref": "#/$defs/a", "unevaluatedProperties": {"$ref": "#"}}
        | {"$defs": {"a": {"properties": {"in": {"$ref": "#"}}}}},
    ],
)
def test_two_ways_down_one_value_are_bearable_until_it_is_deep(schema: Json) -> None:
    def value(levels: int) -> Any:
        if "items" not in schema:
            return nested(levels, "in")
        made: list[Any] = []
        for _ in range(levels):
            made = [made]
        return made

    assert is_bearable_anywhere(index(schema))
    assert is_bearable(index(schema), value(5))
    assert not is_bearable(index(schema), value(60))


def test_every_place_that_a_dynamic_reference_may_lead_to_counts() -> None:
    inner = {"properties": {"in": {"$dynamicRef": "#x"}}}
    schema = {
        "$defs": {
            "plain": {"$id": "https://example.com/plain", "$dynamicAnchor": "x", "type": "object"},
            "twofold": {"$dynamicAnchor": "x", "anyOf": [inner, inner]},
        },
        "items": {"$id": "https://example.com/plain2", "$dynamicAnchor": "x"} | inner,
    }
    assert not is_bearable(index(schema), [nested(60, "in")])


def test_a_reference_back_to_the_very_same_value_is_never_bearable() -> None:
    assert not is_bearable_anywhere(index({"$ref": "#"}))
    assert not is_bearable(index({"allOf": [{"$ref": "#"}]}), {})


LEAVES: st.SearchStrategy[Any] = st.sampled_from(
    [True, {"type": "string"}, {"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}, {"$ref": "#"}]
)
SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"properties": st.dictionaries(st.sampled_from("ab"), inner)}),
        st.fixed_dictionaries({"items": inner, "not": inner}),
    ),
    max_leaves=6,
)
VALUES = st.recursive(
    st.none() | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=8,
)


def steps(root: Json, schema: Any, value: Any, left: int) -> int:
    """The same count as a validator makes it: every subschema again, wherever it is met."""
    if left <= 0 or not isinstance(schema, dict):
        return 1
    below: list[tuple[Any, Any]] = [(each, value) for each in schema.get("anyOf", ())]
    if "not" in schema:
        below.append((schema["not"], value))
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        below.append((root if name == "#" else root["$defs"][name], value))
    if isinstance(value, dict):
        members = schema.get("properties", {}).items()
        below += [(each, value[name]) for name, each in members if name in value]
    if isinstance(value, list) and "items" in schema:
        below += [(schema["items"], item) for item in value]
    total = 1
    for each, part in below:
        total += steps(root, each, part, left - total)
    return total


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.fixed_dictionaries({"a": SCHEMAS, "b": SCHEMAS}), SCHEMAS, VALUES)
def test_no_step_that_a_validator_takes_is_missed(
    definitions: Json, schema: Any, value: Any
) -> None:
    root = {"allOf": [], "$defs": definitions, "anyOf": [schema]}
    known = index(root)
    if known.refs and not any(known.endless()) and is_bearable(known, value, most=10_000):
        assert steps(root, root, value, 20_000) <= 10_000 + 1
