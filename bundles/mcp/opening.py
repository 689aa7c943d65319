"""What the first answer of a server says about it, and whether it speaks both eras."""

from collections.abc import Mapping
from typing import Any

from bundles.check import Inconclusive
from bundles.mcp import probes
from bundles.mcp.reading import unreached
from bundles.mcp.schema import MODERN
from bundles.transcript import Exchange, Transcript

UNREADABLE = Inconclusive("the first answer gives no capabilities to read")
ERA_UNKNOWN = Inconclusive("whether the server speaks the older era as well is not known")
"""Said where a refusal is right for a server of both eras, and wrong for one of this."""


def opening_of(transcript: Transcript) -> Exchange:
    """The first exchange of the revision, one without an answer where it was not made."""
    probe = probes.DISCOVER if transcript.revision == MODERN else probes.INITIALIZE
    return next(iter(transcript.of(probe)), Exchange(probe, 0, {}))


def capabilities(transcript: Transcript) -> Mapping[str, Any] | None:
    """The declared capabilities that are not null; None where none could be read."""
    result = opening_of(transcript).result
    declared = result.get("capabilities") if isinstance(result, dict) else None
    if not isinstance(declared, dict):
        return None
    return {name: value for name, value in declared.items() if value is not None}


def is_dual_era(transcript: Transcript) -> bool | None:
    """Whether a modern server answers the handshake of the older era as well, None if unknown."""
    asked = next(iter(transcript.of(probes.LEGACY_HANDSHAKE)), None)
    if asked is None or unreached(asked):
        return None
    return isinstance(asked.result, dict)
