"""Messages as the harness writes and reads them."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.mcp import wire
from bundles.mcp.event_stream import EventStream

_TEXT = st.text('ab"\\\n\r\u2028\u00e9\U0001f600', max_size=8)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | _TEXT | st.floats(-1e300, 1e300),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)


def test_a_modern_request_says_who_asks_in_every_request() -> None:
    message = wire.modern_request("tools/list", None, "u1")
    assert message["id"] == "u1"
    assert message["params"]["_meta"] == {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "bundlegate", "version": "0.1.0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }


def test_a_meta_of_the_caller_wins_member_by_member() -> None:
    given_meta = {wire.PROTOCOL_VERSION_KEY: "1900-01-01", "com.example/x": 1}
    params = {"name": "x", "_meta": given_meta}
    meta = wire.modern_request("tools/call", params, 1)["params"]["_meta"]
    assert meta[wire.PROTOCOL_VERSION_KEY] == "1900-01-01"
    assert meta["com.example/x"] == 1
    assert wire.CLIENT_CAPABILITIES_KEY in meta
    assert params == {"name": "x", "_meta": given_meta}


def test_a_legacy_request_carries_nothing_but_its_params() -> None:
    assert wire.legacy_request("tools/list", None, 1) == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/list",
    }


@pytest.mark.parametrize(
    ("document", "meant"),
    [
        ({"jsonrpc": "2.0", "id": 1, "result": None}, True),
        ({"id": 1, "result": {}}, True),
        ({"jsonrpc": "1.0", "id": 1, "error": {}}, True),
        ({"jsonrpc": "2.0", "method": "x"}, True),
        ({"level": "info", "error": "none", "msg": "x"}, False),
        ({"method": "GET", "path": "/"}, False),
        ({"jsonrpc": "2.0"}, False),
    ],
)
def test_a_log_line_in_json_is_not_taken_for_a_message(
    document: dict[str, Any], *, meant: bool
) -> None:
    assert wire.is_jsonrpc(document) is meant


def test_ids_are_the_same_only_with_the_same_type() -> None:
    assert wire.same_id(1, 1)
    assert not wire.same_id(1, "1")
    assert not wire.same_id(1, 1.0)
    assert not wire.same_id(1, True)
    assert not wire.same_id("", None)


def test_a_lone_surrogate_in_an_argument_can_be_sent() -> None:
    assert wire.encode({"a": "\ud800é"}) == b'{"a":"\\ud800\\u00e9"}'


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.dictionaries(_TEXT, _JSON, max_size=3))
def test_what_is_encoded_is_one_line_and_reads_back(message: dict[str, Any]) -> None:
    raw = wire.encode(message)
    assert b"\n" not in raw
    assert json.loads(raw) == message


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.binary(max_size=60) | st.text(alphabet='{}[]":,0123456789aeE+-.\\u ', max_size=60))
def test_reading_never_raises_and_says_why_it_refuses(data: bytes | str) -> None:
    message, problem = wire.read_message(data if isinstance(data, bytes) else data.encode())
    assert (message is None) is bool(problem)


def _events(*chunks: bytes) -> list[bytes]:
    stream = EventStream()
    return [event for chunk in chunks for event in stream.feed(chunk)]


@pytest.mark.parametrize(
    ("raw", "events"),
    [
        (b"data: a\n\n", [b"a"]),
        (b"data:a\r\n\r\n", [b"a"]),
        (b"data: a\r\rdata: b\r\r\n", [b"a", b"b"]),
        (b"data: a\ndata:  b\n\n", [b"a\n b"]),
        (b"data: [1,\r\ndata: 2]\r\n\r\n", [b"[1,\n2]"]),
        (b"event: x\nid: 1\nretry: 5\ndata: a\n\n", [b"a"]),
        (b": comment\n\n", []),
        (b"data\n\n", [b""]),
        (b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
        (b"data: a\n", []),
        (b"datax: a\n\n", []),
    ],
)
def test_an_event_stream_is_read_as_the_standard_says(raw: bytes, events: list[bytes]) -> None:
    assert _events(raw) == events


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from([b"data: a", b"data:", b"x", b"\n", b"\r\n", b"\r", b": c"])).map(
        b"".join
    ),
    st.data(),
)
def test_where_the_chunks_are_cut_makes_no_difference(raw: bytes, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(raw)))
    whole = _events(raw + b"\n\n")
    assert _events(raw[:cut], raw[cut:], b"\n\n") == whole
    assert _events(*(bytes([byte]) for byte in raw + b"\n\n")) == whole
