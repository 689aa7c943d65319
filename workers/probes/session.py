"""What a probe needs of a connection: ask, and get an exchange back whatever happens."""

from collections.abc import Mapping
from typing import Any, Protocol

from bundles.transcript import Exchange


class Session(Protocol):
    """One client's conversation with one MCP server, over any transport and revision.

    The session adds what its transport and revision want (ids, headers, `_meta`), redacts, and
    never raises for what the server does: an exchange without an answer says why in `failure`.
    """

    async def call(
        self, probe: str, method: str, params: Mapping[str, Any], *, timeout_s: float
    ) -> Exchange:
        """Send one request and wait for its response, at most `timeout_s` seconds.

        Calls may overlap. `seq` of the exchange is the caller's to set when it is recorded.
        """
        ...
