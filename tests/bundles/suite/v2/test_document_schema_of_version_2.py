"""The JSON Schema of version 2 and its validator, held against each other."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.issues import Issue, IssueCode
from bundles.suite.v2.document_schema import document_schema
from bundles.suite.validate import validate_suite

Json = dict[str, Any]

EXAMPLE: Json = json.loads(
    (Path(__file__).parents[4] / "examples" / "notebook" / "suite.json").read_text()
)
SCHEMA = jsonschema_rs.Draft202012Validator(document_schema())


def whole() -> Json:
    """The example with the members it lacks, so that mutations reach them."""
    document = copy.deepcopy(EXAMPLE)
    document["approval"] = {"fingerprint": "a" * 64, "cases": [{"id": "a", "status": "passed"}]}
    document["cases"][0] |= {"profiles": ["a", "b"], "timeoutMs": 5000}
    document["cases"][6]["assertions"] += [
        {"type": "bodyMatchesSchema", "schema": {"type": "string", "minLength": 1}},
        {"type": "structuredContentMatchesSchema", "schema": {"enum": [1]}},
    ]
    return document


def beyond_a_schema(issue: Issue) -> bool:
    """Whether an issue is about what no JSON Schema can say."""
    return (
        issue.code
        in (
            IssueCode.DUPLICATE_CASE_ID,
            IssueCode.UNDEFINED_VARIABLE,
            IssueCode.INVALID_SCHEMA,
        )
        or "no keyword of JSON Schema 2020-12" in issue.message
        or "less than the timeout" in issue.message
        or "names no variable" in issue.message
        or "no other case captures" in issue.message
    )


def test_the_schema_is_one_and_takes_the_example() -> None:
    jsonschema_rs.meta.validate(document_schema())
    assert validate_suite(whole()) == []
    assert SCHEMA.is_valid(whole())


def places(value: Any, inside: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every path into a value."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield (*inside, key)
        if isinstance(value[key], dict | list):
            yield from places(value[key], (*inside, key))


PLACES = list(places(whole()))
NAMES = sorted({str(place[-1]) for place in PLACES})
STRINGS = sorted(
    {p for p in json.dumps(whole()).split('"') if p.strip(" ,:{}[]")} | {"", " ", "\ufeff", "body"}
)
SMALL = st.one_of(
    st.sampled_from([None, True, False, 0, 1, 1.0, 1.5, -1, 2, 10, 11, 100, 101, 2**31, [], {}]),
    st.sampled_from(STRINGS),
)
VALUES = st.one_of(
    SMALL,
    st.lists(SMALL, max_size=2),
    st.dictionaries(st.sampled_from(NAMES), SMALL, max_size=2),
    st.sampled_from(PLACES).map(lambda place: at(whole(), place)),
)


def at(value: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        value = value[key]
    return value


@st.composite
def mutants(draw: st.DrawFn) -> Json:
    """The example with one or two members removed, replaced or added."""
    document = whole()
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.sampled_from(PLACES))
        try:
            owner = at(document, place[:-1])
            match draw(st.sampled_from(["remove", "replace", "add"])):
                case "remove":
                    del owner[place[-1]]
                case "replace":
                    owner[place[-1]] = draw(VALUES)
                case _ if isinstance(owner, dict):
                    owner[draw(st.sampled_from(NAMES))] = draw(VALUES)
                case _:
                    owner.append(draw(VALUES))
        except (KeyError, IndexError, TypeError):
            continue  # the first change took the place of the second away
    return document


@settings(max_examples=300, deadline=None, derandomize=True)
@given(mutants())
def test_schema_and_validator_agree(document: Json) -> None:
    if document.get("schemaVersion") != 2 or document.get("format") != "bundlegate":
        assert not SCHEMA.is_valid(document)
        return
    issues = validate_suite(document)
    shown = json.dumps(document)[:2000]
    if not issues:
        assert SCHEMA.is_valid(document), [e.message for e in SCHEMA.iter_errors(document)]
    elif not all(beyond_a_schema(issue) for issue in issues):
        assert not SCHEMA.is_valid(document), ([issue.to_dict() for issue in issues], shown)
