"""A little authorization server: signed bearer tokens, and whether one opens a resource.

JSON Web Tokens with HMAC, because both sides are ours; the keys are of this test alone.
"""

import base64
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

ISSUER = "https://issuer.example"
_KEYS = {ISSUER: b"issuer of the tests", "https://elsewhere.example": b"another issuer"}


@dataclass(frozen=True, slots=True)
class Lenience:
    """What a broken server does not look at."""

    signature: bool = False
    expiry: bool = False
    audience: bool = False
    issuer: bool = False


def issued(
    audience: str,
    *,
    subject: str = "ada",
    scope: str = "call save",
    issuer: str = ISSUER,
    seconds: int = 3600,
) -> str:
    """A token for a resource, good for so many seconds from now; negative ones are over."""
    claims = {"iss": issuer, "aud": audience, "sub": subject, "scope": scope}
    head = _encoded({"alg": "HS256", "typ": "JWT"})
    body = _encoded(claims | {"exp": int(time.time()) + seconds})
    return f"{head}.{body}.{_signature(f'{head}.{body}', _KEYS[issuer])}"


def opened(token: str, audience: str, lenience: Lenience) -> Json | None:
    """The claims of a token that opens a resource, None for every other text."""
    head, _, rest = token.partition(".")
    body, _, signature = rest.partition(".")
    try:
        claims: Json = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except ValueError:
        return {"sub": "ada", "scope": "call save"} if lenience.signature else None
    issuer = claims.get("iss")
    trusted = issuer == ISSUER or (lenience.issuer and issuer in _KEYS)
    genuine = trusted and hmac.compare_digest(
        signature, _signature(f"{head}.{body}", _KEYS[str(issuer)])
    )
    fresh = lenience.expiry or claims.get("exp", 0) > time.time()
    meant = lenience.audience or claims.get("aud") == audience
    return claims if genuine and fresh and meant else None


def _signature(text: str, key: bytes) -> str:
    return _plain(hmac.digest(key, text.encode(), hashlib.sha256))


def _encoded(document: Json) -> str:
    return _plain(json.dumps(document).encode())


def _plain(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
