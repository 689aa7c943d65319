"""What a snapshot records beside the tools: how they were served, and by whom. Outside the digest.

The pages are the answers to tools/list, the greeting the answer to the first request.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bundles.digest import raw_digest
from bundles.mcp.event_stream import EventStream
from bundles.mcp.served_bytes import byte_digests, tool_texts
from bundles.transcript import Exchange

_HEADERS = ("content-type", "cache-control")
_CACHE = ("ttlMs", "cacheScope")
_DECLARED = ("capabilities", "serverInfo", "supportedVersions", "protocolVersion", "instructions")


def facts_of(pages: Sequence[Exchange], greeting: Exchange | None) -> dict[str, Any]:
    """What `bundles.mcp.snapshot.snapshot_document` keeps besides: {"byte_digests", "pages", and of
    the greeting "capabilities", "serverInfo", …}.

    Bytes are those of the answer as it came, but for credentials of the caller that were masked.
    """
    texts: dict[str, str] = {}
    for page in pages:
        for name, text in _tool_texts(page).items():
            texts.setdefault(name, text)
    return {
        "byte_digests": byte_digests(texts),
        "pages": [_page(page) for page in pages],
        **_declared(greeting),
    }


def _tool_texts(page: Exchange) -> dict[str, str]:
    if page.headers.get("content-type", "").startswith("text/event-stream"):
        events = EventStream().feed(page.body.encode("utf-8", "surrogatepass") + b"\n\n")
        found = [tool_texts(event.decode("utf-8", "replace"), ("result",)) for event in events]
        return next((texts for texts in found if texts), {})
    return tool_texts(page.body, ("result",))


def _page(page: Exchange) -> dict[str, Any]:
    result: Mapping[str, Any] = page.result if isinstance(page.result, dict) else {}
    headers = {name: page.headers[name] for name in _HEADERS if name in page.headers}
    return {
        "digest": raw_digest(page.body.encode("utf-8", "surrogatepass")),
        **({"headers": headers} if headers else {}),
        **{name: result[name] for name in _CACHE if name in result},
    }


def _declared(greeting: Exchange | None) -> dict[str, Any]:
    result = None if greeting is None else greeting.result
    if not isinstance(result, dict):
        return {}
    return {name: result[name] for name in _DECLARED if name in result}
