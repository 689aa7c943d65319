"""What came over the event stream that answers one request, in order; pure."""

from collections.abc import Mapping
from typing import Any

from bundles.mcp.event_stream import EventStream
from bundles.mcp.wire import is_response, read_message, same_id
from bundles.transcript import Exchange

_CONTENT_TYPE = "text/event-stream"


def is_event_stream(exchange: Exchange) -> bool:
    """True where the answer came as server-sent events."""
    content_type = exchange.headers.get("content-type", "")
    return content_type.partition(";")[0].strip().lower() == _CONTENT_TYPE


def after_response(exchange: Exchange) -> tuple[Mapping[str, Any], ...]:
    """Messages that followed the response on its stream; empty where the body kept is too short."""
    if exchange.message is None or not is_event_stream(exchange):
        return ()
    messages = _messages(EventStream().feed(_body(exchange)))
    answered_to = exchange.message.get("id")
    for at, message in enumerate(messages):
        if is_response(message) and message.get("id") == answered_to:
            return tuple(messages[at + 1 :])
    return ()


def unended_response(exchange: Exchange) -> Mapping[str, Any] | None:
    """A response at the end of a stream whose event never got its blank line; None for none."""
    if exchange.message is not None or not is_event_stream(exchange):
        return None
    stream = EventStream()
    stream.feed(_body(exchange))
    messages = _messages(stream.feed(b"\n\n"))
    request_id = exchange.request.get("id")
    for message in messages:
        if is_response(message) and request_id is not None:
            return message if same_id(request_id, message.get("id")) else None
    return None


def _body(exchange: Exchange) -> bytes:
    return exchange.body.encode("utf-8", "surrogatepass")


def _messages(events: list[bytes]) -> list[dict[str, Any]]:
    read = (read_message(event)[0] for event in events)
    return [message for message in read if message is not None]
