"""What holds of validation and matching whatever the document."""

import sys
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.schema import MAX_LISTED, match
from bundles.suite.validate import validate_suite
from tests.bundles.suite.strategies import PLAIN, RESPONSE_SCHEMAS, SUITES, spoil

SMALL = st.recursive(
    st.none()
    | st.booleans()
    | st.sampled_from([0, 1, 1.0, 2.0, 9, -1, 1.5, "", "a", "날씨", "😀", " x", "weather"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b", "c", "😀"]), inner, max_size=4)
    ),
    max_leaves=8,
)
"""Values of the kind that the schemas drawn speak of."""


def as_json_schema(schema: Any) -> Any:
    """The schema without what JSON Schema lacks: stringContains, and a name required twice."""
    if isinstance(schema, dict):
        kept = {name: as_json_schema(value) for name, value in schema.items()}
        kept.pop("stringContains", None)
        if "required" in kept:
            kept["required"] = list(dict.fromkeys(kept["required"]))
        return kept
    return [as_json_schema(one) for one in schema] if isinstance(schema, list) else schema


@settings(max_examples=400, deadline=None)
@given(RESPONSE_SCHEMAS, SMALL)
def test_a_value_matches_exactly_when_json_schema_takes_it(schema: Any, value: Any) -> None:
    standard = as_json_schema(schema)
    assert (match(standard, value).total == 0) == jsonschema_rs.is_valid(standard, value)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(RESPONSE_SCHEMAS, SMALL), max_size=4))
def test_the_violations_of_an_object_are_those_of_its_members_in_their_order(
    members: list[tuple[Any, Any]],
) -> None:
    names = [f"m{at}" for at in range(len(members))]
    schema = {
        "type": "object",
        "required": ["none"],
        "properties": dict(zip(names, [schema for schema, _ in members], strict=True)),
        "additionalProperties": False,
    }
    whole = match(schema, dict(zip(names, [value for _, value in members], strict=True)))
    parts = [match(schema, value) for schema, value in members]
    assert whole.total == 1 + sum(part.total for part in parts)
    expected = [("REQUIRED_MISSING", "$")] + [
        (one.code, f"$.{name}{one.path[1:]}")
        for name, part in zip(names, parts, strict=True)
        for one in part.violations
    ]
    found = [(one.code, one.path) for one in whole.violations]
    assert len(found) == min(whole.total, MAX_LISTED)
    if all(part.total <= MAX_LISTED for part in parts):
        assert found == expected[:MAX_LISTED]


@settings(max_examples=100, deadline=None)
@given(RESPONSE_SCHEMAS, st.lists(SMALL, max_size=5))
def test_every_element_is_counted_for_itself(schema: Any, values: list[Any]) -> None:
    whole = match({"type": "array", "items": schema}, values)
    assert whole.total == sum(match(schema, value).total for value in values)


@settings(max_examples=100, deadline=None)
@given(PLAIN, PLAIN)
def test_a_constant_is_matched_by_itself_alone(one: Any, other: Any) -> None:
    assert match({"const": one}, one).total == 0
    assert match({"enum": [other, one]}, one).total == 0
    assert match({"const": one}, [one]).total == 1


@settings(max_examples=60, deadline=None)
@given(SUITES, st.data())
def test_the_issues_of_a_suite_are_those_of_its_cases_one_after_the_other(
    document: dict[str, Any], data: st.DataObject
) -> None:
    spoilt = [spoil(case, data) | {"id": f"case {at}"} for at, case in enumerate(document["cases"])]
    found = [(issue.code, issue.path) for issue in validate_suite(document | {"cases": spoilt})]
    assert found == [
        (issue.code, issue.path.replace("cases[0]", f"cases[{at}]", 1))
        for at, case in enumerate(spoilt)
        for issue in validate_suite(document | {"cases": [case]})
    ]


def work_on(document: dict[str, Any]) -> int:
    """How many calls of functions a validation takes."""
    made = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal made
        made += event.endswith("call")

    sys.setprofile(count)
    try:
        validate_suite(document)
    finally:
        sys.setprofile(None)
    return made


@pytest.mark.parametrize("slips", [{}, {"timeout_ms": 1, "id": "same", "assertions": [{}, 1]}])
def test_twice_the_cases_are_twice_the_work(slips: dict[str, Any]) -> None:
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}
    cases = [
        {
            "id": f"c{at}",
            "name": "C",
            "operation": {"type": "callTool", "tool": "t", "input": {"a": [at]}},
            "assertions": [{"type": "bodyMatchesSchema", "schema": schema}],
            **slips,
        }
        for at in range(2_000)
    ]
    suite = {"schemaVersion": 1, "id": "s", "name": "S"}
    work_on(suite | {"cases": cases[:10]})  # what is done once is done
    half, whole = work_on(suite | {"cases": cases[:1_000]}), work_on(suite | {"cases": cases})
    assert half > 1_000 * 10
    assert whole < 2.01 * half
