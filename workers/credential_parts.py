"""What of a header value, or a variable, is looked for in what a server says.

Masking falsifies what it touches, so what is looked for must be a secret. Two kinds are none:
values too short, and words of the protocol itself, which every transcript is full of. A header that
is a credential by its name may not hold one of those (`workers.endpoints` refuses it); any other
header may, as in "X-Tenant: default".
"""

import base64
import binascii
import re

SHORTEST_CREDENTIAL = 6
"""Characters below which a value is not looked for: it would be found in innocent text."""

_SENSITIVE_NAME = re.compile(
    r"authorization|cookie|passw|secret|token|api_?key|access_?key|credential|private_?key|_key$|"
    r"^key$|dsn|auth$",
    re.IGNORECASE,
)
_A_NAME = 16
"""Characters below which the user of a Basic credential is a name, not a key sent in its place."""

_WORDS = (
    # JSON Schema 2020-12: keywords, types, formats
    "$anchor $comment $defs $dynamicAnchor $dynamicRef $schema $vocabulary additionalProperties "
    "allOf anyOf array boolean const contains contentEncoding contentMediaType contentSchema "
    "date-time default definitions dependencies dependentRequired dependentSchemas deprecated "
    "description duration email enum examples exclusiveMaximum exclusiveMinimum format hostname "
    "idn-email idn-hostname integer iri-reference json-pointer maxContains maxItems maxLength "
    "maxProperties maximum minContains minItems minLength minProperties minimum multipleOf null "
    "number object oneOf pattern patternProperties prefixItems properties propertyNames readOnly "
    "regex relative-json-pointer required string title unevaluatedItems unevaluatedProperties "
    "uniqueItems uri-reference uri-template writeOnly "
    # MCP and JSON-RPC: methods, members and their values
    "_meta annotations arguments assistant audience blobs cacheScope capabilities clientInfo "
    "completion completions content cursor destructiveHint elicitation embedded error experimental "
    "extensions idempotentHint image inputRequests inputResponses inputSchema instructions isError "
    "jsonrpc lastModified listChanged logging message messages method mimeType name nextCursor "
    "notifications/cancelled notifications/initialized openWorldHint outputSchema params "
    "priority private progress progressToken prompts prompts/get prompts/list protocolVersion "
    "public readOnlyHint requestId requestState resource_link resource resources resources/list "
    "resources/read resources/templates/list result resultType roots sampling server/discover "
    "serverInfo structuredContent subscribe supported supportedVersions tools tools/call "
    "tools/list ttlMs uriTemplate version websiteUrl "
    # header names and media types
    "accept accept-encoding access-control-allow-origin application/json authorization "
    "cache-control chunked connection content-encoding content-length content-type cookie etag "
    "keep-alive last-event-id location mcp-method mcp-name mcp-protocol-version mcp-session-id "
    "no-cache no-store origin server text/event-stream text/plain transfer-encoding "
    "www-authenticate"
)
_ON_THE_WIRE = f"{_WORDS} {_WORDS.lower()}"
_TOKEN68 = re.compile(r"[A-Za-z0-9+/_-]+")


def is_sensitive(name: str) -> bool:
    """Whether a header or variable of this name holds a credential."""
    return _SENSITIVE_NAME.search(name.replace("-", "_")) is not None


def is_plain(value: str) -> bool:
    """Whether a credential is a word of the protocol, so that it cannot be looked for."""
    scheme, _, token = value.strip().partition(" ")
    return _is_on_the_wire(token.strip() if token.strip() and scheme.isalpha() else value.strip())


def credential_parts(value: str) -> list[str]:
    """The value, its token without the scheme ("Bearer x"), and what a Basic token says when
    decoded: user and password together, the password, and the user where it stands in for one.

    What is too short, or a word of the protocol, is left out.
    """
    value = value.strip()
    scheme, _, token = value.partition(" ")
    parts = [value]
    if token.strip() and scheme.isalpha():
        parts.append(token.strip())
        if scheme.lower() == "basic":
            parts += _decoded(token.strip())
    return [part for part in parts if _is_secret(part)]


def _decoded(token: str) -> list[str]:
    """Parts of "user:password" in base64 (RFC 7617); none where it is something else."""
    token = token.rstrip("=")
    if not _TOKEN68.fullmatch(token):
        return []
    padded = token.replace("-", "+").replace("_", "/") + "=" * (-len(token) % 4)
    try:
        said = base64.b64decode(padded)
    except binascii.Error:
        return []
    try:
        text = said.decode("utf-8")
    except UnicodeDecodeError:
        text = said.decode("latin-1")
    user, colon, password = text.partition(":")
    if not colon:
        return [text]
    # some services take a key as the user, with nothing or a fixed word as the password
    stands_in = not password or (len(user) >= _A_NAME and any(c.isdigit() for c in user))
    return [text, password, *([user] if stands_in else [])]


def _is_secret(part: str) -> bool:
    return len(part) >= SHORTEST_CREDENTIAL and not _is_on_the_wire(part)


def _is_on_the_wire(part: str) -> bool:
    """True for a word of the protocol, and for what is found inside of one."""
    return len(part) >= SHORTEST_CREDENTIAL and " " not in part and part in _ON_THE_WIRE
