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
        self,
        probe: str,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout_s: float | None = None,
        headers: Mapping[str, str | None] | None = None,
        raw: bytes | None = None,
        request_id: str | int | None = None,
    ) -> Exchange:
        """Send one request and wait for its response.

        Calls may overlap. `seq` of the exchange is 0: whoever joins exchanges to a transcript
        numbers them.

        Args:
            probe: id of the stimulus, recorded.
            method: of the JSON-RPC request.
            params: of the JSON-RPC request. A `_meta` in them wins over the session's own, member
                by member.
            timeout_s: seconds to wait for the whole answer; the budget's own when None.
            headers: HTTP headers to add or, with the value None, to leave out. No meaning on stdio.
            raw: bytes to send instead of the request (on stdio, a newline is added).
            request_id: JSON-RPC id to use instead of the session's next number.
        """
        ...

    async def greet(self, probe: str) -> Exchange:
        """Send the well-formed first request of the revision, or one more of its kind."""
        ...

    @property
    def dead(self) -> bool:
        """True when no further call can be answered."""
        ...
