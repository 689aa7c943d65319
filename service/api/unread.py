"""Bodies that nobody read to their end: drained for a moment, then the connection is closed.

A request is often answered before its body was read: without a token, too large, to an unknown
address. uvicorn would go on reading what is still being sent for as long as the caller likes. A
caller who is merely in the middle of sending needs a moment, or the answer is lost in a reset.
"""

import asyncio
from contextlib import suppress

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, ReceiveMessage, Scope, Send

_MOMENT_S = 5.0
_MOST_BYTES = 64 << 20


class Unread:
    """ASGI wrapper around the whole application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, and let its connection go where its body has no end."""
        if scope["type"] != ScopeType.HTTP or not _has_body(scope):
            await self._app(scope, receive, send)
            return
        ended = False

        async def read() -> ReceiveMessage:
            nonlocal ended
            message = await receive()
            ended = message["type"] != "http.request" or not message.get("more_body", False)
            return message

        async def drain() -> None:
            left = _MOST_BYTES
            with suppress(TimeoutError):
                async with asyncio.timeout(_MOMENT_S):
                    while not ended and left > 0:
                        message = await read()
                        left -= len(message["body"]) if message["type"] == "http.request" else 0

        async def answer(message: Message) -> None:
            if ended:
                await send(message)
            elif message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
                await send(message)
            elif message["type"] == "http.response.body" and not message.get("more_body", False):
                # all of the answer goes out before the draining: the caller may be waiting for it
                await send({**message, "more_body": True})
                await drain()
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            else:
                await send(message)

        await self._app(scope, read, answer)


def _has_body(scope: Scope) -> bool:
    """Whether the request says that a body follows."""
    headers = dict(scope["headers"])
    return b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"
