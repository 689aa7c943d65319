"""Fixtures: what is no document of them is refused at its place."""

from typing import Any

import pytest

from bundles.suite.generate import GenerationRefused, Policy, generate_suite, read_fixtures

TOOL = {
    "name": "t",
    "inputSchema": {"type": "object", "properties": {"city": {"type": "string", "minLength": 2}}},
}


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        ([], ""),
        ({}, "/schemaVersion"),
        ({"schemaVersion": True}, "/schemaVersion"),
        ({"schemaVersion": 2}, "/schemaVersion"),
        ({"schemaVersion": 1, "tolls": {}, "b": 1, "a/b": 1}, "/a~1b"),
        ({"schemaVersion": 1, "tools": []}, "/tools"),
        ({"schemaVersion": 1, "tools": {"a~b": "Oslo"}}, "/tools/a~0b"),
        ({"schemaVersion": 1, "notes": {"t": {"x/y": 7}}}, "/notes/t/x~1y"),
    ],
)
def test_what_is_no_set_of_fixtures_is_refused_at_its_place(document: Any, pointer: str) -> None:
    with pytest.raises(GenerationRefused) as refusal:
        read_fixtures(document, path="f.json")
    assert (refusal.value.reason_code, refusal.value.pointer) == ("INVALID_FIXTURES", pointer)


def test_fixtures_are_the_tools_of_their_document() -> None:
    tools = {"t": {"city": "Oslo"}}
    notes = {"t": {"city": "exists"}}
    assert read_fixtures({"schemaVersion": 1.0, "tools": tools, "notes": notes}) == tools
    assert read_fixtures({"schemaVersion": 1}) == {}


@pytest.mark.parametrize(
    ("fixtures", "path"),
    [
        ({"none": {"city": "Oslo"}}, "tools.none"),
        ({"t": {"town": "Oslo"}}, "tools[0].inputSchema.properties.town"),
        ({"t": {"city": "O"}}, "tools[0].inputSchema.properties.city"),
    ],
)
def test_a_fixture_that_fits_nothing_is_refused(fixtures: Any, path: str) -> None:
    with pytest.raises(GenerationRefused) as refusal:
        generate_suite([TOOL], fixtures=fixtures)
    assert (refusal.value.reason_code, refusal.value.path) == ("INVALID_FIXTURE_VALUE", path)


def test_the_older_policy_has_no_place_for_fixtures() -> None:
    with pytest.raises(GenerationRefused) as refusal:
        generate_suite([TOOL], policy=Policy.V2, fixtures={"t": {"city": "Oslo"}})
    assert refusal.value.reason_code == "INVALID_FIXTURES"
