"""Where the reference server says more than one message: progress, subscriptions, slow calls.

It streams where a call gives a progress token, and where somebody listens.
"""

import contextlib
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
_LISTEN = "subscriptions/listen"
SLOW_S = 0.4
"""How long a slow call takes."""


@dataclass(frozen=True)
class Reply:
    """Messages in order; `ends` tells whether nothing comes after them."""

    messages: tuple[Json, ...]
    ends: bool = True


def reply(fault: str, body: bytes, answer: Any) -> Reply | None:
    """What is said in place of one answer, None where that is all there is to say."""
    if not isinstance(answer, dict) or "result" not in answer:
        return None
    if b"progressToken" not in body and _LISTEN.encode() not in body:
        return None
    message = json.loads(body)
    if message["method"] == _LISTEN:
        return Reply(_subscribed(fault, message), ends=False)
    meta = message["params"].get("_meta", {})
    if "progressToken" not in meta:
        return None
    before = _progress(fault, meta["progressToken"])
    after: list[Json] = []
    if fault == "server-asks":
        before.append({"jsonrpc": "2.0", "id": "ask-1", "method": "roots/list"})
    if fault == "change-untold":
        before.append(_changed("prompts"))
    if fault == "response-repeated":
        after.append(answer)
    if fault == "progress-late":
        after.append(_step(meta["progressToken"], 3))
    return Reply((*before, answer, *after), ends=fault != "stream-left-open")


def _progress(fault: str, token: Any) -> list[Json]:
    if fault == "progress-of-another":
        return [_step(f"{token}-2", 1)]
    second = 1 if fault == "progress-stands-still" else 2
    return [_step(token, 1), _step(token, second)]


def _step(token: Any, progress: int) -> Json:
    params = {"progressToken": token, "progress": progress, "total": 2}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def _subscribed(fault: str, message: Json) -> tuple[Json, ...]:
    told = {SUBSCRIPTION: 0 if fault == "subscription-misnamed" else message["id"]}
    wanted = dict(message["params"]["notifications"])
    if fault == "subscription-widened":
        wanted["resourcesListChanged"] = True
    acknowledged = {
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": told, "notifications": wanted},
    }
    if fault == "subscription-unacknowledged":
        return (_changed("tools", told),)
    return (acknowledged,)


def _changed(name: str, told: Json | None = None) -> Json:
    method = f"notifications/{name}/list_changed"
    return {"jsonrpc": "2.0", "method": method, "params": {"_meta": told or {}}}


def frames(fault: str, encoded: list[bytes]) -> bytes:
    """Messages as server-sent events."""
    text = b"".join(b"event: message\ndata: " + one + b"\n\n" for one in encoded)
    return text[:-1] if fault == "event-unended" and len(encoded) > 1 else text


def headers(fault: str) -> Json:
    """Of an event stream."""
    plain = {"content-type": "text/event-stream", "cache-control": "no-cache"}
    return plain if fault == "stream-buffered" else {**plain, "x-accel-buffering": "no"}


def lines(fault: str, *, slow: bool) -> Iterator[bytes]:
    """Lines of stdin; slow, forecasts take `SLOW_S`, and those cancelled in that time are gone."""
    if not slow and fault != "cancelled-call-answered":
        yield from sys.stdin.buffer
        return
    waiting: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_read_ahead, args=(waiting,), daemon=True).start()
    held = b""
    while line := held or waiting.get():
        held = b""
        if b'"get_forecast"' in line:
            with contextlib.suppress(queue.Empty):
                held = waiting.get(timeout=SLOW_S)
        if not held or fault or not _cancels(held, line):
            yield line


def _read_ahead(into: "queue.Queue[bytes]") -> None:
    for line in sys.stdin.buffer:
        into.put(line)
    into.put(b"")


def _cancels(notification: bytes, line: bytes) -> bool:
    named = json.loads(notification).get("params", {}).get("requestId")
    return bool(named == json.loads(line)["id"])


def linger(fault: str) -> None:
    """What a fault does when stdin has ended."""
    if fault == "leaves-a-process":
        quiet = subprocess.DEVNULL
        subprocess.Popen(["sleep", "60"], stdin=quiet, stdout=quiet, stderr=quiet)
    if fault == "ignores-end":
        threading.Event().wait()


def noise(fault: str, body: bytes) -> str:
    """What a fault prints to stdout before it answers, "" for nothing."""
    if fault == "stdout-chatter" and b"tools/call" in body:
        return "\N{WHITE SUN WITH SMALL CLOUD} somebody asks for the weather"
    return ""


OPENING_NOISE = {
    "stdout-noise": "reference server ready",
    "stdout-log": '{"level": "INFO", "message": "listening", "version": "1.0.0"}',
}
"""What a fault prints to stdout before anybody asked."""
