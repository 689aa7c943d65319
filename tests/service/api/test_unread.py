"""Bodies that go on after the answer."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from service.api import unread
from tests.fixtures.house import House

_CHUNK = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"


@contextmanager
def line_to(house: House) -> Iterator[socket.socket]:
    """A bare connection to the API."""
    where = urlsplit(house.url)
    with socket.create_connection((str(where.hostname), int(where.port or 0)), 30) as line:
        yield line


def send_on(line: socket.socket) -> None:
    """Send for as long as it is read, within reason."""
    for _ in range(1000):
        line.sendall(_CHUNK)


def test_a_body_without_an_end_ends_with_its_connection(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unread, "_MOST_BYTES", 1 << 20)
    with line_to(house) as line:
        line.sendall(b"POST /v1/bundles HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        with pytest.raises(ConnectionError):
            send_on(line)


def test_a_body_that_never_comes_ends_with_its_connection(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unread, "_MOMENT_S", 0.05)
    with line_to(house) as line:
        line.sendall(b"POST /v1/bundles HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\nx")
        answer = b"".join(iter(lambda: line.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 401 ")
    assert b"connection: close" in answer
    assert b"TOKEN_MISSING" in answer


def test_a_caller_in_the_middle_of_sending_still_gets_the_answer(house: House) -> None:
    size = 8 << 20
    with line_to(house) as line:
        line.sendall(b"POST /v1/bundles HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size)
        line.sendall(b"x" * size)
        answer = b"".join(iter(lambda: line.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 401 ")


def test_a_body_that_was_read_keeps_the_connection(house: House) -> None:
    visitor = house.visitor("admin")
    made = visitor.http.post("/v1/tokens", json={"name": "a", "scopes": ["evidence:read"]})
    assert made.status_code == 201
    assert "connection" not in made.headers
