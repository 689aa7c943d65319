"""What every response carries and every request leaves behind: a request id, security headers,
one log line. Outside Litestar's router, so that unknown addresses have them too.
"""

import re
from time import perf_counter
from uuid import uuid4

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from service.logs import structlog

_CALLERS_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")

_SECURITY_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-resource-policy", b"same-origin"),
]

_log = structlog.stdlib.get_logger("api")


class Envelope:
    """ASGI wrapper around the whole application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass through what is not one."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        started = perf_counter()
        status = 0

        async def stamped(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message.get("headers", ()), *_SECURITY_HEADERS]
                headers.append((b"x-request-id", request_id.encode()))
                if not any(name.lower() == b"cache-control" for name, _ in headers):
                    headers.append((b"cache-control", b"no-store"))
                message["headers"] = headers
            await send(message)

        try:
            await self._app(scope, receive, stamped)
        finally:
            _log.info(
                "request",
                method=scope.get("method"),
                path=scope["path"],
                status=status,
                ms=round((perf_counter() - started) * 1000, 1),
                by=getattr(scope.get("user"), "token_id", None),
            )


def _request_id(scope: Scope) -> str:
    """The caller's id where it is one we can log, else a new one."""
    sent = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
    return sent.decode() if _CALLERS_ID.fullmatch(sent) else uuid4().hex
