"""server/discover with one thing odd in its `_meta`."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from bundles.mcp import probes, wire
from bundles.transcript import Exchange
from workers.probes.aside import post, until_deaf, well_formed
from workers.probes.observation import Line, Observation

_FOREIGN = {
    "com.example/x": {"kept": [1, "two"]},
    "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
}
_EDITS: dict[str, Mapping[str, Any]] = {
    "foreign": _FOREIGN,
    "no-client-info": {wire.CLIENT_INFO_KEY: None},
    "log-level": {wire.LOG_LEVEL_KEY: "loud"},
    "no-version": {wire.PROTOCOL_VERSION_KEY: None},
    "no-capabilities": {wire.CLIENT_CAPABILITIES_KEY: None},
    "capabilities-text": {wire.CLIENT_CAPABILITIES_KEY: "x"},
}
"""Members to set or, with None, to leave out."""


async def meta(observation: Observation, line: Line) -> list[Exchange]:
    """What is allowed first, so that what is not cannot spoil it."""
    if observation.plan.revision == wire.LEGACY:
        message = {**well_formed(wire.LEGACY, "foreign"), "params": {"_meta": _FOREIGN}}
        return await _post(observation, line, "foreign", message)
    return await until_deaf(_modern(observation, line))


async def _modern(observation: Observation, line: Line) -> AsyncIterator[list[Exchange]]:
    for name, edit in _EDITS.items():
        message = well_formed(wire.MODERN, name)
        members = {**message["params"]["_meta"], **edit}
        kept = {key: value for key, value in members.items() if value is not None}
        yield await _post(observation, line, name, {**message, "params": {"_meta": kept}})
    absent = well_formed(wire.MODERN, "absent")
    yield await _post(observation, line, "absent", {**absent, "params": {}})
    message = well_formed(wire.MODERN, "no-params")
    del message["params"]
    yield await _post(observation, line, "no-params", message)


async def _post(
    observation: Observation, line: Line, name: str, message: Mapping[str, Any]
) -> list[Exchange]:
    body = wire.encode(message)
    return await post(observation, line, probes.META + name, body, answered_to=name)
