"""Stimuli about who is let in: no credential, credentials that must be refused, somebody else's.

All over HTTP. A server that lets everybody in, and of which no profile says otherwise, is asked
nothing more.
"""

import base64
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import quote

from bundles.mcp import probes, wire
from bundles.mcp.authorization import NARROW_SCOPE, OTHER_PRINCIPAL
from bundles.mcp.tools import by_name, tools_in
from bundles.transcript import Exchange
from workers.credential_parts import is_sensitive
from workers.endpoints import HttpEndpoint
from workers.probes.calls import NO_SUCH_TOOL, allowed_calls
from workers.probes.conversation import Conversation
from workers.probes.metadata import metadata
from workers.probes.observation import Group, Observation, side_by_side
from workers.probes.walk import next_cursor

_HEADER = "authorization"
_LIST = "tools/list"
_CALL = "tools/call"
_TURNED_AWAY = frozenset({401, 403})


@dataclass(frozen=True, slots=True)
class _Door:
    """A request that nobody makes without a credential."""

    method: str
    params: Mapping[str, Any] | None = None


def known_of(endpoint: HttpEndpoint) -> dict[str, Any]:
    """What checks have to know of the credentials of an endpoint; never a value."""
    own = {name.lower(): value for name, value in endpoint.headers.items()}
    others = endpoint.others
    named = [*others.tokens, *others.missing, *([OTHER_PRINCIPAL] if others.principal else [])]
    return {
        "credential": endpoint.credentialed,
        "bearer": _is_bearer(own.get(_HEADER, "")),
        "declared": sorted(named),
        "missing": dict(others.missing),
        "denied": list(others.denied),
        "narrow": others.narrow_tool,
        # without the query, which may be a secret
        "resource": endpoint.url.partition("?")[0],
    }


async def authorization(
    observation: Observation, first: Exchange, listed: Sequence[Exchange]
) -> list[Exchange]:
    """Everything about credentials, after the first request and the list under the profile's own.

    Args:
        observation: of the security stage.
        first: the first request.
        listed: the pages of the profile's own list; empty where the server was not asked for it.
    """
    endpoint = observation.endpoint
    if not isinstance(endpoint, HttpEndpoint):
        return []
    asking = _Asking(observation, endpoint, await _calls(observation, listed))
    refused = [exchange for exchange in (first, *listed) if turned_away(exchange)]
    if not endpoint.credentialed and not refused:
        return await asking.principals(listed)
    made, door = await asking.find_door() if endpoint.credentialed else ([], _Door(_LIST))
    challenged = next((e for e in (*made, *refused) if turned_away(e)), None)
    groups: list[Group] = [partial(metadata, observation, endpoint, challenged)]
    if door is not None:
        groups += asking.tokens(door)
    groups += [asking.narrow_scope, partial(asking.principals, listed)]
    return made + await side_by_side(groups, observation.at_once)


def turned_away(exchange: Exchange) -> bool:
    """Whether somebody was refused for who they are."""
    return exchange.status in _TURNED_AWAY and "result" not in (exchange.message or {})


async def _calls(
    observation: Observation, listed: Sequence[Exchange]
) -> dict[str, Mapping[str, Any]]:
    """The first allowed call of each safe tool: its arguments by its name."""
    tools = by_name(tools_in(listed))
    allowed = await allowed_calls(observation.plan.safe_calls, tools, observation.judge)
    return {tool: arguments for tool, number, arguments in allowed if number == 0}


class _Asking:
    def __init__(
        self,
        observation: Observation,
        endpoint: HttpEndpoint,
        calls: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self._observation = observation
        self._endpoint = endpoint
        self._calls = calls

    async def find_door(self) -> tuple[list[Exchange], _Door | None]:
        """What is refused without a credential: the list, else a call, else nothing."""
        name, arguments = next(iter(self._calls.items()), (NO_SUCH_TOOL, {}))
        doors = {
            "none": _Door(_LIST),
            "none-call": _Door(_CALL, {"name": name, "arguments": arguments}),
        }
        made: list[Exchange] = []
        for probe, door in doors.items():
            made.append(await self._at(door, self._endpoint.anonymous, probes.AUTH + probe))
            if turned_away(made[-1]):
                return made, door
        return made, None

    def tokens(self, door: _Door) -> list[Group]:
        """Every credential that must not open the door."""
        tokens = {"invalid": f"Bearer {secrets.token_urlsafe(24)}", **self._endpoint.others.tokens}
        tokens.pop(NARROW_SCOPE, None)  # opens it, and must not do more
        in_url = tokens.pop("in_url", "")
        reached = {name: self._endpoint.bearing({_HEADER: told}) for name, told in tokens.items()}
        own = {name.lower(): told for name, told in self._endpoint.headers.items()}.get(_HEADER, "")
        if _is_bearer(own):
            password = base64.b64encode(f"bundlegate:{_token(own)}".encode()).decode()
            reached["basic"] = self._endpoint.bearing({_HEADER: f"Basic {password}"})
        if in_url:
            reached["in_url"] = _with_query(self._endpoint.anonymous, _token(in_url))
        groups: list[Group] = [
            partial(self._alone, door, endpoint, probes.AUTH + name)
            for name, endpoint in reached.items()
        ]
        if self._legacy:
            groups.append(partial(self._session, door, f"{probes.AUTH}session", {}))
        return groups

    async def narrow_scope(self) -> list[Exchange]:
        """The call a token of narrow scope must not make; only of a tool that is safe to call."""
        others = self._endpoint.others
        if NARROW_SCOPE not in others.tokens or others.narrow_tool not in self._calls:
            return []
        door = self._call_of(others.narrow_tool)
        endpoint = self._endpoint.bearing({_HEADER: others.tokens[NARROW_SCOPE]})
        return await self._alone(door, endpoint, probes.AUTH + NARROW_SCOPE)

    async def principals(self, listed: Sequence[Exchange]) -> list[Exchange]:
        """What the second principal is shown, and whether handles of the first serve them."""
        other = self._observation.other_principal
        if other is None:
            return []
        async with self._opened(other, f"{probes.OTHER}list") as (conversation, refused):
            if refused is not None:
                return [refused]
            made = await self._observation.walk(conversation, f"{probes.OTHER}list")
            cursor = next_cursor(listed[0]) if listed else None
            if cursor is not None:
                door = _Door(_LIST, {"cursor": cursor})
                made.append(await self._call(conversation, door, f"{probes.OTHER}cursor"))
            for tool in self._endpoint.others.denied:
                if tool in self._calls:
                    door = self._call_of(tool)
                    made.append(await self._call(conversation, door, f"{probes.OTHER}call:{tool}"))
        if self._legacy:
            probe = f"{probes.OTHER}session"
            made += await self._session(_Door(_LIST), probe, other.headers)
        return made

    @property
    def _legacy(self) -> bool:
        return self._observation.plan.revision == wire.LEGACY

    def _call_of(self, tool: str) -> _Door:
        return _Door(_CALL, {"name": tool, "arguments": self._calls[tool]})

    async def _alone(self, door: _Door, endpoint: HttpEndpoint, probe: str) -> list[Exchange]:
        return [await self._at(door, endpoint, probe)]

    async def _at(self, door: _Door, endpoint: HttpEndpoint, probe: str) -> Exchange:
        async with self._opened(endpoint, probe) as (conversation, refused):
            return refused or await self._call(conversation, door, probe)

    async def _session(self, door: _Door, probe: str, instead: Mapping[str, str]) -> list[Exchange]:
        """The door in a session of the profile's own, with other credentials, or without any."""
        async with self._opened(self._endpoint, probe) as (conversation, refused):
            greeting = conversation.greeting
            if refused is not None or greeting is None or "mcp-session-id" not in greeting.headers:
                return []
            given = {name.lower(): None for name in self._endpoint.headers if is_sensitive(name)}
            headers = given | {name.lower(): value for name, value in instead.items()}
            return [await self._call(conversation, door, probe, headers)]

    async def _call(
        self,
        conversation: Conversation,
        door: _Door,
        probe: str,
        headers: Mapping[str, str | None] | None = None,
    ) -> Exchange:
        asked = conversation.call(probe, door.method, door.params, headers=headers)
        return self._observation.tell(await asked)

    @asynccontextmanager
    async def _opened(
        self, endpoint: HttpEndpoint, probe: str
    ) -> AsyncIterator[tuple[Conversation, Exchange | None]]:
        """A conversation ready for a call, and the handshake where it was refused."""
        async with self._observation.at(endpoint) as conversation:
            if not self._legacy:
                yield conversation, None
                return
            greeting = await conversation.greet(probe)
            opened = isinstance(greeting.result, dict)
            yield conversation, None if opened else self._observation.tell(greeting)


def _with_query(endpoint: HttpEndpoint, token: str) -> HttpEndpoint:
    join = "&" if "?" in endpoint.url else "?"
    return replace(endpoint, url=f"{endpoint.url}{join}access_token={quote(token, safe='')}")


def _is_bearer(value: str) -> bool:
    return value.lower().startswith("bearer ")


def _token(value: str) -> str:
    return value.partition(" ")[2].strip()
