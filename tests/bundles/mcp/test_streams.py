"""What a stream held, read from the text that was kept of it."""

import json
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.mcp.streams import after_response, is_event_stream, unended_response
from bundles.transcript import Exchange

REQUEST = {"method": "tools/call", "id": 7}
RESPONSE: dict[str, Any] = {"jsonrpc": "2.0", "id": 7, "result": {"text": "a\nb\u2028é"}}
HEADERS = {"content-type": "Text/Event-Stream; charset=utf-8"}
OTHERS = st.lists(
    st.sampled_from(
        [
            {"jsonrpc": "2.0", "method": "notifications/progress"},
            {"jsonrpc": "2.0", "id": 8, "result": {}},
            {"jsonrpc": "2.0", "id": "q", "method": "ping"},
        ]
    ),
    max_size=3,
)
ENDS = st.sampled_from(["\n\n", "\r\n\r\n", "\n\r\n"])


def stream(*messages: dict[str, Any], end: str = "\n\n") -> str:
    return "".join(
        f"event: message{end[: len(end) // 2]}data: {json.dumps(m)}{end}" for m in messages
    )


@settings(max_examples=60, deadline=None)
@given(before=OTHERS, after=OTHERS, end=ENDS)
def test_what_follows_the_response_is_found_whatever_came_before(
    before: list[dict[str, Any]], after: list[dict[str, Any]], end: str
) -> None:
    body = stream(*before, RESPONSE, *after, end=end)
    exchange = Exchange("x", 0, REQUEST, 200, HEADERS, body, RESPONSE)
    assert list(after_response(exchange)) == after
    assert unended_response(exchange) is None
    assert after_response(replace(exchange, headers={})) == ()
    assert after_response(replace(exchange, body=stream(*before, end=end))) == ()


@settings(max_examples=60, deadline=None)
@given(before=OTHERS, cut=st.integers(0, 400))
def test_only_a_whole_response_without_its_blank_line_is_an_unended_one(
    before: list[dict[str, Any]], cut: int
) -> None:
    whole = stream(*before, RESPONSE)
    kept = whole[: len(whole) - cut]
    exchange = Exchange("x", 0, REQUEST, 200, HEADERS, kept, None)
    missing = len(whole) - len(kept)
    assert (unended_response(exchange) == RESPONSE) is (missing in {1, 2})


def test_a_response_to_another_request_is_not_the_one_that_waits() -> None:
    body = stream(RESPONSE).rstrip("\n")
    other = Exchange("x", 0, {"method": "tools/call", "id": "7"}, 200, HEADERS, body, None)
    assert unended_response(other) is None
    assert unended_response(replace(other, request={"raw": "eA=="})) is None
    assert is_event_stream(other)
