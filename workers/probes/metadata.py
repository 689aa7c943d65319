"""GET of the OAuth protected resource metadata (RFC 9728), wherever the server says it is.

The server names the URL, so it is as foreign as a redirect: the egress rules are asked about its
address, no credential goes with it, and a redirect is recorded and not followed.
"""

from functools import partial

from bundles.mcp import probes
from bundles.mcp.challenge import bearer_of, well_known_urls
from bundles.transcript import Exchange
from workers.endpoints import HttpEndpoint
from workers.probes.conversation import Sent
from workers.probes.mcp_http import HttpConversation
from workers.probes.observation import Group, Observation, side_by_side

_WAIT_S = 5.0
_ACCEPT = {"accept": "application/json"}


async def metadata(
    observation: Observation, endpoint: HttpEndpoint, challenged: Exchange | None
) -> list[Exchange]:
    """The document at the URL of the challenge and at both well-known ones.

    Args:
        observation: of the security stage.
        endpoint: the target.
        challenged: a refusal that may hold a challenge, None without one.
    """
    named = "" if challenged is None else _named(challenged)
    by_path, at_root = well_known_urls(endpoint.url)
    urls = {"challenge": named, "path": by_path, "root": at_root if at_root != by_path else ""}
    groups: list[Group] = [
        partial(_fetched, observation, endpoint, probes.METADATA + which, url)
        for which, url in urls.items()
        if url
    ]
    return await side_by_side(groups, observation.at_once)


def _named(challenged: Exchange) -> str:
    challenge = bearer_of(challenged.headers)
    return "" if challenge is None else challenge.parameters.get("resource_metadata", "")


async def _fetched(
    observation: Observation, endpoint: HttpEndpoint, probe: str, url: str
) -> list[Exchange]:
    page = HttpEndpoint(url, endpoint.egress)
    async with _Page(observation.terms, page) as conversation:
        return [observation.tell(await conversation.get(probe, url))]


class _Page(HttpConversation):
    """One GET of a document that is no MCP."""

    async def get(self, probe: str, url: str) -> Exchange:
        """The document at the URL of the endpoint, as it came."""
        recorded = {"method": "GET", "url": self.terms.redactor.text(url)}
        sent = Sent(probe, b"", dict(_ACCEPT), None, is_request=False, verb="GET")
        return await self._bounded("GET", sent, recorded, _WAIT_S)
