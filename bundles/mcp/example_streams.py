"""The part of the healthy example that streams: progress before an answer, and a subscription."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bundles.mcp import probes
from bundles.mcp.subscriptions import ACKNOWLEDGED, SUBSCRIPTION_ID_KEY
from bundles.transcript import Exchange

Json = dict[str, Any]

_TOKEN = f"{probes.SAFE_CALL}get_forecast:0"
_LISTEN = "listen"
_HEADERS = {"content-type": "text/event-stream", "x-accel-buffering": "no"}


def progress(value: object, token: str = _TOKEN) -> Json:
    """notifications/progress about the call that is streamed, or another token."""
    params = {"progressToken": token, "progress": value}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def acknowledged(*, to: str | int | None = _LISTEN, **more: bool) -> Json:
    """The acknowledgement of the subscription, with more kinds of change where they are named."""
    params = {
        "_meta": {SUBSCRIPTION_ID_KEY: to},
        "notifications": {"toolsListChanged": True, **more},
    }
    return {"jsonrpc": "2.0", "method": ACKNOWLEDGED, "params": params}


def streamed(exchange: Exchange, before: Sequence[Json], after: Sequence[Json]) -> Exchange:
    """The call asking for progress, with these messages around its response."""
    params = {**exchange.request["params"], "_meta": {"progressToken": _TOKEN}}
    asked = replace(exchange, request={**exchange.request, "params": params})
    if exchange.status is None:
        return replace(asked, events=tuple(before))
    frames = (f"data: {json.dumps(m)}\n\n" for m in (*before, exchange.message, *after))
    return replace(asked, headers=_HEADERS, body="".join(frames), events=(*before, *after))


def subscribed(*, http: bool) -> Exchange:
    """A subscription that was acknowledged, unnumbered."""
    request = {
        "method": "subscriptions/listen",
        "id": _LISTEN,
        "params": {"notifications": {"toolsListChanged": True}},
    }
    return Exchange(
        probes.SUBSCRIBE,
        0,
        request,
        status=200 if http else None,
        headers=_HEADERS if http else {},
        events=(acknowledged(),),
        note="left after its first message",
    )


def cancelled() -> Exchange:
    """A call that was cancelled and not answered, unnumbered."""
    probe = f"{probes.CANCELLED}get_forecast:0"
    request = {"method": "tools/call", "id": probe, "params": {"name": "get_forecast"}}
    return Exchange(probe, 0, request, note="no answer came after it was cancelled")
