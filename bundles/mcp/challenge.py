"""`WWW-Authenticate` as RFC 9110 has it (section 11.6.1), and where RFC 9728 puts metadata; pure.

Several challenges may stand in one field, separated by the same comma as their parameters.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

WELL_KNOWN = "/.well-known/oauth-protected-resource"

_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_PARAMETER = re.compile(rf"({_NAME})\s*=\s*({_QUOTED}|{_NAME})\s*(?:,\s*|$)", re.DOTALL)
_SCHEME = re.compile(rf"({_NAME})(?:\s+([A-Za-z0-9._~+/-]+=*)(?=\s*(?:,|$)))?\s*(?:,\s*|$)?")


@dataclass(frozen=True, slots=True)
class Challenge:
    """One challenge: its scheme in lower case, and its parameters by lower-case name."""

    scheme: str
    parameters: Mapping[str, str]


def challenges(field: str) -> tuple[Challenge, ...]:
    """The challenges in a field value, in order; what cannot be read ends them."""
    found: list[Challenge] = []
    at = len(field) - len(field.lstrip(" \t,"))
    while at < len(field):
        scheme = _SCHEME.match(field, at)
        if scheme is None:
            break
        at = scheme.end()
        parameters: dict[str, str] = {}
        while told := _PARAMETER.match(field, at):
            parameters.setdefault(told[1].lower(), _unquoted(told[2]))
            at = told.end()
        found.append(Challenge(scheme[1].lower(), parameters))
    return tuple(found)


def bearer_of(headers: Mapping[str, str]) -> Challenge | None:
    """The Bearer challenge in the headers of an answer (lower-case names), None without one."""
    told = challenges(headers.get("www-authenticate", ""))
    return next((challenge for challenge in told if challenge.scheme == "bearer"), None)


def well_known_urls(endpoint: str) -> tuple[str, str]:
    """Where the metadata of an endpoint may be: with its path inserted, and at the root."""
    parts = urlsplit(endpoint)
    path = parts.path if parts.path != "/" else ""
    return (
        urlunsplit((parts.scheme, parts.netloc, WELL_KNOWN + path, "", "")),
        urlunsplit((parts.scheme, parts.netloc, WELL_KNOWN, "", "")),
    )


def _unquoted(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1], flags=re.DOTALL) if value[:1] == '"' else value
