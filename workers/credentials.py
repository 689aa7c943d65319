"""Credential references: "env:NAME" and "file:PATH", resolved only here, in the worker.

A reference comes from whoever registers a candidate, and so does the URL its value would be sent
to. Without a word of the operator that would be a way to read the worker's environment and files;
so a reference works only where the operator's launchers file lists it together with the hosts its
value may go to.
"""

from collections.abc import Mapping
from pathlib import Path

from bundles.errors import Forbidden, Invalid, Unreachable
from bundles.reasons import reason
from workers.egress import Destination

CREDENTIAL_REFERENCE_INVALID = reason(
    "CREDENTIAL_REFERENCE_INVALID",
    "A header value of a target is not a reference.",
    'write "env:NAME" or "file:PATH"; values themselves are never stored',
)
CREDENTIAL_NOT_ALLOWED = reason(
    "CREDENTIAL_NOT_ALLOWED",
    "The operator does not allow this credential to be sent to this host.",
    "have the operator list the reference with the host under `credentials` of the launchers file",
)
CREDENTIAL_UNAVAILABLE = reason(
    "CREDENTIAL_UNAVAILABLE",
    "A credential the operator allows is not there, is empty, or is no single line of text.",
    "set the variable or write the file on the worker",
)

_MAX_BYTES = 16 << 10


def resolve_headers(
    references: Mapping[str, str],
    destination: Destination,
    allowed: Mapping[str, tuple[str, ...]],
    environ: Mapping[str, str],
) -> dict[str, str]:
    """Header values from their references.

    Args:
        references: header name → reference.
        destination: where the values will be sent.
        allowed: reference → hosts ("host" or "host:port") its value may be sent to.
        environ: the worker's environment.

    Raises:
        Invalid: CREDENTIAL_REFERENCE_INVALID.
        Forbidden: CREDENTIAL_NOT_ALLOWED.
        Unreachable: CREDENTIAL_UNAVAILABLE.
    """
    headers: dict[str, str] = {}
    for name, reference in references.items():
        if not is_reference(reference):
            # it may be the value itself: it is not shown
            raise Invalid(CREDENTIAL_REFERENCE_INVALID, f"header {name} has no reference")
        hosts = {destination.host, f"{destination.host}:{destination.port}"}
        if hosts.isdisjoint(allowed.get(reference, ())):
            raise Forbidden(
                CREDENTIAL_NOT_ALLOWED,
                f"{reference} may not be sent to {destination.host}",
                seen={"reference": reference, "host": destination.host},
            )
        headers[name] = value_of(reference, environ)
    return headers


def is_reference(text: str) -> bool:
    """True for "env:NAME" and "file:PATH"."""
    kind, _, rest = text.partition(":")
    return kind in ("env", "file") and bool(rest.strip())


def value_of(reference: str, environ: Mapping[str, str]) -> str:
    """The value behind a reference; whoever asks has made sure that it may be used.

    Raises:
        Unreachable: CREDENTIAL_UNAVAILABLE.
    """
    kind, _, where = reference.partition(":")
    if kind == "env":
        value = environ.get(where, "")
    else:
        try:
            with Path(where).open("rb") as file:
                value = file.read(_MAX_BYTES + 1).decode("utf-8").rstrip("\r\n")
        except (OSError, ValueError) as error:
            why = type(error).__name__
            raise Unreachable(CREDENTIAL_UNAVAILABLE, f"{reference}: {why}") from None
    if not value or not value.isprintable() or len(value) > _MAX_BYTES:
        raise Unreachable(CREDENTIAL_UNAVAILABLE, f"{reference} holds no single line of text")
    return value
