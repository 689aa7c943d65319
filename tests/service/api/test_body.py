"""JSON bodies are read strictly: nothing coerced, nothing ignored, nothing too deep."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.errors import Invalid
from service.api.body import read_json
from service.api.candidates import NewCandidate
from service.api.runs import NewRun
from service.api.tokens import NewToken
from service.api.transitions import NewTransition

GOOD = {
    "bundle_digest": "sha256:" + "0" * 64,
    "version": "1.0.0",
    "artifact_digest": "sha256:" + "1" * 64,
    "targets": [{"name": "a", "kind": "mcp+http", "url": "http://x/"}],
}


def test_a_good_body_is_read() -> None:
    target = read_json(json.dumps(GOOD).encode(), NewCandidate).targets[0]
    assert (target.profile, target.instances) == ("default", ())
    more = {**GOOD, "targets": [{**GOOD["targets"][0], "instances": ["http://y/"]}]}
    assert read_json(json.dumps(more).encode(), NewCandidate).targets[0].instances == ("http://y/",)


@pytest.mark.parametrize(
    ("body", "code", "pointer"),
    [
        (b"", "JSON_SYNTAX", None),
        (b'{"a":1,"a":2}', "JSON_DUPLICATE_KEY", "/a"),
        (b'{"a":NaN}', None, None),
        (b"[" * 100_000, "JSON_TOO_DEEP", None),
        (b'\xef\xbb\xbf{"name":"x","scopes":[]}', None, None),
        (b'{"name":"x","scopes":[],"expires_in_s":1.0}', "REQUEST_INVALID", "/expires_in_s"),
        (b'{"name":"x","scopes":[],"expires_in_s":"1"}', "REQUEST_INVALID", "/expires_in_s"),
        (b'{"name":"x","scopes":[],"expires_in_s":true}', "REQUEST_INVALID", "/expires_in_s"),
        (b'{"name":"x","scopes":[],"expires_in_s":18446744073709551616}', None, "/expires_in_s"),
        (b'{"name":1,"scopes":[]}', "REQUEST_INVALID", "/name"),
        (b'{"name":"x","scopes":[1]}', "REQUEST_INVALID", "/scopes/0"),
        (b'{"name":"x","scopes":[],"more":1}', "REQUEST_INVALID", ""),
        (b'{"name":"x"}', "REQUEST_INVALID", ""),
        (b"null", "REQUEST_INVALID", ""),
    ],
)
def test_a_bad_body_is_refused_with_where(
    body: bytes, code: str | None, pointer: str | None
) -> None:
    with pytest.raises(Invalid) as refused:
        read_json(body, NewToken)
    assert code is None or refused.value.reason_code == code
    assert pointer is None or refused.value.pointer == pointer
    assert refused.value.path == "body"
    assert refused.value.next_steps


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"targets": [{"name": "a", "launchr": "x"}]}, "launcher"),
        ({"bundle": "x"}, "bundle_digest"),
    ],
)
def test_an_unknown_member_is_refused_with_those_that_are_known(
    change: dict[str, Any], expected: str
) -> None:
    with pytest.raises(Invalid) as refused:
        read_json(json.dumps(GOOD | change).encode(), NewCandidate)
    assert expected in refused.value.expected  # type: ignore[operator]


def test_a_word_that_is_none_of_those_possible_is_refused_with_them() -> None:
    body = b'{"to": "ADMITTED", "expected_state": "ACTIVE", "reason": "x"}'
    with pytest.raises(Invalid) as refused:
        read_json(body, NewTransition)
    assert "REGISTRY_ADMITTED" in refused.value.expected  # type: ignore[operator]
    with pytest.raises(Invalid) as refused:
        read_json(b'{"stages": ["no-such"]}', NewRun)
    assert refused.value.pointer == "/stages/0"
    assert refused.value.expected == ["static", "conformance", "security", "canary"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from([*GOOD, "policy", "other"]), _JSON))
def test_any_body_is_read_exactly_or_refused(changes: dict[str, Any]) -> None:
    body = {**GOOD, **changes}
    try:
        read = read_json(json.dumps(body).encode(), NewCandidate)
    except Invalid:
        return
    assert "other" not in body
    built = msgspec.to_builtins(read)
    assert {name: built[name] for name in body if name != "targets"} == {
        name: value for name, value in body.items() if name != "targets"
    }
