"""The calls one attempt at a case makes."""

import time
from collections.abc import Mapping
from typing import Any

from bundles.mcp import wire
from bundles.suite.model import Case
from bundles.transcript import Exchange
from workers.probes.session import Session
from workers.probes.walk import MAX_PAGES

_ALL_INPUT: Mapping[str, Any] = {
    wire.CLIENT_CAPABILITIES_KEY: {"elicitation": {}, "sampling": {}, "roots": {}}
}
"""What a case with answers declares: a server may only ask a client that says it can answer."""


async def ask(session: Session, probe: str, case: Case) -> list[Exchange]:
    """Make the calls of a case, all of them within its timeout.

    One call; one a page where the operation lists; one a round where the server asks for input and
    the case has answers.

    Args:
        session: where the calls go.
        probe: id the exchanges are recorded under.
        case: what to ask, its variables replaced; its assertions are not looked at.
    """
    attempt = _Attempt(session, probe, case)
    if case.operation.listed:
        return await attempt.all_pages()
    if case.answers:
        return await attempt.all_rounds()
    return [await attempt.call(case.operation.params)]


class _Attempt:
    """One attempt at a case, and the time it has left."""

    def __init__(self, session: Session, probe: str, case: Case) -> None:
        self._session = session
        self._probe = probe
        self._case = case
        self._began: float | None = None

    async def call(self, params: Mapping[str, Any]) -> Exchange:
        now, left = time.monotonic(), self._case.timeout_ms / 1000
        if self._began is None:
            self._began = now
        else:
            left = max(left - (now - self._began), 0.001)
        method = self._case.operation.method
        return await self._session.call(self._probe, method, params, timeout_s=left)

    async def all_pages(self) -> list[Exchange]:
        pages: list[Exchange] = []
        cursors: set[str] = set()
        params: dict[str, Any] = {}
        while True:
            page = await self.call(params)
            pages.append(page)
            cursor = page.result.get("nextCursor") if isinstance(page.result, dict) else None
            if not isinstance(cursor, str) or cursor in cursors or len(pages) == MAX_PAGES:
                return pages
            cursors.add(cursor)
            params = {"cursor": cursor}

    async def all_rounds(self) -> list[Exchange]:
        """Answer the server's questions until it asks no more or the case knows no answer."""
        asked = {**self._case.operation.params, "_meta": _ALL_INPUT}
        rounds = [await self.call(asked)]
        for answers in self._case.answers:
            given = _given(rounds[-1], answers)
            if given is None:
                break
            rounds.append(await self.call({**asked, **given}))
        return rounds


def _given(exchange: Exchange, answers: Mapping[str, Any]) -> dict[str, Any] | None:
    """What answers a question, None where there is no question or no answer to a part of it."""
    result = exchange.result
    if not isinstance(result, dict) or result.get("resultType") != "input_required":
        return None
    given: dict[str, Any] = {}
    requests = result.get("inputRequests")
    if isinstance(requests, dict):
        responses = {key: _response(key, request, answers) for key, request in requests.items()}
        if None in responses.values():
            return None
        given["inputResponses"] = responses
    if "requestState" in result:
        given["requestState"] = result["requestState"]
    return given


def _response(key: str, request: object, answers: Mapping[str, Any]) -> Any:
    """The answer to one request: the one for its key, else the one for its method."""
    if key in answers:
        return answers[key]
    method = request.get("method") if isinstance(request, dict) else None
    return answers.get(method) if isinstance(method, str) else None
