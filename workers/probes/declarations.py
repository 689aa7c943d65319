"""What a server says about itself: asked again, and taken at its word."""

import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

from bundles.mcp import probes, wire
from bundles.transcript import Exchange
from workers.budget import START_FACTOR
from workers.probes.aside import WAIT_S, until_deaf
from workers.probes.observation import Line, Observation

_LISTS = {
    "prompts": "prompts/list",
    "resources": "resources/list",
    "resource-templates": "resources/templates/list",
}
_NOWHERE = {"uri": "bundlegate://no/such/resource"}
_REMOVED: dict[str, dict[str, Any]] = {
    "ping": {},
    "logging/setLevel": {"level": "info"},
    "resources/subscribe": _NOWHERE,
    "resources/unsubscribe": _NOWHERE,
    "roots/list": {},
}
_VERSION = re.compile(r"[A-Za-z0-9._-]{1,32}")
"""Of what a server lists as a version, what can be sent back to it in a header."""
_MOST_VERSIONS = 8

_Stimulus = tuple[str, str, Mapping[str, Any] | None]
"""Probe, method and params."""


async def declarations(observation: Observation, line: Line) -> list[Exchange]:
    """The same discover again, the first page of every list besides tools/list, and a resource."""
    made: list[Exchange] = []
    if observation.plan.revision == wire.MODERN:
        made.append(await line.call(probes.DISCOVER_AGAIN, "server/discover", None))
    listed = await until_deaf(
        _asked(line, [(probes.LISTED + name, method, None) for name, method in _LISTS.items()])
    )
    return made + listed + await _read(observation, line, listed)


async def _read(observation: Observation, line: Line, listed: Sequence[Exchange]) -> list[Exchange]:
    """The first listed resource: what it says about keeping it is seen nowhere else."""
    page = next((e.result for e in listed if e.probe == f"{probes.LISTED}resources"), None)
    resources = page.get("resources") if isinstance(page, dict) else None
    first = resources[0] if isinstance(resources, list) and resources else None
    uri = first.get("uri") if isinstance(first, dict) else None
    if not isinstance(uri, str) or observation.plan.revision != wire.MODERN:
        return []
    params = {"uri": uri}
    return [await line.call(probes.RESOURCE_READ, "resources/read", params, timeout_s=WAIT_S)]


async def versions(line: Line, first: Exchange) -> list[Exchange]:
    """Discover in every other modern version that is listed, then what this era removed."""
    stimuli: list[_Stimulus] = []
    for version in _others(first.result):
        named = {"_meta": {wire.PROTOCOL_VERSION_KEY: version}}
        stimuli.append((probes.VERSION + version, "server/discover", named))
    stimuli += [(probes.REMOVED + method, method, params) for method, params in _REMOVED.items()]
    stimuli.append((probes.HANDSHAKE, "initialize", wire.initialize_params(wire.MODERN)))
    return await until_deaf(_asked(line, stimuli))


async def _asked(line: Line, stimuli: Iterable[_Stimulus]) -> AsyncIterator[list[Exchange]]:
    for probe, method, params in stimuli:
        yield [await line.call(probe, method, params, timeout_s=WAIT_S)]


async def legacy_handshake(observation: Observation) -> list[Exchange]:
    """Whether a modern server speaks the older era as well."""
    async with observation.new(wire.LEGACY) as conversation:
        asked = await conversation.call(
            probes.LEGACY_HANDSHAKE,
            "initialize",
            wire.initialize_params(),
            timeout_s=START_FACTOR * WAIT_S,
        )
        return [observation.tell(asked)]


def _others(discovered: Any) -> list[str]:
    listed = discovered.get("supportedVersions") if isinstance(discovered, dict) else None
    named = [v for v in listed if isinstance(v, str)] if isinstance(listed, list) else []
    younger = [v for v in named if v > wire.LEGACY and v != wire.MODERN and _VERSION.fullmatch(v)]
    return list(dict.fromkeys(younger))[:_MOST_VERSIONS]
