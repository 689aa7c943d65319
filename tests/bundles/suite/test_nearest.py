"""A slip is answered with the name that was meant, a foreign word with silence."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.nearest import did_you_mean
from bundles.suite.validate_schema import KEYWORDS, TYPES

FIELDS = ("id", "name", "timeoutMs", "operation", "assertions")


@pytest.mark.parametrize(
    ("written", "known", "meant"),
    [
        ("timeout_ms", FIELDS, "timeoutMs"),
        ("timeout", FIELDS, "timeoutMs"),
        ("Assertions", FIELDS, "assertions"),
        ("assertion", FIELDS, "assertions"),
        ("asertions", FIELDS, "assertions"),
        ("opreation", FIELDS, "operation"),
        ("nmae", FIELDS, "name"),
        ("minLenght", KEYWORDS, "minLength"),
        ("additionalproperties", KEYWORDS, "additionalProperties"),
        ("string_contains", KEYWORDS, "stringContains"),
        ("int", TYPES, "integer"),
        ("bool", TYPES, "boolean"),
        ("str", TYPES, "string"),
        ("String", TYPES, "string"),
    ],
)
def test_a_slip_is_answered_with_the_name_that_was_meant(
    written: str, known: tuple[str, ...], meant: str
) -> None:
    assert did_you_mean(written, known) == f"; did you mean {meant!r}?"


@pytest.mark.parametrize(
    "written",
    [
        "maxItems",
        "pattern",
        "format",
        "$ref",
        "anyOf",
        "description",
        "exclusiveMinimum",
        "min",
        "t",
        "",
    ],
)
def test_a_foreign_keyword_is_answered_with_silence(written: str) -> None:
    assert did_you_mean(written, KEYWORDS) == ""


@pytest.mark.parametrize("written", [None, 5, True, [], {}, "x" * 1_000_000])
def test_what_is_no_name_has_no_neighbour(written: object) -> None:
    assert did_you_mean(written, KEYWORDS) == ""


@given(st.sampled_from(KEYWORDS), st.data())
@settings(max_examples=60, deadline=None)
def test_one_letter_lost_in_a_long_name_is_found_again(keyword: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(keyword) - 1))
    written = keyword[:at] + keyword[at + 1 :]
    assert len(written) < 5 or did_you_mean(written, KEYWORDS) == f"; did you mean {keyword!r}?"
