"""The JSON Schema for editors and the validator say the same, as far as a schema can say it."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.document_schema import document_schema
from bundles.suite.validate import validate_suite
from bundles.suite.validate_schema import KEYWORDS
from tests.bundles.suite.strategies import SUITES, places, spoil

SCHEMA = jsonschema_rs.Draft202012Validator(document_schema())


def beyond_a_schema(document: Any) -> bool:
    """Whether all the validator says is what no JSON Schema can: an id is used twice."""
    return all(
        issue.code == "DUPLICATE_CASE_ID"
        or (issue.path.startswith("approval.cases[") and "each id once" in issue.message)
        for issue in validate_suite(document)
    )


def whole() -> dict[str, Any]:
    """A suite in which every member of the format stands."""
    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0}},
            "s": {"type": "string", "minLength": 1, "maxLength": 2, "stringContains": "x"},
            "e": {"enum": [1, None]},
            "n": {"type": "number", "const": 1, "maximum": 2.5},
        },
        "additionalProperties": {"type": "boolean"},
    }
    call = {"type": "callTool", "tool": "t", "input": {"a": [1]}}
    return {
        "schemaVersion": 1,
        "id": "s",
        "name": "S",
        "defaultTimeoutMs": 1,
        "approval": {"fingerprint": "0a" * 32, "cases": [{"id": "c", "status": "passed"}]},
        "cases": [
            {
                "id": "c",
                "name": "C",
                "timeoutMs": 1,
                "operation": call,
                "assertions": [
                    {"type": "isError", "expected": True},
                    {"type": "bodyMatchesSchema", "schema": schema},
                    {"type": "structuredContentMatchesSchema", "schema": {"const": {}}},
                ],
            },
            {
                "id": "d",
                "name": "D",
                "operation": {"type": "listTools"},
                "assertions": [{"type": "toolExists", "tool": "t"}],
            },
        ],
    }


EDGES: tuple[Any, ...] = (
    *(None, True, False, "", " ", "\ufeff", "\u0085", "x", "0A" * 32, "0a" * 33, "0a" * 32),
    *(0, -0.0, -1, 1, 1.0, 1.5, 2**31 - 1, 2**31, 2**53 - 1, 2**53, 1e300, "1"),
    *([], {}, [[]], [{}], ["a"], [" "], [1], {"a": 1}, {"a": {}}, {"type": "string"}, {"type": 1}),
    *("listTools", "callTool", "isError", "toolExists", "bodyMatchesSchema", "serverDefect"),
    *("object", "array", "string", "number", "integer", "null"),
)


def changed() -> Iterator[dict[str, Any]]:
    """A whole suite with one thing changed: every value, every member lost, every member added."""
    for at in range(len(places(whole()))):
        for edge in EDGES:
            document = whole()
            container, key = places(document)[at]
            container[key] = edge
            yield document
        document = whole()
        container, key = places(document)[at]
        del container[key]
        yield document
        for word in (*KEYWORDS, "id", "tool", "approval", "other"):
            document = whole()
            container, key = places(document)[at]
            if isinstance(container[key], dict) and word not in container[key]:
                container[key][word] = 1
                yield document


def test_one_change_anywhere_is_refused_by_both_or_by_neither() -> None:
    seen = {True: 0, False: 0}
    for document in changed():
        accepted = SCHEMA.is_valid(document)
        assert accepted == beyond_a_schema(document), document
        seen[accepted] += 1
    assert seen[True] > 100
    assert seen[False] > 1000


def test_the_schema_is_one() -> None:
    jsonschema_rs.meta.validate(document_schema())


@settings(max_examples=150, deadline=None)
@given(SUITES)
def test_a_valid_suite_passes_the_schema(document: dict[str, Any]) -> None:
    assert validate_suite(document) == []
    SCHEMA.validate(document)


@settings(max_examples=100, deadline=None)
@given(SUITES, st.data())
def test_a_spoilt_suite_is_refused_by_both_or_by_neither(
    document: dict[str, Any], data: st.DataObject
) -> None:
    spoilt = spoil(document, data)
    assert SCHEMA.is_valid(spoilt) == beyond_a_schema(spoilt)


@pytest.mark.parametrize(
    "document", [None, [], "suite", {}, {"schemaVersion": 2}, {"schemaVersion": True}]
)
def test_what_is_no_suite_is_refused(document: object) -> None:
    assert not SCHEMA.is_valid(document)
