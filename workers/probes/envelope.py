"""Requests whose envelope is unusual or wrong."""

from collections.abc import AsyncIterator
from typing import Any

from bundles.mcp import probes, wire
from bundles.transcript import Exchange
from workers.probes.aside import WAIT_S, first_method, post, until_deaf, well_formed
from workers.probes.observation import Line, Observation

_IDS: dict[str, str | int] = {
    "zero": 0,
    "negative": -7,
    "largest": 2**53 - 1,
    "empty": "",
    # no number a request of the harness has: answered as one it would be taken for that answer
    "digits": "700700",
    "unicode": "grüße-日本-🎉",
    "escapes": 'a"\\\n\t/',
}
_NAME = "bundlegate_no_such_tool_grüße-日本-🎉"

_SPOILT: dict[str, dict[str, Any]] = {
    "jsonrpc-1.0": {"jsonrpc": "1.0"},
    "id-null": {"id": None},
    "id-fraction": {"id": 1.5},
    "id-boolean": {"id": True},
    "id-object": {"id": {}},
    "params-array": {"params": [1]},
}


async def envelope(observation: Observation, line: Line) -> list[Exchange]:
    """What is allowed first, so that what is not cannot spoil it."""
    made = await until_deaf(_allowed(observation, line))
    return made + await until_deaf(_wrong(observation, line))


async def _allowed(observation: Observation, line: Line) -> AsyncIterator[list[Exchange]]:
    method = first_method(observation.plan.revision)
    for name, request_id in _IDS.items():
        probe = probes.ID_ECHO + name
        yield [await line.call(probe, method, None, request_id=request_id, timeout_s=WAIT_S)]
    unknown = {"name": _NAME, "arguments": {}}
    yield [await line.call(probes.UNICODE_NAME, "tools/call", unknown, timeout_s=WAIT_S)]


async def _wrong(observation: Observation, line: Line) -> AsyncIterator[list[Exchange]]:
    revision = observation.plan.revision
    for name, changes in _SPOILT.items():
        own = None if "id" in changes else name
        body = wire.encode({**well_formed(revision, name), **changes})
        yield await post(observation, line, probes.ENVELOPE + name, body, answered_to=own)
    batch = b"[" + wire.encode(well_formed(revision, "batch")) + b"]"
    yield await post(observation, line, f"{probes.ENVELOPE}batch", batch, answered_to="batch")
    if observation.over_http:
        yield await _notification(observation, line)
        yield await _response(observation, line)


async def _notification(observation: Observation, line: Line) -> list[Exchange]:
    cancelled = {
        **well_formed(observation.plan.revision, ""),
        "method": "notifications/cancelled",
    }
    del cancelled["id"]
    cancelled["params"] = {**cancelled.get("params", {}), "requestId": "never-asked"}
    probe = f"{probes.ENVELOPE}notification"
    named = {"mcp-method": cancelled["method"]}
    headers = {} if observation.plan.revision == wire.LEGACY else named
    body = wire.encode(cancelled)
    return await post(observation, line, probe, body, answered_to=None, headers=headers)


async def _response(observation: Observation, line: Line) -> list[Exchange]:
    body = wire.encode({"jsonrpc": "2.0", "id": "never-asked", "result": {}})
    probe = f"{probes.ENVELOPE}response"
    headers = {"mcp-method": None}
    return await post(observation, line, probe, body, answered_to=None, headers=headers)
