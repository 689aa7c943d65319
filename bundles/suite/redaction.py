"""Masking what a report must not repeat: members named like credentials, and known secrets."""

import re
from collections.abc import Iterable

from bundles.report.cut import compact, cut, escaped, shown

MASK = "[REDACTED]"

_SENSITIVE = frozenset(
    (
        "authorization",
        "cookie",
        "password",
        "passwd",
        "secret",
        "token",
        "apikey",
        "accesstoken",
        "refreshtoken",
        "clientsecret",
    )
)
_SEPARATORS = re.compile(r"[^a-z0-9]")
_NAMES_IN_PATH = re.compile(r"\.([^.\[\]]+)")


def is_sensitive(name: str) -> bool:
    """Whether a member of that name holds a credential; "Api-Key" and "api_key" are the same."""
    return _SEPARATORS.sub("", name.lower()) in _SENSITIVE


def is_sensitive_path(path: str) -> bool:
    """Whether a place in a document lies under a member that holds a credential."""
    return any(is_sensitive(name) for name in _NAMES_IN_PATH.findall(path))


def masked_json(value: object, secrets: Iterable[str] = (), *, limit: int | None = None) -> str:
    """Compact JSON of a value with its credentials masked, before anything is cut."""
    return compact(value, limit=limit, hides=is_sensitive, secrets=frozenset(secrets), mask=MASK)


def masked_text(text: str, secrets: Iterable[str] = ()) -> str:
    """Text with every known secret inside it masked."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, MASK)
    return text


def quoted(value: object, secrets: Iterable[str] = ()) -> str:
    """A value as one line of a report: credentials masked first, then cut."""
    secrets = tuple(secrets)
    if isinstance(value, str):
        return shown(masked_text(value, secrets))
    return escaped(cut(masked_text(masked_json(value, secrets), secrets)))
