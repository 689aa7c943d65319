"""Shared parts of reading endpoints: page parameters, and strong ETags for what never changes."""

from typing import Annotated, Any

from litestar import Request, Response
from litestar.params import HeaderParameter, QueryParameter

Cursor = Annotated[
    str | None,
    QueryParameter(description="`next` of the page before.", max_length=1000),
]
Limit = Annotated[int, QueryParameter(ge=1, le=200, description="Items a page.")]

IdempotencyKey = Annotated[
    str | None,
    HeaderParameter(
        name="Idempotency-Key",
        description="Repeating the request with the same key gives the first answer again.",
        pattern=r"^[\x21-\x7e]{1,255}$",
    ),
]


def unchanged(request: Request[Any, Any, Any], tag: str) -> bool:
    """True when the caller already holds this very representation (If-None-Match)."""
    sent = request.headers.get("if-none-match", "")
    if sent.strip() == "*":
        return True
    return any(each.strip().removeprefix("W/") == f'"{tag}"' for each in sent.split(","))


def immutable(
    request: Request[Any, Any, Any],
    content: Any,
    *,
    tag: str,
    media_type: str = "application/json",
    headers: dict[str, str] | None = None,
) -> Response[Any]:
    """A representation that never changes: 304 when the caller has it, else 200 with its ETag.

    `tag` is the digest of the content. Shared caches may not keep it: it belongs to a namespace.
    """
    told = {"ETag": f'"{tag}"', "Cache-Control": "private, no-cache", **(headers or {})}
    if unchanged(request, tag):
        return Response(b"", status_code=304, media_type=media_type, headers=told)
    return Response(content, media_type=media_type, headers=told)
