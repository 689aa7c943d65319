"""HTTP servers that misbehave below HTTP: raw sockets, answering each request as a test says."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

Behaviour = Callable[["Request", asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Request:
    """One request as it came over the socket."""

    line: str
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def message(self) -> dict[str, Any]:
        parsed = json.loads(self.body)
        assert isinstance(parsed, dict)
        return parsed

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)


@dataclass
class Hostile:
    """A running server: where it is, what it was asked, and how it stops listening."""

    port: int
    stop: Callable[[], None]
    requests: list[Request] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"


@asynccontextmanager
async def serve(behaviour: Behaviour, tls: ssl.SSLContext | None = None) -> AsyncIterator[Hostile]:
    """A server that reads requests and leaves the answering to `behaviour`."""
    tasks: set[asyncio.Task[None]] = set()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hostile.connections += 1
        try:
            while request := await _request(reader):
                hostile.requests.append(request)
                await behaviour(request, writer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(talk(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=tls)
    hostile = Hostile(server.sockets[0].getsockname()[1], server.close)
    try:
        yield hostile
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _request(reader: asyncio.StreamReader) -> Request | None:
    line = await reader.readline()
    if not line:
        return None
    headers = []
    while (raw := await reader.readline()) not in (b"\r\n", b""):
        name, _, value = raw.decode("latin-1").rstrip("\r\n").partition(":")
        headers.append((name.lower(), value.strip()))
    length = int(next((value for name, value in headers if name == "content-length"), "0"))
    return Request(line.decode().strip(), headers, await reader.readexactly(length))


def head(content_type: str, *more: str, status: str = "200 OK") -> bytes:
    """Status line and headers."""
    lines = [f"HTTP/1.1 {status}", f"content-type: {content_type}", *more]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def whole(body: bytes, content_type: str = "application/json", status: str = "200 OK") -> bytes:
    """A complete, honest answer."""
    return head(content_type, f"content-length: {len(body)}", status=status) + body


def answer(request: Request, result: Any) -> bytes:
    """The JSON-RPC response to a request."""
    return json.dumps({"jsonrpc": "2.0", "id": request.message["id"], "result": result}).encode()
