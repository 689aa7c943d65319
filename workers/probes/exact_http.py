"""One HTTP/1.1 request whose header lines are written exactly as given.

The ordinary transport writes header names and values as a client should, once each and trimmed.
Where their spelling is the stimulus, the request goes over a connection of its own, written here.
"""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Sequence

import httpx2

_HEAD_BYTES = 64 << 10
_CHUNK = 64 << 10
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})(?: |\r?\n)")


async def send_exactly(
    request: httpx2.Request, lines: Sequence[tuple[str, str]], tls: ssl.SSLContext | None
) -> httpx2.Response:
    """Send a request with these header lines; its answer, the body unread.

    Args:
        request: verb, URL (at an address that may be reached), body and the name for TLS.
        lines: header names and values; nothing is added but `connection: close`.
        tls: None for plain HTTP.

    Raises:
        httpx2.TransportError: nobody is there, or what answers is no HTTP/1.1.
    """
    name = request.extensions["sni_hostname"] if tls else None
    port = request.url.port or (443 if tls else 80)
    try:
        reader, writer = await asyncio.open_connection(
            request.url.host, port, ssl=tls, server_hostname=name, limit=_HEAD_BYTES
        )
    except OSError as error:
        raise httpx2.ConnectError(str(error)) from error
    try:
        writer.write(_head(request, lines) + request.content)
        await writer.drain()
        status, headers = await _answer_head(reader)
    except BaseException as error:
        writer.close()
        if isinstance(error, OSError | EOFError | ValueError | asyncio.LimitOverrunError):
            raise httpx2.RemoteProtocolError(str(error)) from error
        raise
    return httpx2.Response(status, headers=headers, stream=_Body(reader, writer, headers))


def _head(request: httpx2.Request, lines: Sequence[tuple[str, str]]) -> bytes:
    target = request.url.raw_path.decode()
    written = [f"{request.method} {target} HTTP/1.1", "connection: close"]
    written += [f"{name}: {value}" for name, value in lines]
    return "\r\n".join([*written, "", ""]).encode("latin-1")


async def _answer_head(reader: asyncio.StreamReader) -> tuple[int, list[tuple[str, str]]]:
    """Status and headers of the answer; interim ones (1xx) are passed over."""
    while True:
        head = await reader.readuntil(b"\r\n\r\n")
        found = _STATUS.match(head)
        if found is None:
            msg = "the answer is no HTTP/1.1"
            raise ValueError(msg)
        if int(found[1]) >= 200:
            break
    pairs = (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:] if line)
    return int(found[1]), [(name.strip().lower(), value.strip()) for name, _, value in pairs]


class _Body(httpx2.AsyncByteStream):
    """The body of an answer as it comes; closing it closes the connection."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        headers: Sequence[tuple[str, str]],
    ) -> None:
        self._reader, self._writer = reader, writer
        self._headers = dict(headers)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            chunked = "chunked" in self._headers.get("transfer-encoding", "").lower()
            async for part in self._chunks() if chunked else self._plain():
                yield part
        except (OSError, EOFError, ValueError) as error:
            raise httpx2.ReadError(str(error)) from error

    async def _chunks(self) -> AsyncIterator[bytes]:
        while size := int((await self._reader.readline()).partition(b";")[0], 16):
            async for part in self._exactly(size):
                yield part
            await self._reader.readexactly(2)

    async def _plain(self) -> AsyncIterator[bytes]:
        if "content-length" in self._headers:
            async for part in self._exactly(int(self._headers["content-length"])):
                yield part
            return
        while part := await self._reader.read(_CHUNK):
            yield part

    async def _exactly(self, size: int) -> AsyncIterator[bytes]:
        while size > 0:
            part = await self._reader.read(min(size, _CHUNK))
            if not part:
                msg = "the body ended before its length"
                raise EOFError(msg)
            size -= len(part)
            yield part

    async def aclose(self) -> None:
        """Close the connection."""
        self._writer.close()
