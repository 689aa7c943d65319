"""Strict JSON: accepted as the interpreter reads it, or refused by name, pointer and line."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.canonical import parse_json
from bundles.errors import LimitExceeded, Refused
from bundles.json_reader import count_nodes, read_json
from bundles.json_walk import walk_json
from bundles.limits import Limits
from bundles.lines import Lines

SMALL = Limits(depth=4, string_bytes=40, document_nodes=60)

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=15,
)


def outcome_of(read):
    """The value as JSON text, or what the refusal says."""
    try:
        return json.dumps(read())
    except Refused as refusal:
        return refusal.reason_code, refusal.pointer, refusal.line


REFUSALS = {
    "JSON_SYNTAX": [
        b"",
        b"  ",
        b"{",
        b"[1,]",
        b'{"a":1,}',
        b"{a:1}",
        b"[1 2]",
        b"01",
        b"+1",
        b"1.",
        b".5",
        b"'a'",
        b'"a',
        b'"\x01"',
        b'"\\x"',
        b'"\\u12g4"',
        b"tru",
        b"truee",
        b"[1]]",
        b"// no\n1",
        "\u00b2".encode(),
        "[1,\u00a01]".encode(),
    ],
    "JSON_DUPLICATE_KEY": [b'{"a":1,"a":2}', b'[{"\\u0061":1,"a":2}]'],
    "JSON_NOT_FINITE": [b"NaN", b"[Infinity]", b"1e400", b"-1e400", b'{"a":NaN}'],
    "JSON_INTEGER_RANGE": [b"9007199254740992", b"-9007199254740992", b"[18446744073709551616]"],
    "JSON_LONE_SURROGATE": [b'"\\ud800"', b'{"\\udc00":1}', b'"\\ud800\\u0041"'],
    "TEXT_BYTE_ORDER_MARK": [b"\xef\xbb\xbf{}", "[]".encode("utf-16")],
    "TEXT_NOT_UTF8": [b'"\xff"', b'"\xed\xa0\x80"', b'"\xc0\xaf"'],
    "JSON_TOO_DEEP": [b"[[[[[]]]]]", b'{"a":[{"b":[{}]}]}', b"[" * 100_000, b'{"a":' * 50_000],
    "JSON_STRING_TOO_LONG": [b'"' + b"x" * 41 + b'"', b'"' + "é".encode() * 21 + b'"'],
    "JSON_TOO_MANY_NODES": [b"[" + b"1," * 60 + b"1]"],
}


@pytest.mark.parametrize(
    ("code", "document"),
    [
        pytest.param(code, bad, id=f"{code}-{number}")
        for code, all_ in REFUSALS.items()
        for number, bad in enumerate(all_)
    ],
)
def test_a_document_two_readers_could_take_differently_is_refused_by_name(code, document):
    with pytest.raises(Refused) as refusal:
        read_json(document, limits=SMALL)
    assert refusal.value.reason_code == code
    assert refusal.value.next_steps


def test_a_refusal_says_where_it_is():
    with pytest.raises(Refused) as refusal:
        parse_json(b'{"a": [1,\n  {"b/c": 1,\n   "b/c": 2}]}', path="x.json")
    assert (refusal.value.path, refusal.value.pointer) == ("x.json", "/a/1/b~1c")
    assert refusal.value.line == 3


def test_a_limit_names_itself_and_what_was_met():
    with pytest.raises(LimitExceeded) as refusal:
        parse_json(b'{"a":"' + b"x" * 11 + b'"}', max_string=10)
    assert (refusal.value.expected, refusal.value.seen) == (10, 11)


def test_depth_is_allowed_up_to_the_limit_whatever_strings_hold():
    assert parse_json(b"[[[]]]", max_depth=3) == [[[]]]
    assert parse_json(b'["[[[[", "]]", "{"]', max_depth=1) == ["[[[[", "]]", "{"]
    with pytest.raises(Refused):
        parse_json(b'["]", ["]", ["]"]]]', max_depth=2)


def test_large_integers_pass_where_no_canonical_form_is_needed():
    assert parse_json(b"18446744073709551616", exact_integers=False) == 2**64
    with pytest.raises(Refused) as refusal:
        parse_json(b"1" * 5000, exact_integers=False)
    assert refusal.value.reason_code == "JSON_INTEGER_RANGE"


def test_the_largest_exact_integers_are_read():
    assert parse_json(b"[9007199254740991,-9007199254740991]") == [2**53 - 1, -(2**53) + 1]


@settings(max_examples=50, deadline=None)
@given(json_values, st.sampled_from([None, 1]))
def test_every_well_formed_document_reads_as_the_interpreter_reads_it(value, indent):
    text = json.dumps(value, indent=indent, ensure_ascii=indent is None)
    assert read_json(text.encode()) == json.loads(text)


@settings(max_examples=50, deadline=None)
@given(json_values)
def test_the_fast_and_the_exact_reader_agree(value):
    text = json.dumps(value)
    exact = walk_json(text, Limits(), exact_integers=True)
    fast = read_json(text.encode())
    assert fast == exact
    assert json.dumps(fast) == json.dumps(exact)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["{", "}", "[", "]", ",", ":", '"a"', '"b"', '"', "\\", "1", "-", "0", "1e9", ".5",
             "e", "true", "null", "NaN", " ", "\n", "\\ud800", "9" * 16, "é"]
        ),
        max_size=25,
    )
)  # fmt: skip
def test_any_soup_of_tokens_is_read_alike_or_refused_alike(tokens):
    text = "".join(tokens)
    fast = outcome_of(lambda: read_json(text.encode(), limits=SMALL))
    exact = outcome_of(lambda: walk_json(text, SMALL, exact_integers=True))
    assert fast == exact


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data):
    outcome = outcome_of(lambda: read_json(data))
    refused = isinstance(outcome, tuple) and outcome[0].startswith(("JSON_", "TEXT_"))
    assert refused or outcome == json.dumps(json.loads(data))


def test_pointers_and_lines_cover_every_value():
    seen = Lines()
    walk_json('{"a": [1,\n {"b": null}],\n "": 2}', Limits(), exact_integers=True, seen=seen)
    wanted = {"": 1, "/a": 1, "/a/0": 1, "/a/1": 2, "/a/1/b": 2, "/": 3}
    assert {pointer: seen.of(pointer) for pointer in wanted} == wanted
    assert seen.of("/a/1/missing/deeper") == wanted["/a/1"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("[]", 1),
        ("[ ]", 1),
        ("{\n}", 1),
        ("[[],[],{}]", 4),
        ('["a"]', 2),
        ('["[],[]"]', 2),
        ('{"a":{},"b":[1,2]}', 5),
        ("7", 1),
    ],
)
def test_values_are_counted_without_parsing(text, values):
    assert count_nodes(text.encode(), 0) == values
