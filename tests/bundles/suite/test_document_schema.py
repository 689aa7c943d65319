"""The JSON Schema for editors and the validator say the same, as far as a schema can say it."""

import copy
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.document_schema import document_schema
from bundles.suite.validate import validate_suite
from bundles.suite.validate_schema import KEYWORDS

SCHEMA = jsonschema_rs.Draft202012Validator(document_schema())

NAMES = st.sampled_from(["a", "b", "weather", "\u0085", "\u200b", "\u001c", " x", "날씨", "😀"])
BLANKS = st.sampled_from(["", " ", "\ufeff", "\u00a0\t", "\u2028", "\u3000"])
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
COUNTS = st.integers(0, 9) | st.sampled_from([2.0, 2**53 - 1])


def optional(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=members)


def typed(kind: str, **members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    common = {"const": PLAIN, "enum": st.lists(PLAIN, min_size=1, max_size=3)}
    return st.fixed_dictionaries({"type": st.just(kind)}, optional=common | members)


def response_schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return (
        typed(
            "object",
            required=st.lists(NAMES, min_size=1, max_size=3),
            properties=st.dictionaries(NAMES, inner, min_size=1, max_size=3),
            additionalProperties=st.booleans() | inner,
        )
        | typed("array", items=inner, minItems=COUNTS)
        | typed("string", minLength=COUNTS, maxLength=COUNTS, stringContains=NAMES)
        | typed("number", minimum=st.floats(-9, 9), maximum=st.integers(-9, 9))
    )


RESPONSE_SCHEMAS = st.recursive(
    st.sampled_from([{"type": "null"}, {"const": None}, {"enum": [[], {}]}, {"type": "boolean"}]),
    response_schemas,
    max_leaves=4,
)
ASSERTIONS = st.one_of(
    st.fixed_dictionaries({"type": st.just("isError"), "expected": st.booleans()}),
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["bodyMatchesSchema", "structuredContentMatchesSchema"]),
            "schema": RESPONSE_SCHEMAS,
        }
    ),
)
TIMEOUTS = st.integers(1, 2**31 - 1) | st.just(1000.0)


def case(operation: Any, assertion: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "id": NAMES,
            "name": NAMES,
            "operation": operation,
            "assertions": st.lists(assertion, min_size=1, max_size=2),
        },
        optional={"timeoutMs": TIMEOUTS},
    )


CASES = case(
    st.fixed_dictionaries(
        {
            "type": st.just("callTool"),
            "tool": NAMES,
            "input": st.dictionaries(NAMES, PLAIN, max_size=2),
        }
    ),
    ASSERTIONS,
) | case(
    st.just({"type": "listTools"}),
    st.fixed_dictionaries({"type": st.just("toolExists"), "tool": NAMES}),
)
APPROVED = st.fixed_dictionaries(
    {"id": NAMES, "status": st.sampled_from(["passed", "serverDefect"])}
)
SUITES = st.fixed_dictionaries(
    {
        "schemaVersion": st.sampled_from([1, 1.0]),
        "id": NAMES,
        "name": NAMES,
        "cases": st.lists(CASES, min_size=1, max_size=2, unique_by=lambda one: one["id"]),
    },
    optional={
        "defaultTimeoutMs": TIMEOUTS,
        "approval": st.fixed_dictionaries(
            {"fingerprint": st.just("0a" * 32)},
            optional={"cases": st.lists(APPROVED, max_size=2, unique_by=lambda one: one["id"])},
        ),
    },
)

WORDS = st.sampled_from(
    [*KEYWORDS, "id", "status", "tool", "input", "expected", "schema", "timeoutMs", "pattern", "x"]
)
WRONG = PLAIN | BLANKS | st.sampled_from([0, -1, 1.5, 2**31, 2**53, True, "0A" * 32, {}, []])


def places(document: Any) -> list[tuple[Any, Any]]:
    """(container, key or index) of every value."""
    found: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        container = waiting.pop()
        keys = container if isinstance(container, dict) else range(len(container))
        for key in keys:
            found.append((container, key))
            if isinstance(container[key], dict | list):
                waiting.append(container[key])
    return found


def spoil(document: dict[str, Any], data: st.DataObject) -> dict[str, Any]:
    """The document with one to three members changed, lost or added."""
    spoilt = copy.deepcopy(document)
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places(spoilt) or [(spoilt, "cases")]))
        change = data.draw(st.sampled_from(["change", "lose", "add", "rename"]))
        if change == "change" or isinstance(container, list):
            container[key] = data.draw(WRONG)
        elif change == "add":
            container[data.draw(WORDS)] = data.draw(WRONG | RESPONSE_SCHEMAS)
        else:
            value = container.pop(key)
            if change == "rename":
                container[data.draw(WORDS)] = value
    return spoilt


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
