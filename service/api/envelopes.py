"""Which representation of something signed is asked for."""

from typing import Any

from litestar import Request

DSSE = "application/vnd.dsse.envelope.v1+json"


def wants_envelope(request: Request[Any, Any, Any], asked: str | None) -> bool:
    """True for `format=dsse`, or for an Accept header that names the envelope's type."""
    if asked is not None:
        return asked == "dsse"
    return DSSE in request.headers.get("accept", "")
