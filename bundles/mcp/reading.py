"""What live checks share when they read a transcript: was there an answer, and if not, why."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import wraps

from bundles.check import Inconclusive, Said
from bundles.lock import published
from bundles.mcp.probes import DISCOVER, INITIALIZE, TOOLS_LIST, TOOLS_LIST_AGAIN
from bundles.mcp.schema import MODERN, cut
from bundles.mcp.turned_away import refused_on_the_way
from bundles.transcript import Exchange, Failure, Transcript

_STEPS = {
    Failure.CLOSED: "start it by hand: what it writes to stderr says why it ended",
    Failure.UNREACHABLE: "start the server, or correct the address",
    Failure.TIMEOUT: "find out why the server does not answer in time",
}

_STEPS_FOR_STATUS = {
    401: "give the target the credentials it asks for, as a header reference (--header-env)",
    403: "let the worker in, or give the target other credentials",
    429: "raise the limit for the worker, or run again later",
}

_LETS_NOBODY_IN = (401, 403)

NOT_SENT = frozenset({Failure.BUDGET, Failure.REFUSED_EGRESS, Failure.OBSERVER})
"""Failures of the harness: the stimulus never reached the server."""

DEAD = frozenset({Failure.CLOSED, Failure.UNREACHABLE})
"""Failures that say that nobody is there any more."""

LiveCheck = Callable[[Transcript], Iterable[Said]]


def needs_the_server(function: LiveCheck) -> LiveCheck:
    """Make a live check say Inconclusive where no exchange of the run got any answer.

    Without it a check that finds nothing to object to in an empty transcript would pass.
    """

    @wraps(function)
    def judge(transcript: Transcript) -> Iterator[Said]:
        if not reached(transcript):
            yield Inconclusive(why_unreached(transcript))
            return
        yield from function(transcript)

    return judge


def reached(transcript: Transcript) -> bool:
    """True when at least one exchange got a JSON-RPC message that is the server's word."""
    return any(e.message is not None and not unreached(e) for e in transcript.exchanges)


def why_unreached(transcript: Transcript) -> str:
    """Why nothing was answered, from the first exchange that failed."""
    first = next((e for e in transcript.exchanges if unreached(e)), None)
    if first is None:
        came = next(map(unanswered, transcript.exchanges), "nothing was sent")
        return f"the server was not reached: {came}; check that MCP is served there"
    met = "let nobody in" if _turned_away(first) else "was not reached"
    return f"the server {met}: {unreached(first)}; {_what_to_do(first)}"


def wants_credentials(transcript: Transcript) -> bool:
    """True where nothing was answered because the server lets nobody in without other credentials.

    It is there, so that neither its address nor its start is what has to be corrected.
    """
    first = next((e for e in transcript.exchanges if unreached(e)), None)
    return first is not None and _turned_away(first) and not reached(transcript)


def _turned_away(exchange: Exchange) -> bool:
    return exchange.failure is None and exchange.status in _LETS_NOBODY_IN


def _what_to_do(exchange: Exchange) -> str:
    """The next step of the reason code in the note of a failed exchange, or of its failure."""
    named = (published().get(word) for word in re.findall(r"[A-Z][A-Z0-9_]+", exchange.note))
    step = next((reason.next_step for reason in named if reason), None)
    for_failure = _STEPS.get(exchange.failure) if exchange.failure else None
    for_status = _STEPS_FOR_STATUS.get(exchange.status or 0)
    return step or for_failure or for_status or "look at what the server logged"


def unreached(exchange: Exchange) -> str:
    """Why an exchange says nothing about the server's rules, "" when it does."""
    if exchange.failure is not None:
        return f"{exchange.probe}: {exchange.failure.value} {exchange.note}".rstrip()
    why = refused_on_the_way(exchange)
    return f"{exchange.probe}: {why}" if why else ""


def unanswered(exchange: Exchange) -> str:
    """Why an exchange holds no answer of the server to judge, "" when it does."""
    if exchange.message is None:
        return unreached(exchange) or f"{exchange.probe}: {what_came(exchange)}"
    return unreached(exchange)


def what_came(exchange: Exchange) -> str:
    """What came back in place of an MCP answer, so that a wrong URL can be told from a fault."""
    came = "no JSON-RPC message came back"
    if exchange.status is not None and exchange.status != 200:
        came += f", but HTTP {exchange.status}"
    if "location" in exchange.headers:
        return f"{came} to {cut(exchange.headers['location'])}: redirects are not followed"
    return f"{came}: {cut(exchange.parse_error)}" if exchange.parse_error else came


def has_no_tools(transcript: Transcript) -> bool:
    """True for a server that declares no tools and knows no tools/list: both are its right.

    False for one that lists tools when it is asked again.
    """
    probe = DISCOVER if transcript.revision == MODERN else INITIALIZE
    result = next((e.result for e in transcript.of(probe)), None)
    capabilities = result.get("capabilities") if isinstance(result, dict) else None
    page = next(iter(transcript.of(TOOLS_LIST)), None)
    unknown = page is not None and page.error is not None and page.error.get("code") == -32601
    later = any(again.result is not None for again in transcript.starting(TOOLS_LIST_AGAIN))
    declared = not isinstance(capabilities, dict) or "tools" in capabilities
    return unknown and not declared and not later


def not_made(probe: str) -> Inconclusive:
    """The stimulus a check reads was never made."""
    return Inconclusive(f"the run did not make the probe {probe}")


def refusal(exchange: Exchange) -> str:
    """How an answer refuses, in words: HTTP status, the error's code, or a tool's own error."""
    if exchange.error is not None and exchange.error.get("code") is not None:
        how = f"error {exchange.error['code']}"
    elif isinstance(exchange.result, dict) and exchange.result.get("isError") is True:
        how = "a result with isError"
    elif exchange.status is not None and exchange.status >= 400:
        return f"HTTP {exchange.status}"  # that it holds no JSON-RPC error is beside the point
    else:
        how = "no error"
    return how if exchange.status is None else f"HTTP {exchange.status}, {how}"
