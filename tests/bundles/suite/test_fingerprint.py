"""A fingerprint is of what a suite says, not of how its file is laid out."""

import hashlib
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.fingerprint import ApprovedCase, _pieces, approval_of, fingerprint
from bundles.suite.reading import parse

SUITE: dict[str, Any] = {
    "schemaVersion": 1,
    "id": "s",
    "name": "S",
    "cases": [
        {
            "id": "c",
            "name": "C",
            "operation": {"type": "callTool", "tool": "t", "input": {"b": 1, "a": [True, None]}},
            "assertions": [{"type": "isError", "expected": False}],
        }
    ],
}


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_it_is_the_sha256_of_the_sorted_compact_text() -> None:
    assert fingerprint(SUITE) == sha256(
        '{"cases":[{"assertions":[{"expected":false,"type":"isError"}],"id":"c","name":"C",'
        '"operation":{"input":{"a":[true,null],"b":1},"tool":"t","type":"callTool"}}],'
        '"id":"s","name":"S","schemaVersion":1}'
    )


def test_only_the_approval_at_the_root_is_left_out() -> None:
    assert fingerprint({**SUITE, "approval": {"fingerprint": "0" * 64}}) == fingerprint(SUITE)
    assert fingerprint({"a": {"approval": 1}}) == sha256('{"a":{"approval":1}}')


def test_names_are_sorted_by_utf16_code_unit() -> None:
    assert fingerprint({"\uff5a": 1, "😀": 2, "10": 3, "9": 4}) == sha256(
        '{"10":3,"9":4,"😀":2,"\uff5a":1}'
    )


def test_strings_are_spelt_as_javascript_spells_them() -> None:
    written = r'{"a":"\"\\/\b\f\n\r\t\u0000\u001f\u007f\u2028\ud83d\ude00\ud800x"}'
    spelt = '{"a":"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\u2028😀\\ud800x"}'
    assert fingerprint(parse(written)) == sha256(spelt)


NAMES = st.text(max_size=5)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(NAMES, PLAIN, max_size=5), st.randoms())
@settings(max_examples=100, deadline=None)
def test_order_and_layout_change_nothing(document: dict[str, Any], chance: Any) -> None:
    members = list(document.items())
    chance.shuffle(members)
    laid_out = parse(json.dumps(dict(members), indent=chance.choice([None, 2])))
    assert fingerprint(laid_out) == fingerprint(document)


@given(st.dictionaries(NAMES, PLAIN | st.floats(allow_nan=False), max_size=5))
@settings(max_examples=200, deadline=None)
def test_the_quick_writer_writes_what_the_exact_one_does(document: dict[str, Any]) -> None:
    document.pop("approval", None)
    assert fingerprint(document) == sha256("".join(_pieces(document)))


@given(PLAIN, PLAIN)
@settings(max_examples=100, deadline=None)
def test_another_value_has_another_fingerprint(one: object, other: object) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (fingerprint({"a": one}) == fingerprint({"a": other})) is same


def test_depth_is_no_limit() -> None:
    deep: Any = {}
    for _ in range(20_000):
        deep = {"a": [deep]}
    assert fingerprint(deep) == sha256('{"a":[' * 20_000 + "{}" + "]}" * 20_000)


def test_a_suite_nobody_approved_says_so() -> None:
    approval = approval_of(SUITE)
    assert (approval.state, approval.recorded) == ("none", "")
    assert approval.to_dict() == {"state": "none", "computed": fingerprint(SUITE)}


def test_an_approval_is_current_until_the_suite_changes() -> None:
    approved = {
        **SUITE,
        "approval": {
            "fingerprint": fingerprint(SUITE),
            "cases": [{"id": "c", "status": "serverDefect"}],
        },
    }
    assert approval_of(approved).state == "current"
    assert approval_of(approved).cases == (ApprovedCase("c", "serverDefect"),)
    drifted = approval_of({**approved, "name": "Another"})
    assert drifted.state == "drifted"
    assert drifted.to_dict() == {
        "state": "drifted",
        "recorded": fingerprint(SUITE),
        "computed": fingerprint({**SUITE, "name": "Another"}),
        "cases": [{"id": "c", "status": "serverDefect"}],
    }
