"""What the first answer of a server says about it, and whether it speaks both eras."""

from collections.abc import Mapping
from typing import Any

from bundles.mcp import probes
from bundles.mcp.schema import MODERN
from bundles.transcript import Exchange, Transcript


def opening_of(transcript: Transcript) -> Exchange:
    """The first exchange of the revision, one without an answer where it was not made."""
    probe = probes.DISCOVER if transcript.revision == MODERN else probes.INITIALIZE
    return next(iter(transcript.of(probe)), Exchange(probe, 0, {}))


def capabilities(transcript: Transcript) -> Mapping[str, Any]:
    """The declared capabilities that are not null; empty where none could be read."""
    result = opening_of(transcript).result
    declared = result.get("capabilities") if isinstance(result, dict) else None
    members = declared if isinstance(declared, dict) else {}
    return {name: value for name, value in members.items() if value is not None}


def is_dual_era(transcript: Transcript) -> bool:
    """True for a modern server that answered the handshake of the older era as well."""
    return any(isinstance(e.result, dict) for e in transcript.of(probes.LEGACY_HANDSHAKE))
