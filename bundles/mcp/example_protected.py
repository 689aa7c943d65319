"""Transcripts of a protected server for the examples of live checks, and one thing changed.

The profile carries a bearer token and names everything a profile can name; every one of its
credentials is treated as it should be.
"""

import copy
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.authorization import NEGATIVE, OTHER_PRINCIPAL
from bundles.mcp.schema import LEGACY, MODERN
from bundles.mcp.wire import SERVER_INFO_KEY
from bundles.transcript import Exchange, Transcript

Json = dict[str, Any]

RESOURCE = "https://forecasts.example/mcp"
_METADATA_URL = "https://forecasts.example/.well-known/oauth-protected-resource/mcp"
CHALLENGE = f'Bearer resource_metadata="{_METADATA_URL}", scope="call"'
DOCUMENT: Json = {
    "resource": RESOURCE,
    "authorization_servers": ["https://issuer.example"],
    "scopes_supported": ["call"],
}
_NARROW = f'Bearer error="insufficient_scope", resource_metadata="{_METADATA_URL}", scope="save"'
_CACHE: Json = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
_NONE = f"{probes.AUTH}none"
_JSON = {"content-type": "application/json"}


def protected(*, revision: str = MODERN) -> Transcript:
    """Everything about credentials, of a server that does everything right."""
    healthy = ex.healthy(revision=revision)
    tokens = ("none", "invalid", "basic", *NEGATIVE)
    made = [_refused(probes.AUTH + name, 401, CHALLENGE) for name in tokens]
    made.append(_refused(f"{probes.AUTH}narrow_scope", 403, _NARROW, "tools/call"))
    made += [_document(which) for which in ("challenge", "path", "root")]
    made.append(_listed(f"{probes.OTHER}list", [ex.FORECAST], revision))
    made.append(_error(f"{probes.OTHER}cursor", -32602, "tools/list"))
    made.append(_error(f"{probes.OTHER}call:save_alert", -32602, "tools/call"))
    if revision == LEGACY:
        healthy = ex.changed(
            healthy, probes.INITIALIZE, headers=_JSON | {"mcp-session-id": "[redacted]"}
        )
        made.append(_refused(f"{probes.AUTH}session", 401, CHALLENGE))
        made.append(_refused(f"{probes.OTHER}session", 404, ""))
    context = {
        "credential": True,
        "bearer": True,
        "declared": sorted([*NEGATIVE, "narrow_scope", OTHER_PRINCIPAL]),
        "missing": {},
        "denied": ["save_alert"],
        "narrow": "save_alert",
        "resource": RESOURCE,
    }
    return ex.knowing(joined(healthy, made), **{probes.CONTEXT_AUTHORIZATION: context})


def public(*, transport: str = "http") -> Transcript:
    """A server that serves everybody, under a profile without a credential."""
    return ex.healthy(transport=transport)


def serving_anybody() -> Transcript:
    """Protected by its own word, and serving everybody."""
    listed = _listed(_NONE, [ex.FORECAST, ex.SAVE], MODERN)
    closed = ex.without(protected(), probes.AUTH)
    return joined(closed, [listed, _error(f"{_NONE}-call", -32602, "tools/call")])


def served(transcript: Transcript, name: str, prefix: str = probes.AUTH) -> Transcript:
    """With the list as the answer to one of the stimuli."""
    probe = prefix + name
    result = _result({"tools": [ex.FORECAST, ex.SAVE]}, transcript.revision)
    changed = ex.changed(transcript, probe, headers=_JSON, status=200)
    return ex.answering(changed, probe, {"result": result})


def refused_with(transcript: Transcript, name: str, status: int) -> Transcript:
    """With another status as the refusal of one of the stimuli."""
    return ex.changed(transcript, probes.AUTH + name, status=status)


def challenging(transcript: Transcript, challenge: str, name: str = "none") -> Transcript:
    """With another challenge in one of the refusals; none at all where it is empty."""
    headers = {"www-authenticate": challenge} if challenge else {}
    return ex.changed(transcript, probes.AUTH + name, headers=headers)


def describing(transcript: Transcript, **members: Any) -> Transcript:
    """With members of the metadata replaced, or left out where they are None."""
    told = {k: v for k, v in (DOCUMENT | members).items() if v is not None}
    for which in ("challenge", "path", "root"):
        probe = probes.METADATA + which
        transcript = ex.changed(transcript, probe, body=json.dumps(told))
    return transcript


def joined(transcript: Transcript, made: list[Exchange]) -> Transcript:
    """With further exchanges at the end."""
    first = len(transcript.exchanges)
    numbered = [replace(exchange, seq=first + n) for n, exchange in enumerate(made)]
    return replace(transcript, exchanges=(*transcript.exchanges, *numbered))


def _refused(probe: str, status: int, challenge: str, method: str = "tools/list") -> Exchange:
    headers = {"www-authenticate": challenge} if challenge else {}
    sent = {"id": 1, "method": method}
    return Exchange(probe, 0, sent, status=status, headers=headers, parse_error="empty")


def _document(which: str) -> Exchange:
    sent = {"method": "GET", "url": _METADATA_URL}
    return Exchange(probes.METADATA + which, 0, sent, status=200, body=json.dumps(DOCUMENT))


def _listed(probe: str, tools: list[Json], revision: str) -> Exchange:
    sent = {"id": 1, "method": "tools/list"}
    answer = {"jsonrpc": "2.0", "id": 1, "result": _result({"tools": tools}, revision)}
    message = copy.deepcopy(answer)
    return Exchange(probe, 0, sent, status=200, headers=_JSON, message=message)


def _result(result: Mapping[str, Any], revision: str) -> Json:
    if revision != MODERN:
        return dict(result)
    info = {"name": "example", "version": "1.0.0"}
    return {**result, **_CACHE, "_meta": {SERVER_INFO_KEY: info}}


def _error(probe: str, code: int, method: str) -> Exchange:
    answer = {"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "refused"}}
    sent = {"id": 1, "method": method}
    return Exchange(probe, 0, sent, status=400, headers=_JSON, message=answer)


def called(transcript: Transcript, probe: str, *, isError: bool) -> Transcript:  # noqa: N803 - as MCP spells it
    """With a result as the answer to a call."""
    content = [{"type": "text", "text": "saved"}]
    result = {"content": content, "isError": isError}
    if transcript.revision == MODERN:
        info = {"name": "example", "version": "1.0.0"}
        result |= {"resultType": "complete", "_meta": {SERVER_INFO_KEY: info}}
    changed = ex.changed(transcript, probe, headers=_JSON, status=200)
    return ex.answering(changed, probe, {"result": result})
