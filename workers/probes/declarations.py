"""What a server says about itself: asked again, and taken at its word."""

import re
from typing import Any

from bundles.mcp import probes, wire
from bundles.transcript import Exchange
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


async def declarations(observation: Observation, line: Line) -> list[Exchange]:
    """The same discover again, and the first page of every list besides tools/list."""
    made: list[Exchange] = []
    if observation.plan.revision == wire.MODERN:
        made.append(await line.call(probes.DISCOVER_AGAIN, "server/discover", None))
    for name, method in _LISTS.items():
        made.append(await line.call(probes.LISTED + name, method, None))
    return made


async def versions(line: Line, first: Exchange) -> list[Exchange]:
    """Discover in every other modern version that is listed, then what this era removed."""
    made: list[Exchange] = []
    for version in _others(first.result):
        named = {"_meta": {wire.PROTOCOL_VERSION_KEY: version}}
        made.append(await line.call(probes.VERSION + version, "server/discover", named))
    for method, params in _REMOVED.items():
        made.append(await line.call(probes.REMOVED + method, method, params))
    opening = wire.initialize_params(wire.MODERN)
    return [*made, await line.call(probes.HANDSHAKE, "initialize", opening)]


async def legacy_handshake(observation: Observation) -> list[Exchange]:
    """Whether a modern server speaks the older era as well."""
    async with observation.new(wire.LEGACY) as conversation:
        return [observation.tell(await conversation.greet(probes.LEGACY_HANDSHAKE))]


def _others(discovered: Any) -> list[str]:
    listed = discovered.get("supportedVersions") if isinstance(discovered, dict) else None
    named = [v for v in listed if isinstance(v, str)] if isinstance(listed, list) else []
    younger = [v for v in named if v > wire.LEGACY and v != wire.MODERN and _VERSION.fullmatch(v)]
    return list(dict.fromkeys(younger))[:_MOST_VERSIONS]
