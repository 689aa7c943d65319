"""Reading suites and bodies as `JSON.parse` does."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.errors import Refused
from bundles.suite import reading

NO_JSON = (
    *("NaN", "[NaN]", "-Infinity", "\ufeff{}", "\u00a0{}", "01", "1.", ".5", "+1", "[1,]", "{,}"),
    *('"a\nb"', "{'a':1}", '{"a" 1}', "[1 2]", "tru", "nul", "1 2", "\u0661", '"\\x"', '"', ","),
)


@pytest.mark.parametrize("text", NO_JSON)
@pytest.mark.parametrize("depth", [0, 3000])
def test_what_is_no_json_is_refused_at_any_depth(text: str, depth: int) -> None:
    with pytest.raises(json.JSONDecodeError):
        reading.parse("[" * depth + text + "]" * depth)


def test_an_empty_text_is_no_json() -> None:
    with pytest.raises(json.JSONDecodeError):
        reading.parse("")


def test_numbers_are_doubles() -> None:
    assert reading.parse("9007199254740991") == 2**53 - 1
    assert reading.parse("9007199254740993") == 9007199254740992.0
    assert reading.parse("1e400") == math.inf
    assert reading.parse("-" + "9" * 5000) == -math.inf
    assert isinstance(reading.parse("-0"), int)


def test_the_last_of_two_names_counts_and_is_reported() -> None:
    text = '{"a":1,"b":{"a":1,"a":2},"a":3}'
    assert reading.parse(text) == {"a": 3, "b": {"a": 2}}
    assert reading.repeated_names(text) == ["a"]
    assert reading.repeated_names('{"a":1,"b":[{"a":1},{"a":1}]}') == []
    assert reading.repeated_names("[" * 5000 + "]" * 5000) == []
    assert reading.repeated_names("[" * 5000 + '{"a":1,"a":2}' + "]" * 5000) == ["a"]


TEXTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**52), 2**52)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(TEXTS, st.sampled_from([None, 1, "\t"]))
def test_both_readers_agree(value: Any, indent: Any) -> None:
    text = json.dumps(value, indent=indent).replace("Infinity", "1e400")
    assert reading.parse(text) == value
    deep = reading.parse("[" * 1500 + text + "]" * 1500)
    for _ in range(1500):
        (deep,) = deep
    assert deep == value


def test_a_byte_order_mark_is_accepted_at_the_start_of_a_file() -> None:
    assert reading.read_json(b"\xef\xbb\xbf{}") == {}


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"\xff\xfe{", "SUITE_ENCODING_INVALID", None),
        (b'{\n"a":\n}', "SUITE_JSON_INVALID", 3),
        (b'{\n"a":NaN}', "SUITE_JSON_INVALID", 2),
    ],
)
def test_a_file_is_refused_with_its_place(data: bytes, code: str, line: int | None) -> None:
    with pytest.raises(Refused) as refused:
        reading.read_json(data, path="a.json")
    assert (refused.value.reason_code, refused.value.path) == (code, "a.json")
    assert refused.value.line == line
    assert refused.value.next_steps
