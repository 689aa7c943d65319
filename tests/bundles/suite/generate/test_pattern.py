"""Strings for patterns: they match, they are short, and what cannot be followed is named."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.generate.pattern import check_pattern, shortest_match
from bundles.suite.generate.refusals import GenerationRefused, Unsupported

ATOMS = st.sampled_from(
    ["a", "Z", r"\.", ".", r"\d", r"\w", r"\s", r"\S", r"\D", r"\W", "[b-d]", "[^a]", r"[\d_]", "-"]
)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{0,}", "+?"])).map(
            lambda drawn: f"({drawn[0]}){drawn[1]}"
        ),
    ),
    max_leaves=6,
)
LAWS = settings(max_examples=150, deadline=None, derandomize=True)


@LAWS
@given(PATTERNS)
def test_what_is_made_matches_from_end_to_end(pattern: str) -> None:
    text = shortest_match(f"^{pattern}$", None, None, "s")
    assert re.fullmatch(pattern, text)


@LAWS
@given(PATTERNS, st.integers(0, 9))
def test_repetition_reaches_a_least_length_or_says_that_it_cannot(pattern: str, least: int) -> None:
    try:
        text = shortest_match(f"^{pattern}$", least, None, "s")
    except Unsupported:
        return
    assert len(text) >= least
    assert re.fullmatch(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "least", "made"),
    [
        (r"^[A-Z]{2}\d{4}$", None, "AA0000"),
        ("^(cat|dog)s?$", None, "cat"),
        ("^a+b*$", 5, "aaaaa"),
        (r"^\u0041\x42\u{43}\t?$", None, "ABC"),
        ("^(?<year>[0-9]{4})$", None, "0000"),
        ("[^a-z]", None, "A"),
        (r"^a\b$", None, "a"),
    ],
)
def test_the_first_and_the_least_are_taken(pattern: str, least: int | None, made: str) -> None:
    assert shortest_match(pattern, least, None, "s") == made


@pytest.mark.parametrize(
    "pattern",
    [r"(?=a)b", r"(?!a)b", r"(?<=a)b", r"(a)\1", r"\p{L}", "(" * 60 + "a" + ")" * 60, "a{90000}"],
)
def test_what_cannot_be_followed_leaves_the_tool_out(pattern: str) -> None:
    with pytest.raises(Unsupported) as refusal:
        shortest_match(pattern, None, None, "tools[0]")
    assert refusal.value.reason_code == "UNSUPPORTED_SCHEMA"


@pytest.mark.parametrize("pattern", ["(", "*", "a)", 5])
def test_what_is_no_regular_expression_is_a_broken_schema(pattern: object) -> None:
    with pytest.raises(GenerationRefused) as refusal:
        check_pattern(pattern, "tools[0].inputSchema")
    assert refusal.value.reason_code == "INVALID_SCHEMA_CONSTRAINT"
    assert refusal.value.path == "tools[0].inputSchema.pattern"


def test_a_pattern_that_only_this_harness_cannot_match_breaks_nothing() -> None:
    for pattern in ("a{", r"(?<n>a)\k<n>", "a" * 3000):
        with pytest.raises(Unsupported):
            check_pattern(pattern, "tools[0].inputSchema")


def test_a_longest_length_is_kept() -> None:
    with pytest.raises(Unsupported):
        shortest_match("^abc$", None, 2, "s")
