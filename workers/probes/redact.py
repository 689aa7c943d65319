"""Taking credentials out of what a server said, before anything is hashed, cut or stored.

Two sources: the credential values this run sent (known exactly), and strings that have the shape
of a credential (few shapes, all of high confidence: a false hit would falsify a transcript). What
is taken out leaves a mark that begins with `bundles.mcp.probes.REDACTED`, so that the leak checks
still see that something leaked. Paths and addresses stay.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from bundles.mcp.probes import REDACTED
from workers.credential_parts import credential_parts, is_sensitive
from workers.endpoints import Endpoint, HttpEndpoint
from workers.probes.spellings import Spellings

MASK = f"{REDACTED}]"
"""What stands for a header value that is a credential."""

_SENSITIVE_HEADERS = frozenset(
    {
        "authorization",
        "proxy-authorization",
        "cookie",
        "set-cookie",
        "mcp-session-id",
        "x-api-key",
    }
)
_SHAPES = re.compile(
    r"(?P<private_key>-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"[A-Za-z0-9+/=\s\\]*(?:-----END [A-Z ]*PRIVATE KEY-----)?)"
    r"|(?P<jwt>\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})"
    r"|(?P<bearer>(?<=\b[Bb]earer )(?![A-Za-z_]+=\")[A-Za-z0-9._~+/=-]{16,})"
    r"|(?P<aws>\b(?:AKIA|ASIA)[A-Z0-9]{16}\b)"
    r"|(?P<github>\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}))"
    r"|(?P<slack>\bxox[abposr]-[A-Za-z0-9-]{10,})"
    r"|(?P<api_key>\bsk-[A-Za-z0-9_-]{20,}|\bAIza[A-Za-z0-9_-]{35}\b)"
    r"|(?P<dsn>(?<=://)[^\s/:@\"'<>\\]{0,64}:[^\s/@\"'<>\\]{1,128}(?=@))"
)
# a cheap look for the literals above before the slow pattern runs: one search for each of them is
# many times faster than one pattern of them all
_HINTS = (
    *("PRIVATE KEY", "eyJ", "earer ", "AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    *("github_pat_", "xox", "sk-", "AIza"),
)
_USER_INFO = re.compile(r"://[^/]*@")


def _may_hold_a_shape(text: str) -> bool:
    if any(hint in text for hint in _HINTS):
        return True
    return "://" in text and _USER_INFO.search(text) is not None


class Redactor:
    """Replaces credentials in text and in JSON values. Made once for each observation."""

    def __init__(self, credentials: Iterable[str] = ()) -> None:
        parts = {part for value in credentials for part in credential_parts(value)}
        self._known = Spellings(parts)
        # names of HTTP headers arrive in lower case
        self._in_names = Spellings({part.lower() for part in parts})

    def text(self, text: str) -> str:
        """The text with every known credential and every credential-shaped string masked."""
        text = self._known.sub(f"{REDACTED}:credential]", text)
        if _may_hold_a_shape(text):
            text = _SHAPES.sub(lambda found: f"{REDACTED}:{found.lastgroup}]", text)
        return text

    def touches(self, data: bytes) -> bool:
        """False when no string of the JSON document in `data` can hold anything to mask."""
        text = data.decode("utf-8", "replace")
        # an escape may spell a credential in a way no search of the text sees
        return "\\" in text or self.text(text) != text

    def value(self, value: Any) -> Any:
        """A JSON value with every string and key in it masked; the same object if none was."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            masked = [self.value(item) for item in value]
            return masked if any(a is not b for a, b in zip(masked, value, strict=True)) else value
        if isinstance(value, dict):
            pairs = {self.text(key): self.value(item) for key, item in value.items()}
            same = pairs.keys() == value.keys() and all(pairs[k] is value[k] for k in value)
            return value if same else pairs
        return value

    def headers(
        self, headers: Mapping[str, str], credentials: Iterable[str] = ()
    ) -> dict[str, str]:
        """Headers with credential-bearing ones masked whole and the others as text.

        Args:
            headers: lower-case names.
            credentials: further names, lower case, to mask whole.
        """
        masked = _SENSITIVE_HEADERS | set(credentials)
        return {
            self._name(name): MASK if name in masked else self.text(value)
            for name, value in headers.items()
        }

    def _name(self, name: str) -> str:
        return self._in_names.sub(MASK, name)


def credentials_of(endpoint: Endpoint) -> list[str]:
    """The credential values an endpoint carries.

    Over HTTP every header value, also of other principals and tokens; for a command the variables
    whose name says so.
    """
    if isinstance(endpoint, HttpEndpoint):
        return [*endpoint.headers.values(), *endpoint.others.values]
    return [value for name, value in endpoint.env.items() if is_sensitive(name)]
