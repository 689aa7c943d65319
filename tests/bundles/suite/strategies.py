"""Suites, response schemas and plain values to draw, and suites with something spoilt."""

import copy
from typing import Any

from hypothesis import strategies as st

from bundles.suite.validate_schema import KEYWORDS

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
            container[key] = copy.deepcopy(data.draw(WRONG))
        elif change == "add":
            container[data.draw(WORDS)] = copy.deepcopy(data.draw(WRONG | RESPONSE_SCHEMAS))
        else:
            value = container.pop(key)
            if change == "rename":
                container[data.draw(WORDS)] = value
    return spoilt
