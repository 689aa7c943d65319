"""Strict YAML: the JSON part of YAML 1.2, or a refusal by name, pointer and line."""

import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.errors import Refused
from bundles.limits import Limits
from bundles.lines import Lines
from bundles.yaml_reader import parse_yaml

SMALL = Limits(depth=4, string_bytes=40, yaml_nodes=60)

# what YAML lets stand in a double-quoted scalar as it is
printable = st.text(
    st.characters(exclude_categories=["Cc", "Cf", "Cn", "Cs", "Co", "Zl", "Zp"]), max_size=8
)


def outcome_of(data):
    """(value, "") or (None, reason code)."""
    try:
        return parse_yaml(data, limits=SMALL), ""
    except Refused as refusal:
        return None, refusal.reason_code


REFUSALS = {
    "YAML_SYNTAX": [b"a: [", b"a: 'x", b"\tb: 1", b"a: b: c", b"@", b"a: \x07"],
    "YAML_ALIAS": [b"a: &x 1\nb: *x", b"&a [*a]", b"a: &anchor 1"],
    "YAML_TAG": [
        b"a: !!python/object/apply:os.system [x]",
        b"a: !!int '3'",
        b"! a",
        b"%YAML 1.1\n---\na: 1",
        b"%TAG ! tag:x,2000:\n---\na: 1",
    ],
    "YAML_DOCUMENTS": [b"", b"# only a comment\n", b"a: 1\n---\nb: 2\n"],
    "YAML_DUPLICATE_KEY": [b"a: 1\na: 2", b"x: {a: 1, 'a': 2}"],
    "YAML_KEY_NOT_STRING": [b"1: a", b"true: a", b"~: a", b"[a]: b", b"{a: b}: c", b"<<: {a: 1}"],
    "YAML_NUMBER": [b"a: .nan", b"a: -.inf", b"a: 1e999", b"a: 007", b"a: 9007199254740992"],
    "YAML_TOO_DEEP": [b"[[[[[]]]]]", b"a: {b: [{c: [1]}]}", b"[" * 50_000, b"- " * 50_000],
    "YAML_STRING_TOO_LONG": [b"a: " + b"x" * 41, b"a: |\n" + b"  xxxxxxxxxx\n" * 5],
    "YAML_TOO_MANY_NODES": [b"- x\n" * 100],
    "TEXT_NOT_UTF8": [b"a: \xff"],
    "TEXT_BYTE_ORDER_MARK": [b"\xef\xbb\xbfa: 1", "a: 1".encode("utf-16")],
}


@pytest.mark.parametrize(
    ("code", "document"),
    [
        pytest.param(code, bad, id=f"{code}-{number}")
        for code, all_ in REFUSALS.items()
        for number, bad in enumerate(all_)
    ],
)
def test_what_readers_disagree_on_is_refused_by_name(code, document):
    with pytest.raises(Refused) as refusal:
        parse_yaml(document, limits=SMALL)
    assert refusal.value.reason_code == code
    assert refusal.value.line is not None


def test_a_refusal_says_where_it_is():
    with pytest.raises(Refused) as refusal:
        parse_yaml(b"a:\n  - x\n  - b/c: 1\n    b/c: 2\n", path="x.yaml")
    assert (refusal.value.path, refusal.value.pointer) == ("x.yaml", "/a/1/b~1c")
    assert refusal.value.line == 4


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2026-07-28", "2026-07-28"),
        ("2026-07-28T10:00:00Z", "2026-07-28T10:00:00Z"),
        ("yes", "yes"),
        ("off", "off"),
        ("1:30", "1:30"),
        ("1_000", "1_000"),
        ("3.4", 3.4),
        ("3.4.0", "3.4.0"),
        ("'3.4'", "3.4"),
        ("0x1F", 31),
        ("0o17", 15),
        ("-12", -12),
        ("+12", 12),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("~", None),
        ("", None),
        ("''", ""),
        ("True", True),
        ("'true'", "true"),
        ("|\n  a\n  b\n", "a\nb\n"),
        ("{}", {}),
        ("[]", []),
    ],
)
def test_scalars_read_as_yaml_1_2_says(text, value):
    read = parse_yaml(f"a: {text}\n".encode())
    assert read == {"a": value}
    assert type(read["a"]) is type(value)


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | printable,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(printable, inner, max_size=4),
        max_leaves=15,
    )
)
def test_json_with_quoted_strings_is_yaml_and_reads_the_same(value):
    text = json.dumps(value, ensure_ascii=False)
    assert parse_yaml(text.encode()) == json.loads(text)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["a", "b: ", "- ", "\n", "  ", "{", "}", "[", "]", ",", ": ", "&x ", "*x", "!t ", "|\n",
             "'", '"', "#", "1", "---\n", "...", "? ", "<<: ", "%", "\t", "~", "é"]
        ),
        max_size=20,
    )
)  # fmt: skip
def test_any_soup_of_tokens_is_read_or_refused(tokens):
    data = "".join(tokens).encode()
    value, code = outcome_of(data)
    assert code.startswith(("YAML_", "TEXT_")) or (
        code == "" and parse_yaml(json.dumps(value, allow_nan=False).encode()) == value
    )


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=120))
def test_any_bytes_are_read_or_refused(data):
    _, code = outcome_of(data)
    assert code == "" or code.startswith(("YAML_", "TEXT_"))


def test_the_reader_uses_the_compiled_parser():
    assert yaml.__with_libyaml__


def test_pointers_and_lines_cover_every_value():
    seen = Lines()
    parse_yaml(b"a:\n- 1\n- b: x\nc: {d: 2}\n", seen=seen)
    wanted = {"": 1, "/a": 2, "/a/0": 2, "/a/1": 3, "/a/1/b": 3, "/c": 4, "/c/d": 4}
    assert {pointer: seen.of(pointer) for pointer in wanted} == wanted
    assert seen.of("/a/1/missing/deeper") == wanted["/a/1"]
