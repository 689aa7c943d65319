"""References and alternatives: both what stands beside them and what they lead to counts."""

from typing import Any

import pytest

from bundles.suite.generate import GenerationRefused, generate_suite

TEXT = {"type": "string"}
HUGE = f"#/$defs/list/{'1' * 5_000}"
"""An index with more digits than Python turns into a number."""


def plain(schema: dict[str, Any], **definitions: Any) -> Any:
    """The value of the plain call for a required field of this schema."""
    tool = {"type": "object", "properties": {"v": schema}, "required": ["v"]}
    made = generate_suite([{"name": "t", "inputSchema": {**tool, "$defs": definitions}}])
    return made.suite["cases"][0]["operation"]["input"]["v"]


def path_of_refusal(schema: dict[str, Any], **definitions: Any) -> str:
    with pytest.raises(GenerationRefused) as refusal:
        plain(schema, **definitions)
    assert refusal.value.reason_code == "UNSUPPORTED_SCHEMA"
    return refusal.value.path.removeprefix("tools[0].inputSchema.properties.v")


@pytest.mark.parametrize(
    ("beside", "there", "made"),
    [
        ({"minimum": 3}, {"type": "integer", "minimum": 5}, 5),
        ({"maximum": 3}, {"type": "integer", "maximum": 5}, 3),
        ({"enum": ["b", "c"]}, {"type": "string", "enum": ["a", "c"]}, "c"),
        ({"default": "here"}, {"type": "string", "default": "there"}, "here"),
        (
            {"required": ["a"], "properties": {"a": TEXT}},
            {"type": "object", "required": ["b"], "properties": {"b": TEXT, "a": TEXT}},
            {"a": "example", "b": "example"},
        ),
        ({}, {"$ref": "#/$defs/y"}, 7),
    ],
)
def test_both_sides_of_a_reference_count(beside: Any, there: Any, made: Any) -> None:
    assert (
        plain({"$ref": "#/$defs/x", **beside}, x=there, y={"const": 7, "type": "integer"}) == made
    )


@pytest.mark.parametrize(
    ("beside", "there", "where"),
    [
        ({"type": "integer"}, TEXT, ".$ref.type"),
        ({"enum": ["a"]}, {"type": "string", "enum": ["b"]}, ".$ref.enum"),
        (
            {"properties": {"a": TEXT}},
            {"type": "object", "properties": {"a": {"type": "null"}}},
            ".$ref.properties.a",
        ),
    ],
)
def test_two_sides_that_contradict_each_other_are_named(
    beside: Any, there: Any, where: str
) -> None:
    assert path_of_refusal({"$ref": "#/$defs/x", **beside}, x=there) == where


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_the_first_alternative_that_works_is_taken(keyword: str) -> None:
    unknown = {"type": "string", "allOf": [{}]}
    assert plain({keyword: [unknown, {"type": "integer", "minimum": 4}, TEXT]}) == 4
    assert plain({"type": "integer", keyword: [TEXT, {"maximum": -2}]}) == -2
    assert path_of_refusal({keyword: [unknown, unknown]}) == f".{keyword}[0].allOf"
    assert path_of_refusal({keyword: []}) == f".{keyword}"
    assert path_of_refusal({keyword: [5]}) == f".{keyword}[0]"


def test_of_several_types_the_first_is_taken() -> None:
    assert plain({"type": ["integer", "null"], "minimum": 2}) == 2
    assert plain({"type": ["null", "string"]}) is None
    assert path_of_refusal({"type": []}) == ".type"
    assert path_of_refusal({"type": ["word"]}) == ".type[0].type"


def test_a_value_that_two_of_oneof_admit_is_not_sent() -> None:
    assert path_of_refusal({"oneOf": [TEXT, {"type": "string", "minLength": 3}]}) == (
        "tools[0].inputSchema"
    )


@pytest.mark.parametrize(
    ("pointer", "made"),
    [
        ("#/$defs/a~1b", "slash"),
        ("#/$defs/c%20d", "space"),
        ("#/$defs/e~0f", "tilde"),
        ("#/$defs/list/anyOf/1", "second"),
        ("#/%24defs%2Fc%20d", "space"),  # a fragment is decoded before it is a pointer
    ],
)
def test_pointers_are_read_as_pointers(pointer: str, made: str) -> None:
    def named(name: str) -> dict[str, Any]:
        return {"type": "string", "const": name}

    definitions = {"a/b": named("slash"), "c d": named("space"), "e~f": named("tilde")}
    listed = {"list": {"anyOf": [named("first"), named("second")]}}
    assert plain({"$ref": pointer}, **definitions, **listed) == made


@pytest.mark.parametrize(
    "pointer", ["#/$defs/none", "#name", "other.json", 7, "#/$defs/list/9", HUGE]
)
def test_a_reference_that_leads_nowhere_is_named(pointer: object) -> None:
    assert path_of_refusal({"$ref": pointer}, list=[TEXT]) == ".$ref"
