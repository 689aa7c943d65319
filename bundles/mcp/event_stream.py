"""Server-sent events as a parser over chunks (WHATWG HTML, "Server-sent events"); pure."""

import re

_LINE_END = re.compile(rb"\r\n|\n|\r(?=.)", re.DOTALL)  # a last \r may be half of \r\n


class EventStream:
    """Feeds on bytes, yields the data of each complete event.

    An event ends at a blank line; one that never gets its blank line is never dispatched, which is
    the standard's rule and a fault seen on real servers.
    """

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._data: list[bytes] = []
        self._first = True

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of the events that this chunk completes, b"" where an event has empty data."""
        half_ended = bool(self._rest) and self._rest[-1].endswith(b"\r")
        self._rest.append(chunk)
        if not half_ended and b"\n" not in chunk and b"\r" not in chunk:
            return []  # a long line arrives in linear time
        block = b"".join(self._rest)
        if self._first:
            # the one byte order mark the standard allows
            block = block.removeprefix(b"\xef\xbb\xbf")
            self._first = False
        *lines, rest = _LINE_END.split(block)
        self._rest = [rest] if rest else []
        return [event for line in lines if (event := self._take(line)) is not None]

    def _take(self, line: bytes) -> bytes | None:
        if line:
            name, _, value = line.partition(b":")
            if name == b"data":
                self._data.append(value.removeprefix(b" "))
            return None
        if not self._data:
            return None
        event = b"\n".join(self._data)
        self._data.clear()
        return event
