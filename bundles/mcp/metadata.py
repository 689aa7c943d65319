"""OAuth protected resource metadata (RFC 9728) as a transcript holds it; pure."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from bundles.errors import Refused
from bundles.json_reader import read_json
from bundles.mcp import probes
from bundles.transcript import Exchange, Transcript

_PORTS = {"http": 80, "https": 443}


def documents(transcript: Transcript) -> Iterator[tuple[Exchange, Mapping[str, Any]]]:
    """The metadata documents that were served, in the order a client looks for them."""
    for exchange in transcript.starting(probes.METADATA):
        document = document_of(exchange)
        if document is not None:
            yield exchange, document


def document_of(exchange: Exchange) -> Mapping[str, Any] | None:
    """The document in an answer, None where it holds none."""
    if exchange.failure is not None or exchange.status != 200:
        return None
    try:
        document = read_json(exchange.body.encode("utf-8", "surrogatepass"))
    except Refused:
        return None
    return document if isinstance(document, dict) else None


def covers(resource: object, endpoint: str) -> bool:
    """Whether a resource identifier is that of an endpoint, or of what the endpoint is part of.

    A server may name its origin, or a path above the endpoint, as the resource.
    """
    named, reached = _split(resource), _split(endpoint)
    if named is None or reached is None or _origin(named) != _origin(reached) or named.query:
        return False
    above = named.path.rstrip("/")
    return not above or reached.path.rstrip("/") == above or reached.path.startswith(above + "/")


def is_web_address(value: object) -> bool:
    """Whether a value is an absolute http or https URL."""
    return _split(value) is not None


def _split(value: object) -> SplitResult | None:
    if not isinstance(value, str):
        return None
    try:
        parts = urlsplit(value)
        parts.port  # noqa: B018 - reading it is what refuses a bad one
    except ValueError:
        return None
    good = parts.scheme in _PORTS and bool(parts.hostname) and not parts.fragment
    return parts if good else None


def _origin(parts: SplitResult) -> tuple[str, str | None, int]:
    return parts.scheme, parts.hostname, parts.port or _PORTS[parts.scheme]
