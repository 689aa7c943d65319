"""The credentials a profile names besides its own, resolved; what cannot be is said, not raised.

A run is not refused for them: the checks that need one say why they could not tell.
"""

from collections.abc import Callable, Mapping

from bundles.errors import BundlegateError
from bundles.mcp.authorization import OTHER_PRINCIPAL, Authorization
from workers.credential_parts import is_plain
from workers.endpoints import OtherCredentials

Resolve = Callable[[Mapping[str, str]], Mapping[str, str]]
"""Header name → reference, to header name → value; raises BundlegateError."""

_HEADER = "authorization"
_BEARER = "bearer "
_OWN = "it is the credential the profile itself uses"


def resolve_others(
    authorization: Authorization, resolve: Resolve, own: Mapping[str, str]
) -> OtherCredentials:
    """The values behind the references, or why there is none.

    A token may be written with its scheme or without. One that is the profile's own would be
    served, rightly, so it is counted as missing.

    Args:
        authorization: what the profile names.
        resolve: from references to values.
        own: the headers every request of the profile carries, resolved.
    """
    tokens: dict[str, str] = {}
    missing: dict[str, str] = {}
    principal: Mapping[str, str] = {}
    for name, reference in authorization.negative.items():
        try:
            tokens[name] = _bearing(resolve({_HEADER: reference})[_HEADER])
        except BundlegateError as error:
            missing[name] = str(error)
            continue
        if why := _unusable(name, tokens[name], own):
            del tokens[name]
            missing[name] = why
    if authorization.other:
        try:
            principal = resolve(authorization.other)
        except BundlegateError as error:
            missing[OTHER_PRINCIPAL] = str(error)
        if principal and set(principal.values()) <= set(own.values()):
            principal = {}
            missing[OTHER_PRINCIPAL] = _OWN
    return OtherCredentials(
        tokens=tokens,
        principal=principal,
        missing=missing,
        narrow_tool=authorization.narrow_tool,
        denied=authorization.denied,
    )


def _unusable(name: str, token: str, own: Mapping[str, str]) -> str:
    if is_plain(token):
        return "it is a word of the protocol, which could not be masked"
    # one for the URL has to be valid, so it may be the profile's own
    return _OWN if token in own.values() and name != "in_url" else ""


def _bearing(token: str) -> str:
    return token if token.lower().startswith(_BEARER) else f"Bearer {token}"
