"""Who asks, by a profile: its credentials, and those that must be refused; all by reference.

```yaml
authorization:
  headers: {authorization: env:TOKEN}      # what every request carries
  negative:                                # bearer tokens that must not be taken
    expired: env:EXPIRED
    other_audience: env:FOR_ANOTHER_SERVER
    other_issuer: env:FROM_ANOTHER_ISSUER
    in_url: env:SPARE                      # a valid one that may show up in access logs
    narrow_scope: {token: env:NARROW, tool: export_report}
  other_principal:                         # somebody else, who is let in as well
    headers: {authorization: env:OTHER}
    denied: [read_record]                  # whose safe calls name what is not theirs
```

Without `negative` or `other_principal` the checks about them do not apply, and say so.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeGuard

NEGATIVE = ("expired", "other_audience", "other_issuer", "in_url")
"""Tokens that are named by a reference alone."""

NARROW_SCOPE = "narrow_scope"
OTHER_PRINCIPAL = "other_principal"

AUTHORIZATION_FORM = (
    "a name, or a mapping of headers (header name → env:NAME or file:PATH), negative "
    f"({', '.join(NEGATIVE)}: a reference each; {NARROW_SCOPE}: a mapping of token and tool) and "
    f"{OTHER_PRINCIPAL} (a mapping of headers and denied, a list of tools)"
)
"""The form of a profile's authorization in words, for refusals and findings."""

_REFERENCE = re.compile(r"(env|file):\S.*")


@dataclass(frozen=True, slots=True)
class Authorization:
    """The credentials of a profile, by reference.

    Attributes:
        headers: header name → "env:NAME" or "file:PATH", sent with every request.
        negative: name of `NEGATIVE` or `NARROW_SCOPE` → reference to a bearer token.
        narrow_tool: the tool that the token of `NARROW_SCOPE` must not call; "" without one.
        other: header name → reference, of a second principal; empty without one.
        denied: tools whose safe calls the second principal must be refused.
    """

    headers: Mapping[str, str] = field(default_factory=dict)
    negative: Mapping[str, str] = field(default_factory=dict)
    narrow_tool: str = ""
    other: Mapping[str, str] = field(default_factory=dict)
    denied: tuple[str, ...] = ()

    @property
    def anything(self) -> bool:
        """Whether any credential is named."""
        return bool(self.headers or self.declared)

    @property
    def declared(self) -> tuple[str, ...]:
        """What is named besides the profile's own headers, in a fixed order."""
        names = [name for name in (*NEGATIVE, NARROW_SCOPE) if name in self.negative]
        return (*names, *([OTHER_PRINCIPAL] if self.other else []))


def read_authorization(document: object) -> Authorization | None:
    """The authorization of a profile as it is written there; None for what has not the form
    `AUTHORIZATION_FORM`.

    A name alone stands for credentials that the target brings.
    """
    if document is None or (isinstance(document, str) and document):
        return Authorization()
    if not _is_mapping(document, {"headers", "negative", OTHER_PRINCIPAL}):
        return None
    headers = document.get("headers", {})
    negative = document.get("negative", {})
    other = document.get(OTHER_PRINCIPAL, {"headers": {}})
    if not _is_mapping(negative, {*NEGATIVE, NARROW_SCOPE}) or not _is_principal(other):
        return None
    narrow = negative.get(NARROW_SCOPE, {"token": "env:none", "tool": "none"})
    if not _is_mapping(narrow, {"token", "tool"}) or not _is_text(narrow.get("tool")):
        return None
    tokens = {name: told for name, told in negative.items() if name != NARROW_SCOPE}
    if NARROW_SCOPE in negative:
        tokens[NARROW_SCOPE] = narrow.get("token")
    if OTHER_PRINCIPAL in document and not other["headers"]:
        return None
    if not all(_are_references(told) for told in (headers, tokens, other["headers"])):
        return None
    return Authorization(
        headers=MappingProxyType(headers),
        negative=MappingProxyType(tokens),
        narrow_tool=narrow["tool"] if NARROW_SCOPE in negative else "",
        other=MappingProxyType(other["headers"]),
        denied=tuple(other.get("denied", ())),
    )


def _is_principal(document: object) -> TypeGuard[dict[str, Any]]:
    if not _is_mapping(document, {"headers", "denied"}) or "headers" not in document:
        return False
    denied = document.get("denied", [])
    return isinstance(denied, list) and all(map(_is_text, denied))


def _are_references(document: object) -> bool:
    return isinstance(document, dict) and all(
        _is_text(name) and isinstance(told, str) and _REFERENCE.fullmatch(told)
        for name, told in document.items()
    )


def _is_mapping(document: object, known: set[str]) -> TypeGuard[dict[str, Any]]:
    return isinstance(document, dict) and document.keys() <= known


def _is_text(document: object) -> bool:
    return isinstance(document, str) and bool(document)
