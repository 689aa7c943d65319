"""What stands in front of the reference server where it is protected: tokens, sessions, metadata.

Two principals have tokens: "ada", who sees every tool, and "bob", who sees all but `save_alert`.
`save_alert` needs the scope "save".
"""

import base64
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.servers.issuer import ISSUER, Lenience, opened

Json = dict[str, Any]

WELL_KNOWN = "/.well-known/oauth-protected-resource"
_LENIENCE = {
    "invalid-token-served": Lenience(signature=True),
    "expired-token-served": Lenience(expiry=True),
    "other-audience-served": Lenience(audience=True),
    "other-issuer-served": Lenience(issuer=True),
}
_BOBS = "bob-"
"""How bob's cursors begin, so that they tell whose they are."""

_HIDDEN = "save_alert"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer in front of the server."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request that is let in: as whom, and headers for its answer."""

    principal: str
    headers: Mapping[str, str] = field(default_factory=dict)


class Guard:
    """One protected resource with at most one fault. `resource` is its URL."""

    def __init__(self, fault: str, resource: str) -> None:
        self.fault = fault
        self._resource = resource
        self._sessions: dict[str, str] = {}

    def judge(self, target: str, headers: Mapping[str, str], body: bytes) -> Refusal | Admitted:
        """Whether a request is let in. `headers` have lower-case names."""
        message = _message(body)
        session = headers.get("mcp-session-id", "")
        owner = self._sessions.get(session)
        claims = self._claims(target, headers)
        if claims is None and self.fault == "session-as-credential" and owner is not None:
            claims = {"sub": owner, "scope": "call save"}
        if claims is None and self.fault == "missing-token-served":
            claims = None if "authorization" in headers else {"sub": "ada", "scope": "call save"}
        if claims is None:
            scheme, _, token = headers.get("authorization", "").partition(" ")
            unknown = scheme == "Bearer" and "." not in token
            forbidden = unknown and self.fault == "invalid-token-forbidden"
            return Refusal(403 if forbidden else 401, self._challenge())
        narrow = _tool(message) == _HIDDEN and "save" not in claims["scope"].split()
        if narrow and self.fault != "narrow-scope-served":
            return Refusal(403, self._step_up())
        principal = str(claims["sub"])
        crosses = self.fault == "session-crosses-principals"
        if session and (owner is None or (owner != principal and not crosses)):
            return Refusal(404)
        return Admitted(principal, self._opened(message, principal))

    def asked(self, principal: str, body: bytes) -> bytes | None:
        """The request as the server behind sees it, None for a call it must not see."""
        message = _message(body)
        if principal == "ada":
            return body
        if _tool(message) == _HIDDEN and self.fault != "denied-call-served":
            return None
        cursor = _cursor(message)
        if not cursor.startswith(_BOBS):
            return body
        message["params"]["cursor"] = cursor.removeprefix(_BOBS)
        return json.dumps(message).encode()

    def answered(self, principal: str, body: bytes, answer: Json | None) -> Json | None:
        """The answer as the principal may see it."""
        result = answer.get("result") if answer is not None else None
        if not isinstance(result, dict) or "tools" not in result:
            return answer
        if self.fault == "differing-list-public" and "cacheScope" in result:
            result["cacheScope"] = "public"
        if principal == "ada":
            return answer
        cursor = _cursor(_message(body))
        foreign = bool(cursor) and not cursor.startswith(_BOBS)
        if not foreign or self.fault != "cursor-crosses-principals":
            result["tools"] = [tool for tool in result["tools"] if tool["name"] != _HIDDEN]
        if "nextCursor" in result:
            result["nextCursor"] = _BOBS + result["nextCursor"]
        return answer

    def metadata(self, path: str) -> Json | None:
        """The document at a path, None where there is none."""
        if path != WELL_KNOWN + urlsplit(self._resource).path or self.fault == "metadata-missing":
            return None
        document: Json = {
            "resource": self._resource,
            "authorization_servers": [ISSUER],
            "scopes_supported": ["call", "save"],
        }
        if self.fault == "metadata-of-another":
            document["resource"] = "https://other.example/mcp"
        if self.fault == "metadata-without-issuer":
            document["authorization_servers"] = []
        if self.fault == "offline-access-asked":
            document["scopes_supported"].append("offline_access")
        return document

    def _claims(self, target: str, headers: Mapping[str, str]) -> Json | None:
        lenience = _LENIENCE.get(self.fault, Lenience())
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "basic" and self.fault == "basic-token-served":
            token = base64.b64decode(token).decode().partition(":")[2]
            scheme = "Bearer"
        if not scheme and self.fault == "token-in-url-served":
            token = next(iter(parse_qs(urlsplit(target).query).get("access_token", [])), "")
            scheme = "Bearer"
        if scheme.lower() != "bearer":
            return None
        return opened(token, self._resource, lenience)

    def _challenge(self) -> Json:
        if self.fault == "challenge-missing":
            return {}
        scope = "" if self.fault == "challenge-without-scope" else ', scope="call"'
        return {"www-authenticate": f'Bearer resource_metadata="{self._document_url}"{scope}'}

    def _step_up(self) -> Json:
        if self.fault == "narrow-scope-unexplained":
            return {}
        told = f'resource_metadata="{self._document_url}", scope="call save"'
        return {"www-authenticate": f'Bearer error="insufficient_scope", {told}'}

    @property
    def _document_url(self) -> str:
        parts = urlsplit(self._resource)
        return f"{parts.scheme}://{parts.netloc}{WELL_KNOWN}{parts.path}"

    def _opened(self, message: Json, principal: str) -> Json:
        if message.get("method") != "initialize":
            return {}
        session = secrets.token_hex(16)
        self._sessions[session] = principal
        return {"mcp-session-id": session}


def _message(body: bytes) -> Json:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _tool(message: Json) -> object:
    params = message.get("params")
    if message.get("method") != "tools/call" or not isinstance(params, dict):
        return None
    return params.get("name")


def _cursor(message: Json) -> str:
    params = message.get("params")
    return str(params.get("cursor", "")) if isinstance(params, dict) else ""
