"""Proofs, counterexamples and neither: and never a yes where a counterexample exists."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator

from bundles.compat.containment import compare
from bundles.compat.dialect import rewritten
from bundles.compat.verdict import NOTHING, Answer, ContentModel, Direction, Word

BACKWARD, FORWARD = Direction.BACKWARD, Direction.FORWARD
JSON_SCHEMA = "http://json-schema.org/"


def both(old: Any, new: Any) -> tuple[Answer, Answer]:
    return compare(old, new, BACKWARD), compare(old, new, FORWARD)


@pytest.mark.parametrize(
    ("old", "new", "witness"),
    [
        ({"type": "string"}, {"type": "string", "maxLength": 3}, "aaaa"),
        ({"type": "integer"}, {"type": "integer", "minimum": 0}, -1),
        ({"enum": ["a", "b"]}, {"enum": ["a"]}, "b"),
        ({"type": "string"}, {"type": "string", "pattern": "^a+$"}, ""),
        ({"type": "object"}, {"type": "object", "required": ["a"]}, {}),
        ({"type": "array"}, {"type": "array", "uniqueItems": True}, [None, None]),
        ({"maxProperties": 10}, {"maxProperties": 5}, None),
        (
            {"properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "number"}}},
            {"properties": {"a": {"type": "integer"}}},
            {"a": 1.5},
        ),
    ],
)
def test_a_narrowed_input_breaks_with_the_smallest_value_that_is_lost(
    old: Any, new: Any, witness: Any
) -> None:
    narrowed, widened = both(old, new)
    assert narrowed.word is Word.BREAKING
    assert narrowed.reason_code == "INPUT_NARROWED"
    if witness is not None:
        assert narrowed.witness == witness
    assert Draft202012Validator(old).is_valid(narrowed.witness)
    assert not Draft202012Validator(new).is_valid(narrowed.witness)
    # what narrows an input is harmless in an output
    assert widened.word is Word.COMPATIBLE


def test_a_widened_output_breaks_its_readers() -> None:
    answer = compare({"type": "integer"}, {"type": "number"}, FORWARD)
    assert (answer.word, answer.reason_code) == (Word.BREAKING, "OUTPUT_WIDENED")
    assert answer.witness == 1.5 or isinstance(answer.witness, float)


def test_an_optional_member_breaks_only_the_exact_question() -> None:
    old = {"type": "object", "properties": {"a": {"type": "string"}}}
    new = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}
    exact = compare(old, new, BACKWARD)
    assert exact.word is Word.BREAKING
    assert set(exact.witness) == {"b"}
    assert compare(old, new, BACKWARD, ContentModel.CLOSED).word is Word.COMPATIBLE


def test_a_changed_dialect_alone_changes_nothing() -> None:
    schema = {
        "type": "array",
        "items": [{"type": "string"}, {"$ref": "#/definitions/n"}],
        "additionalItems": False,
        "definitions": {"n": {"type": "number", "minimum": 0}},
        "dependencies": {"a": ["b"], "c": {"required": ["d"]}},
    }
    old = {"$schema": f"{JSON_SCHEMA}draft-07/schema#", **schema}
    new = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "array",
        "prefixItems": [{"type": "string"}, {"$ref": "#/definitions/n"}],
        "items": False,
        "definitions": {"n": {"type": "number", "minimum": 0}},
        "dependentRequired": {"a": ["b"]},
        "dependentSchemas": {"c": {"required": ["d"]}},
    }
    assert {answer.word for answer in both(old, new)} == {Word.COMPATIBLE}


def test_a_bound_of_draft_04_keeps_its_exclusiveness() -> None:
    old = {"$schema": f"{JSON_SCHEMA}draft-04/schema#", "minimum": 3, "exclusiveMinimum": True}
    same = {"exclusiveMinimum": 3}
    assert {answer.word for answer in both(old, same)} == {Word.COMPATIBLE}
    assert compare({"minimum": 3}, old, BACKWARD).witness == 3


def test_a_reference_follows_its_target_into_another_keyword() -> None:
    old = {
        "items": [{"type": "string"}],
        "additionalItems": {"$ref": "#/items/0"},
        "dependencies": {"a": {"items": [{"$ref": "#/dependencies/a/required"}]}},
    }
    assert rewritten(old, 7) == {
        "prefixItems": [{"type": "string"}],
        "items": {"$ref": "#/prefixItems/0"},
        "dependentSchemas": {"a": {"prefixItems": [{"$ref": "#/dependentSchemas/a/required"}]}},
    }


def test_what_depends_on_a_dialect_nobody_named_is_no_yes() -> None:
    # draft-07 ignores what stands beside a reference, 2020-12 does not
    old = {"definitions": {"s": {"type": "string"}}, "$ref": "#/definitions/s", "maxLength": 3}
    answer = compare(old, {"type": "string", "maxLength": 5}, BACKWARD)
    assert (answer.word, answer.reason_code) == (Word.CONDITIONAL, "DIALECT_DECIDES")


def test_what_depends_on_checking_formats_is_no_yes() -> None:
    answer = compare({"type": "string"}, {"type": "string", "format": "email"}, BACKWARD)
    assert (answer.word, answer.reason_code) == (Word.CONDITIONAL, "FORMAT_DECIDES")
    assert answer.witness == ""
    kept = compare(
        {"type": "string", "format": "email", "minLength": 3},
        {"type": "string", "format": "email"},
        BACKWARD,
    )
    assert kept.word is Word.COMPATIBLE
    encoded = compare({"type": "string"}, {"contentEncoding": "base64"}, BACKWARD)
    assert (encoded.word, encoded.reason_code) == (Word.CONDITIONAL, "FORMAT_DECIDES")


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ({"$schema": "https://example.com/mine"}, "DIALECT_UNKNOWN"),
        ({"type": 7}, "DIALECT_UNKNOWN"),
        ("text", "DIALECT_UNKNOWN"),
        (None, "DIALECT_UNKNOWN"),
        ({"$ref": "https://example.com/other.json"}, "SCHEMA_UNUSABLE"),
        ({"$ref": "#/$defs/missing"}, "SCHEMA_UNUSABLE"),
        ({"enum": ["x" * 600_000]}, "BUDGET_EXCEEDED"),
    ],
)
def test_a_schema_that_cannot_be_compared_is_no_yes(schema: Any, code: str) -> None:
    for answer in (*both(schema, {"type": "string"}), *both({"type": "string"}, schema)):
        assert answer.word is not Word.COMPATIBLE
        assert answer.reason_code == code


def test_a_schema_deeper_than_any_client_reads_is_not_compared() -> None:
    deep: Any = {"type": "string"}
    for _ in range(400):
        deep = {"items": deep}
    assert compare(deep, {"type": "string"}, BACKWARD).reason_code == "BUDGET_EXCEEDED"


def test_true_is_not_one() -> None:
    assert compare({"const": True}, {"const": 1}, BACKWARD).witness is True


def test_a_recursive_schema_is_compared() -> None:
    def tree(value: dict[str, Any]) -> dict[str, Any]:
        node = {
            "type": "object",
            "properties": {"value": value, "next": {"$ref": "#/$defs/node"}},
        }
        return {"$ref": "#/$defs/node", "$defs": {"node": node}}

    narrowed = compare(tree({"type": "number"}), tree({"type": "integer"}), BACKWARD)
    assert narrowed.word is Word.BREAKING
    assert set(narrowed.witness) == {"value"}


def test_alternatives_of_alternatives_are_answered_by_a_counterexample_where_there_is_one() -> None:
    def many(constant: int) -> dict[str, Any]:
        return {
            "allOf": [
                {
                    "anyOf": [
                        {"required": [f"a{at}"], "properties": {f"a{at}": {"type": "integer"}}},
                        {"properties": {f"b{at}": {"const": constant}}},
                    ]
                }
                for at in range(22)
            ]
        }

    assert compare(many(1), many(2), BACKWARD).word is Word.BREAKING


def test_the_same_question_has_the_same_answer_whatever_the_order_of_members() -> None:
    old = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"enum": [1, 2]}}}
    new = {"type": "object", "properties": {"b": {"enum": [1]}, "a": {"maxLength": 2}}}
    turned = {"properties": {"b": {"enum": [1, 2]}, "a": {"type": "string"}}, "type": "object"}
    assert compare(old, new, BACKWARD) == compare(old, new, BACKWARD)
    assert compare(turned, new, BACKWARD).word is compare(old, new, BACKWARD).word


_NAMES = st.sampled_from(["a", "b", "c"])
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-4, 8)
    | st.sampled_from([0.5, 1.5, -2.5])
    | st.text("ab1", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=6,
)


def _schemas() -> st.SearchStrategy[Any]:
    kinds = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
    small = st.integers(0, 3)
    leaves = st.fixed_dictionaries(
        {},
        optional={
            "type": kinds | st.lists(kinds, min_size=1, max_size=3, unique=True),
            "enum": st.lists(_VALUES, min_size=1, max_size=3, unique_by=json.dumps),
            "const": _VALUES,
            "minimum": st.integers(-3, 3),
            "maximum": st.integers(-3, 5),
            "exclusiveMinimum": st.integers(-3, 3),
            "multipleOf": st.sampled_from([1, 2, 0.5]),
            "minLength": small,
            "maxLength": small,
            "pattern": st.sampled_from(["^a", "b$", "^[ab]+$", "1"]),
            "minItems": small,
            "maxItems": small,
            "uniqueItems": st.booleans(),
            "required": st.lists(_NAMES, max_size=2, unique=True),
            "minProperties": small,
            "maxProperties": small,
        },
    )

    def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        several = st.lists(inner, min_size=1, max_size=3)
        return st.tuples(
            leaves,
            st.fixed_dictionaries(
                {},
                optional={
                    "properties": st.dictionaries(_NAMES, inner, max_size=3),
                    "additionalProperties": inner | st.booleans(),
                    "patternProperties": st.dictionaries(
                        st.sampled_from(["^a", "b"]), inner, max_size=1
                    ),
                    "propertyNames": inner,
                    "dependentRequired": st.dictionaries(
                        _NAMES, st.lists(_NAMES, max_size=2, unique=True)
                    ),
                    "items": inner,
                    "prefixItems": several,
                    "contains": inner,
                    "anyOf": several,
                    "oneOf": several,
                    "allOf": several,
                    "not": inner,
                    "if": inner,
                    "then": inner,
                    "else": inner,
                },
            ),
        ).map(lambda parts: parts[0] | parts[1])

    return st.recursive(leaves | st.booleans(), grown, max_leaves=5)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(_schemas(), _schemas(), st.lists(_VALUES, min_size=10, max_size=30))
def test_no_schema_is_called_compatible_where_a_value_shows_otherwise(
    old: Any, new: Any, values: list[Any]
) -> None:
    backward, forward = both(old, new)
    writer, reader = Draft202012Validator(old), Draft202012Validator(new)
    for value in values:
        if backward.word is Word.COMPATIBLE and writer.is_valid(value):
            assert reader.is_valid(value)
        if forward.word is Word.COMPATIBLE and reader.is_valid(value):
            assert writer.is_valid(value)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(_schemas(), _schemas())
def test_every_breaking_answer_carries_a_value_that_shows_it(old: Any, new: Any) -> None:
    answer = compare(old, new, BACKWARD)
    assert (answer.word is Word.BREAKING) is (
        answer.witness is not NOTHING and answer.word is not Word.CONDITIONAL
    )
    if answer.word is Word.BREAKING:
        assert Draft202012Validator(old).is_valid(answer.witness)
        assert not Draft202012Validator(new).is_valid(answer.witness)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(_schemas())
def test_every_schema_replaces_itself_and_is_replaced_by_anything_goes(schema: Any) -> None:
    assert compare(schema, schema, BACKWARD).word is Word.COMPATIBLE
    assert compare(schema, {}, BACKWARD).word is Word.COMPATIBLE
