"""Violations for people: masked, then cut, the same facts in every language."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.diagnostics import describe, sentence
from bundles.suite.language import KOREAN, LANGUAGES
from bundles.suite.schema import match


def described(schema: dict[str, Any], value: Any, *secrets: str) -> dict[str, Any]:
    return describe(match(schema, value).violations[0], secrets)


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        ({"type": "number"}, "21", '타입이 다릅니다. 기대: number, 실제: string ("21")'),
        ({"type": "number"}, {"a": 1}, "타입이 다릅니다. 기대: number, 실제: object (키 1개)"),
        ({"type": "object"}, [1, 2], "타입이 다릅니다. 기대: object, 실제: array (원소 2개)"),
        ({"const": "서울"}, "Seoul", '값이 다릅니다. 기대: "서울", 실제: "Seoul"'),
        ({"const": {"a": 1}}, {"a": 2}, '값이 다릅니다. 기대: {"a":1}, 실제: {"a":2}'),
        (
            {"enum": ["맑음", 1]},
            None,
            '기대한 값 중 하나가 아닙니다. 기대: "맑음" | 1, 실제: null',
        ),
        (
            {"type": "array", "minItems": 24},
            [1, 2, 3],
            "배열 원소가 부족합니다. 기대: 24개 이상, 실제: 3개",
        ),
        (
            {"type": "string", "minLength": 1},
            "",
            "문자열이 너무 짧습니다. 기대: 1자 이상, 실제: 0자",
        ),
        (
            {"type": "string", "maxLength": 200},
            "x" * 812,
            "문자열이 너무 깁니다. 기대: 200자 이하, 실제: 812자",
        ),
        (
            {"type": "string", "stringContains": "도시"},
            "no",
            '응답 문자열에 기대한 내용이 없습니다. 기대: "도시" 포함, 실제: "no"',
        ),
        (
            {"type": "number", "minimum": -90},
            -273,
            "값이 범위를 벗어납니다. 기대: -90 이상, 실제: -273",
        ),
        (
            {"type": "number", "maximum": 60},
            210,
            "값이 범위를 벗어납니다. 기대: 60 이하, 실제: 210",
        ),
    ],
)
def test_korean_says_what_the_format_documents(
    schema: dict[str, Any], value: Any, said: str
) -> None:
    assert sentence(described(schema, value), KOREAN) == f"$: {said}"


def test_what_is_cut_says_how_long_it_was() -> None:
    made = described({"type": "null"}, "x" * 812)
    assert (len(made["actual"]), made["actualChars"]) == (200, 812)
    assert made["message"].endswith('x"… (812 characters))')
    assert sentence(made, KOREAN).endswith('x"…(총 812자))')
    exact = described({"type": "null"}, "😀" * 200)
    assert exact["actual"] == "😀" * 200
    assert "actualChars" not in exact


def test_long_names_and_long_lists_are_cut_too() -> None:
    value = {f"{'k' * 500}{number:02}": 1 for number in range(30)}
    made = described({"type": "object", "required": ["a"]}, value)
    assert {len(name) for name in made["observedKeys"]} == {201}
    assert len(made["message"]) < 20 * 210
    many = described({"enum": list(range(5000))}, "x")
    assert (len(many["expected"]), many["expectedTotal"]) == (20, 5000)
    assert "19 and 4980 more, actual" in many["message"]
    assert "19 외 4980개" in sentence(many, KOREAN)


def test_a_secret_inside_a_value_is_masked_before_the_value_is_cut() -> None:
    secret = "s3cr3t-token-of-some-length"
    across_the_cut = "x" * 190 + secret
    made = described({"type": "null"}, across_the_cut, secret)
    assert "s3cr3t" not in str(made)
    assert made["actual"] == "x" * 190 + "[REDACTED]"
    compared = described({"const": 1}, {"a": f"Bearer {secret}"}, secret)
    assert compared["actual"] == {"a": "Bearer [REDACTED]"}
    named = described({"type": "object", "required": ["a"]}, {f"x{secret}": 1}, secret)
    assert "s3cr3t" not in str(named)
    punctuation = described({"const": 1}, {"a": ["b"]}, '":["')
    assert punctuation["actual"] == '{"a[REDACTED]b"]}'


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=250),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(VALUES, VALUES, st.sampled_from(["null", "string", "array", "object", "number"]))
def test_every_violation_has_a_sentence_in_every_language(one: Any, other: Any, kind: str) -> None:
    for schema in ({"const": one}, {"enum": [one]}, {"type": kind}):
        for violation in match(schema, other).violations:
            made = describe(violation)
            for words in LANGUAGES.values():
                said = sentence(made, words)
                assert said.startswith("$: ")
                assert len(said) < 2500
            assert made["message"] == sentence(made)
