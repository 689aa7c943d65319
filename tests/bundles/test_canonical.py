"""RFC 8785: the bytes a semantic digest is made of."""

import json
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.canonical import canonical_bytes, parse_json, semantic_digest
from bundles.errors import Refused

# pairs of (document, canonical form), after the rules of RFC 8785 section 3.2
VECTORS = [
    ("null", "null"),
    ("[ true , false ]", "[true,false]"),
    (
        "[56.0, -0.0, 1e20, 1E21, 1e-6, 1e-7, 4.50]",
        "[56,0,100000000000000000000,1e+21,0.000001,1e-7,4.5]",
    ),
    (
        "[333333333.33333329, 5e-324, 1.7976931348623157e308]",
        "[333333333.3333333,5e-324,1.7976931348623157e+308]",
    ),
    (
        '"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/"',
        '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"',
    ),
    ('"\\b\\t\\f\\r\\u007f"', '"\\b\\t\\f\\r\x7f"'),
    # keys sort by UTF-16 code units: the astral U+1F600 before U+FB33
    (
        '{"\\u20ac":1,"\\r":2,"\\ufb33":3,"1":4,"\\ud83d\\ude00":5,"\\u0080":6,"\\u00f6":7}',
        '{"\\r":2,"1":4,"\x80":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
    ),
    ('{"b":{"d":[],"c":{}},"a":""}', '{"a":"","b":{"c":{},"d":[]}}'),
]

# IEEE 754 bit patterns and their ECMAScript form (RFC 8785 appendix B, shortened)
NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
}

CORPUS = Path(__file__).parents[3] / "shared/corpora/jcs/cyberphone-testdata"


@pytest.mark.parametrize(("document", "canonical"), VECTORS)
def test_a_document_has_its_canonical_form(document, canonical):
    assert canonical_bytes(parse_json(document.encode())) == canonical.encode()


@pytest.mark.parametrize(("bits", "text"), NUMBERS.items())
def test_a_number_is_written_as_ecmascript_writes_it(bits, text):
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical_bytes(number) == text.encode()


def test_the_published_vectors_hold_where_they_are_at_hand():
    for source in sorted(CORPUS.glob("input/*.json")):
        expected = (CORPUS / "output" / source.name).read_bytes().rstrip(b"\n")
        assert canonical_bytes(parse_json(source.read_bytes())) == expected, source.name


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), 2**53, "\ud800", {"\ud800": 1}, {1: 2}, object(), b"bytes"],
)
def test_what_has_no_canonical_form_is_refused(value):
    with pytest.raises(Refused) as refusal:
        canonical_bytes(value)
    assert refusal.value.reason_code == "CANONICAL_FORM_IMPOSSIBLE"


def test_endless_nesting_is_refused():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(Refused):
        canonical_bytes(deep)


documents = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=15,
)


@settings(max_examples=100, deadline=None)
@given(documents)
def test_formatting_never_changes_a_semantic_digest(value):
    pretty = parse_json(json.dumps(value, indent=3, sort_keys=True).encode())
    assert semantic_digest(pretty) == semantic_digest(value)


@settings(max_examples=100, deadline=None)
@given(documents)
def test_the_canonical_form_is_its_own_canonical_form(value):
    once = canonical_bytes(value)
    assert canonical_bytes(parse_json(once)) == once


def test_a_semantic_digest_is_sha256_of_the_canonical_bytes():
    assert semantic_digest({}) == (
        "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    )
