"""What holds for every tool: cases agree with the schema, suites are valid, bytes are stable."""

from typing import Any

import jsonschema_rs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bundles.suite.generate import Generated, GenerationRefused, Policy, generate_suite
from bundles.suite.validate import validate_suite

Json = dict[str, Any]
LAWS = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
NAMES = st.sampled_from(["a", "b", "B", "a-b", "a.b", "名", "10", "tags[]"])


def bounds(least: str, most: str) -> st.SearchStrategy[Json]:
    """Either bound, both, or none; there is always something between them."""
    kept = st.sampled_from([(), (least,), (most,), (least, most)])
    return st.tuples(st.integers(1, 3), st.integers(1, 2), kept).map(
        lambda drawn: {name: drawn[0] + (drawn[1] if name == most else 0) for name in drawn[2]}
    )


def typed(kind: str, more: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return more.map(lambda members: {"type": kind, **members})


LEAVES = st.one_of(
    typed("string", bounds("minLength", "maxLength")),
    typed("integer", bounds("minimum", "maximum")),
    typed("number", bounds("exclusiveMinimum", "maximum")),
    st.just({"type": "boolean"}),
    st.just({"type": "null"}),
    st.just({"type": "string", "format": "email"}),
    st.lists(st.sampled_from(["p", "q", "r", "s"]), min_size=1, unique=True).map(
        lambda listed: {"type": "string", "enum": listed}
    ),
)


def objects(children: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    def chosen(properties: Json) -> st.SearchStrategy[Json]:
        required = st.lists(st.sampled_from(sorted(properties)), unique=True)
        closed = st.sampled_from([{}, {"additionalProperties": False}])
        return st.tuples(required if properties else st.just([]), closed).map(
            lambda drawn: {
                "type": "object",
                "properties": properties,
                "required": drawn[0],
                **drawn[1],
            }
        )

    return st.dictionaries(NAMES, children, max_size=3).flatmap(chosen)


def arrays(children: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.tuples(children, bounds("minItems", "maxItems")).map(
        lambda drawn: {"type": "array", "items": drawn[0], **drawn[1]}
    )


PLAIN = objects(st.recursive(LEAVES, lambda inner: objects(inner) | arrays(inner), max_leaves=3))
MIXED = objects(
    st.recursive(
        LEAVES,
        lambda inner: st.one_of(
            objects(inner),
            arrays(inner),
            st.lists(inner, min_size=1, max_size=3).map(lambda listed: {"anyOf": listed}),
            st.tuples(inner, inner).map(lambda pair: {"oneOf": list(pair)}),
            inner.map(lambda schema: {"anyOf": [schema, {"type": "null"}], "default": None}),
            st.sampled_from(
                [
                    {"type": ["integer", "null"], "minimum": 2},
                    {"$ref": "#"},
                    {"$ref": "#/properties/a"},
                    {"type": "string", "pattern": "^[a-c]{2,4}$", "minLength": 3},
                    {"type": "string", "multipleOf": 2},
                ]
            ),
        ),
        max_leaves=4,
    )
)


def made(schema: Json, policy: Policy = Policy.V3) -> Generated | None:
    tool = {"name": "do_it", "inputSchema": schema, "outputSchema": schema}
    try:
        return generate_suite([tool], policy=policy)
    except GenerationRefused:
        return None


@LAWS
@given(PLAIN)
def test_of_a_plain_schema_every_case_made_is_kept(schema: Json) -> None:
    generated = made(schema)
    assert generated is not None
    assert not [left for left in generated.uncovered_fields if "the schema " in left.message]
    assert generated.coverage.covered == generated.coverage.total


@LAWS
@given(MIXED)
def test_what_a_case_expects_is_what_the_schema_says(schema: Json) -> None:
    generated = made(schema)
    if generated is None:
        return
    validator = jsonschema_rs.Draft202012Validator(schema)
    for case in generated.suite["cases"]:
        refused = case["assertions"][0]["expected"]
        assert validator.is_valid(case["operation"]["input"]) is not refused, case


@LAWS
@given(MIXED, st.sampled_from(Policy))
def test_the_suite_is_valid_and_its_bytes_do_not_change(schema: Json, policy: Policy) -> None:
    generated, again = made(schema, policy), made(schema, policy)
    if generated is None or again is None:
        assert generated is again
        return
    assert validate_suite(generated.suite) == []
    assert generated.written() == again.written()
    assert generated.written().isascii()


@LAWS
@given(PLAIN)
def test_the_order_of_properties_changes_no_case(schema: Json) -> None:
    turned = {**schema, "properties": dict(reversed(schema["properties"].items()))}
    one, other = made(schema), made(turned)
    assert one is not None
    assert other is not None
    assert one.written() == other.written()


@LAWS
@given(PLAIN)
def test_every_case_differs_from_the_plain_one(schema: Json) -> None:
    generated = made(schema)
    assert generated is not None
    first, *others = (case["operation"]["input"] for case in generated.suite["cases"])
    assert first not in others
