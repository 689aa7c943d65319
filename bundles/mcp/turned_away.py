"""Requests that something in front of the server turned away: no word of the server's."""

from bundles.transcript import Exchange

_NOT_THE_SERVERS_WORD = {
    401: "the server asks for authorization",
    403: "the server forbids the request",
    407: "a proxy asks for authorization",
    429: "the server limits the rate",
    502: "a gateway could not reach the server",
    503: "the server is not available",
    504: "a gateway got no answer in time",
}


def refused_on_the_way(exchange: Exchange) -> str:
    """Why a request was turned away before the server's rules were asked, "" when it was not.

    Some put that refusal into a JSON-RPC error, which changes nothing about who refused, and why.
    """
    if exchange.status is None or "result" in (exchange.message or {}):
        return ""
    return _NOT_THE_SERVERS_WORD.get(exchange.status, "")
