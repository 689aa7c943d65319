"""Server-sent events: what is an event and what is not."""

from bundles.mcp.event_stream import EventStream


def test_an_event_that_only_names_its_place_is_no_event() -> None:
    stream = EventStream()
    assert stream.feed(b"id: 1\ndata: \n\nid: 2\ndata: {}\n\n") == [b"{}"]


def test_the_lines_of_one_event_are_joined() -> None:
    assert EventStream().feed(b"data: [1,\r\ndata: 2]\r\n\r\n") == [b"[1,\n2]"]
