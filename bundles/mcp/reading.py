"""What live checks share when they read a transcript: was there an answer, and if not, why."""

from collections.abc import Callable, Iterable, Iterator
from functools import wraps

from bundles.check import Inconclusive, Said
from bundles.transcript import Exchange, Transcript

LiveCheck = Callable[[Transcript], Iterable[Said]]

_NOT_THE_SERVERS_WORD = {
    401: "the server asks for authorization",
    407: "a proxy asks for authorization",
    429: "the server limits the rate",
    502: "a gateway could not reach the server",
    503: "the server is not available",
    504: "a gateway got no answer in time",
}


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
    """True when at least one exchange got a JSON-RPC message."""
    return any(e.message is not None for e in transcript.exchanges)


def why_unreached(transcript: Transcript) -> str:
    """Why nothing was answered, from the first exchange that failed."""
    why = next((unreached(e) for e in transcript.exchanges if unreached(e)), "")
    return f"the server was not reached: {why or 'no exchange got an MCP answer'}"


def unreached(exchange: Exchange) -> str:
    """Why an exchange says nothing about the server's rules, "" when it does."""
    if exchange.failure is not None:
        return f"{exchange.probe}: {exchange.failure.value} {exchange.note}".rstrip()
    if exchange.status in _NOT_THE_SERVERS_WORD and exchange.message is None:
        return f"{exchange.probe}: {_NOT_THE_SERVERS_WORD[exchange.status]}"
    return ""


def unanswered(exchange: Exchange) -> str:
    """Why an exchange holds no JSON-RPC message to judge, "" when it does."""
    if exchange.message is None:
        return unreached(exchange) or f"{exchange.probe}: no JSON-RPC message came back"
    return ""


def not_made(probe: str) -> Inconclusive:
    """The stimulus a check reads was never made."""
    return Inconclusive(f"the run did not make the probe {probe}")


def refusal(exchange: Exchange) -> str:
    """How an answer refuses, in words: the error's code and the HTTP status where there is one."""
    code = None if exchange.error is None else exchange.error.get("code")
    status = "" if exchange.status is None else f"HTTP {exchange.status}, "
    return f"{status}error {code}" if code is not None else f"{status}no error"
