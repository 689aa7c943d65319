"""Who the harness says it is: the client a profile names, and what that client can do.

Servers may offer other tools, or ask for input, by what a client declares; so it belongs to the
conditions under which a surface is observed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bundles.mcp import wire

CLIENT_FORM = "a name, or a mapping of name, version and capabilities (a mapping of mappings)"
"""The form of a profile's client in words, for refusals and findings."""

_MEMBERS = frozenset({"name", "version", "capabilities"})


@dataclass(frozen=True, slots=True)
class Client:
    """What every request, or the handshake, says of the client.

    Attributes:
        name, version: its clientInfo.
        capabilities: capability → its settings, as declared.
    """

    name: str = wire.CLIENT_INFO["name"]
    version: str = wire.CLIENT_INFO["version"]
    capabilities: Mapping[str, Any] = field(default_factory=dict)

    def introduced(self, params: Mapping[str, Any] | None) -> dict[str, Any]:
        """Params of a 2026-07-28 request from it; a `_meta` in them wins member by member."""
        given = dict(params or {})
        meta = {
            wire.CLIENT_INFO_KEY: self._info(),
            wire.CLIENT_CAPABILITIES_KEY: dict(self.capabilities),
            **given.pop("_meta", {}),
        }
        return {**given, "_meta": meta}

    def initialize_params(self) -> dict[str, Any]:
        """Params of its handshake in 2025-11-25."""
        told = {"capabilities": dict(self.capabilities), "clientInfo": self._info()}
        return wire.initialize_params() | told

    def _info(self) -> dict[str, str]:
        return {"name": self.name, "version": self.version}


def read_client(document: object) -> Client | None:
    """The client of a profile as it is written there; None for what has not the form `CLIENT_FORM`.

    Nothing written is the harness itself.
    """
    if document is None:
        return Client()
    if isinstance(document, str) and document:
        return Client(name=document)
    if not isinstance(document, dict) or document.keys() - _MEMBERS:
        return None
    texts = [document[name] for name in ("name", "version") if name in document]
    capabilities = document.get("capabilities", {})
    if not all(isinstance(text, str) and text for text in texts):
        return None
    if not isinstance(capabilities, dict) or not all(
        isinstance(settings, dict) for settings in capabilities.values()
    ):
        return None
    return Client(**document)
