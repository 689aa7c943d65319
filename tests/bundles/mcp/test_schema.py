"""Shapes and JSON Schemas of MCP answers, accepted and refused with their pointers."""

import pytest

from bundles.mcp.problem import Kind
from bundles.mcp.schema import (
    LEGACY,
    MODERN,
    cache_hint_problems,
    call_result_problems,
    cut,
    discover_problems,
    initialize_problems,
    input_schema_problems,
    output_schema_problems,
    schema_problems,
    tools_page_problems,
    value_problems,
)

CACHE = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
TEXT = {"type": "text", "text": "x"}


def pointers(problems) -> list[str]:
    return [problem.pointer for problem in problems]


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"supportedVersions": []}, "/supportedVersions"),
        ({"capabilities": {"tools": {"listChanged": "yes"}}}, "/capabilities/tools/listChanged"),
        ({"resultType": "partial"}, "/resultType"),
        ({"instructions": None}, "/instructions"),
        (
            {"_meta": {"io.modelcontextprotocol/serverInfo": {"name": "x"}}},
            "/_meta/io.modelcontextprotocol~1serverInfo",
        ),
    ],
)
def test_a_discovery_answer_is_held_to_its_shape(change: dict, pointer: str) -> None:
    good = {"supportedVersions": [MODERN], "capabilities": {}, **CACHE}
    assert discover_problems(good) == ()
    assert pointers(discover_problems({**good, **change})) == [pointer]


def test_a_handshake_needs_version_capabilities_and_server_info() -> None:
    good = {
        "protocolVersion": LEGACY,
        "capabilities": {"tasks": {}},
        "serverInfo": {"name": "x", "version": "1"},
    }
    assert initialize_problems(good) == ()
    assert len(initialize_problems({})) == 3


@pytest.mark.parametrize(
    ("tool", "pointer"),
    [
        (None, "/tools/0"),
        ({}, "/tools/0"),
        ({"name": ""}, "/tools/0/name"),
        ({"name": "x", "description": None}, "/tools/0/description"),
        (
            {"name": "x", "annotations": {"readOnlyHint": "true"}},
            "/tools/0/annotations/readOnlyHint",
        ),
        ({"name": "x", "icons": [{}]}, "/tools/0/icons/0"),
    ],
)
def test_a_listed_tool_is_held_to_its_shape(tool: object, pointer: str) -> None:
    assert pointers(tools_page_problems({"tools": [tool], **CACHE}, MODERN)) == [pointer]
    assert pointers(tools_page_problems({"tools": [tool]}, LEGACY)) == [pointer]


def test_vendor_members_and_unknown_annotations_are_legal() -> None:
    tool = {"name": "x", "x-vendor": 1, "annotations": {"audience": "ops"}, "execution": {}}
    assert tools_page_problems({"tools": [tool]}, LEGACY) == ()


def test_only_the_newer_revision_asks_for_a_result_type() -> None:
    assert tools_page_problems({"tools": []}, LEGACY) == ()
    assert len(tools_page_problems({"tools": []}, MODERN)) == 1


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"ttlMs": -1}, "/ttlMs"),
        ({"ttlMs": True}, "/ttlMs"),
        ({"ttlMs": "60000"}, "/ttlMs"),
        ({"cacheScope": "shared"}, "/cacheScope"),
    ],
)
def test_hints_for_caches_are_held_to_their_shape(change: dict, pointer: str) -> None:
    assert cache_hint_problems(CACHE) == ()
    assert pointers(cache_hint_problems({**CACHE, **change})) == [pointer]
    assert len(cache_hint_problems({})) == 2


@pytest.mark.parametrize(
    ("block", "pointer"),
    [
        ({"type": "text"}, "/content/0"),
        ({"type": "html", "text": "x"}, "/content/0/type"),
        ({"type": "image", "data": "x"}, "/content/0"),
        ({"type": "resource", "resource": {"uri": "x:y"}}, "/content/0/resource"),
        ({"type": "resource_link", "uri": "x:y"}, "/content/0"),
        ({**TEXT, "annotations": {"priority": 2}}, "/content/0/annotations/priority"),
    ],
)
def test_a_content_block_is_held_to_its_type(block: dict, pointer: str) -> None:
    assert pointers(call_result_problems({"content": [block]}, LEGACY)) == [pointer]


def test_structured_content_may_be_anything_since_the_newer_revision() -> None:
    result = {"content": [TEXT], "structuredContent": None}
    assert call_result_problems({**result, "resultType": "complete"}, MODERN) == ()
    assert pointers(call_result_problems(result, LEGACY)) == ["/structuredContent"]


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        (None, ""),
        (True, ""),
        ({}, "/type"),
        ({"type": ["object"]}, "/type"),
        ({"type": "object", "properties": []}, "/properties"),
        ({"type": "object", "properties": {"a/b": {"type": "strng"}}}, "/properties/a~1b/type"),
        ({"type": "object", "$schema": "https://example.com/dialect"}, "/$schema"),
        ({"type": "object", "$schema": 7}, "/$schema"),
    ],
)
def test_an_unusable_input_schema_is_named(schema: object, pointer: str) -> None:
    assert pointers(input_schema_problems(schema)) == [pointer]


@pytest.mark.parametrize(
    "reference",
    [
        *("#/$defs/none", "#none", "https://example.com/s", "file:///etc/passwd"),
        *("other.json#/$defs/a", "https://example.com/s#/$defs/a"),
    ],
)
def test_a_reference_that_leads_out_of_a_schema_is_pointed_at(reference: str) -> None:
    properties = {"b": {"$ref": "#/$defs/here"}, "a/b": {"items": {"$ref": reference}}}
    schema = {"type": "object", "properties": properties, "$defs": {"here": {"type": "string"}}}
    (problem,) = input_schema_problems(schema)
    assert problem.kind is Kind.REFERENCE
    assert problem.pointer == "/properties/a~1b/items/$ref"
    assert problem.seen == reference


def test_a_reference_to_a_schema_inside_by_its_id_is_followed() -> None:
    inside = {"a": {"$id": "a.json", "type": "string"}}
    schema = {"type": "object", "properties": {"a": {"$ref": "a.json"}}, "$defs": inside}
    assert input_schema_problems(schema) == ()


@pytest.mark.parametrize(
    "dialect",
    [
        "https://json-schema.org/draft/2020-12/schema",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft-07/schema",
        "http://json-schema.org/draft-04/schema#",
    ],
)
def test_older_dialects_are_legal(dialect: str) -> None:
    assert input_schema_problems({"type": "object", "$schema": dialect}) == ()
    assert value_problems({"type": "object", "$schema": dialect}, {}) == ()


def test_an_output_schema_of_another_root_type_is_legal_only_in_the_newer_revision() -> None:
    assert output_schema_problems({"type": "array"}, MODERN) == ()
    assert pointers(output_schema_problems({"type": "array"}, LEGACY)) == ["/type"]


def test_a_schema_too_deep_to_walk_is_refused_before_it_is_compiled() -> None:
    schema: dict = {}
    for _ in range(5000):
        schema = {"items": schema}
    assert "nested deeper" in schema_problems(schema)[0].message


def test_a_schema_that_refers_to_itself_for_ever_ends() -> None:
    schema = {"type": "object", "allOf": [{"$ref": "#"}], "properties": {"a": {"$ref": "#"}}}
    assert schema_problems(schema) == ()
    assert value_problems(schema, {"a": {}}) == ()


def test_problems_are_bounded_in_number_and_length() -> None:
    schema = {"type": "array", "items": {"type": "string"}}
    assert len(value_problems(schema, list(range(5000)))) == 10
    assert len(cut("x" * 10_000)) < 250
    assert cut(list(range(1000))) == "list of 1000"
