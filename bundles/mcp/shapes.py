"""The shapes of MCP answers as JSON Schemas, stricter than the SDK's models where those coerce.

Sources: schema.ts of revisions 2026-07-28 and 2025-11-25. Unknown members are allowed, as there;
a member that is present must have its type, so an explicit null is a fault. Schemas of
tools and the hints for caches (`CACHE_HINTS`) are left to checks of their own.
"""

from typing import Any

Shape = dict[str, Any]

_STRING: Shape = {"type": "string"}
_OBJECT: Shape = {"type": "object"}
_BOOLEAN: Shape = {"type": "boolean"}


def _members(required: tuple[str, ...], **properties: Shape) -> Shape:
    return {"type": "object", "required": list(required), "properties": properties}


def _list(items: Shape) -> Shape:
    return {"type": "array", "items": items}


_ICON = _members(
    ("src",),
    src=_STRING,
    mimeType=_STRING,
    sizes=_list(_STRING),
    theme={"enum": ["dark", "light"]},
)
_IMPLEMENTATION = _members(
    ("name", "version"),
    name=_STRING,
    version=_STRING,
    title=_STRING,
    description=_STRING,
    websiteUrl=_STRING,
    icons=_list(_ICON),
)
_CAPABILITIES = _members(
    (),
    completions=_OBJECT,
    experimental={"type": "object", "additionalProperties": _OBJECT},
    extensions={"type": "object", "additionalProperties": _OBJECT},
    logging=_OBJECT,
    prompts=_members((), listChanged=_BOOLEAN),
    resources=_members((), listChanged=_BOOLEAN, subscribe=_BOOLEAN),
    tools=_members((), listChanged=_BOOLEAN),
)
_COMPLETE: Shape = {"resultType": {"const": "complete"}}

CACHE_HINTS = _members(
    ("ttlMs", "cacheScope"),
    ttlMs={"type": "integer", "minimum": 0},
    cacheScope={"enum": ["private", "public"]},
)
"""Of a CacheableResult: discovery, the lists and resources/read of 2026-07-28."""

TOOL = _members(
    ("name",),
    name={"type": "string", "minLength": 1},
    title=_STRING,
    description=_STRING,
    icons=_list(_ICON),
    annotations=_members(
        (),
        title=_STRING,
        readOnlyHint=_BOOLEAN,
        destructiveHint=_BOOLEAN,
        idempotentHint=_BOOLEAN,
        openWorldHint=_BOOLEAN,
    ),
    _meta=_OBJECT,
)

_ANNOTATIONS = _members(
    (),
    audience=_list({"enum": ["user", "assistant"]}),
    lastModified=_STRING,
    priority={"type": "number", "minimum": 0, "maximum": 1},
)


def _block(kind: str, required: tuple[str, ...], **properties: Shape) -> Shape:
    common: Shape = {"_meta": _OBJECT, "annotations": _ANNOTATIONS}
    shape = _members(required, **common, **properties)
    return {"if": {"properties": {"type": {"const": kind}}}, "then": shape}


_MEDIA: Shape = {"data": _STRING, "mimeType": _STRING}
_CONTENT_BLOCK: Shape = {
    "type": "object",
    "required": ["type"],
    "properties": {"type": {"enum": ["text", "image", "audio", "resource_link", "resource"]}},
    "allOf": [
        _block("text", ("text",), text=_STRING),
        _block("image", ("data", "mimeType"), **_MEDIA),
        _block("audio", ("data", "mimeType"), **_MEDIA),
        _block("resource_link", ("name", "uri"), name=_STRING, uri=_STRING, mimeType=_STRING),
        _block(
            "resource",
            ("resource",),
            resource={
                **_members(("uri",), uri=_STRING, text=_STRING, blob=_STRING, mimeType=_STRING),
                "anyOf": [{"required": ["text"]}, {"required": ["blob"]}],
            },
        ),
    ],
}

DISCOVER = _members(
    ("supportedVersions", "capabilities", "resultType"),
    supportedVersions={"type": "array", "items": _STRING, "minItems": 1},
    capabilities=_CAPABILITIES,
    instructions=_STRING,
    _meta=_members((), **{"io.modelcontextprotocol/serverInfo": _IMPLEMENTATION}),
    **_COMPLETE,
)
INITIALIZE = _members(
    ("protocolVersion", "capabilities", "serverInfo"),
    protocolVersion=_STRING,
    capabilities=_CAPABILITIES,
    serverInfo=_IMPLEMENTATION,
    instructions=_STRING,
    _meta=_OBJECT,
)
TOOLS_PAGE_LEGACY = _members(
    ("tools",),
    tools=_list(TOOL),
    nextCursor=_STRING,
    _meta=_OBJECT,
)
TOOLS_PAGE = _members(
    ("tools", "resultType"),
    **TOOLS_PAGE_LEGACY["properties"],
    **_COMPLETE,
)
CALL_RESULT_LEGACY = _members(
    ("content",),
    content=_list(_CONTENT_BLOCK),
    isError=_BOOLEAN,
    structuredContent=_OBJECT,
    _meta=_OBJECT,
)
CALL_RESULT = _members(
    ("content", "resultType"),
    **{**CALL_RESULT_LEGACY["properties"], "structuredContent": {}},
    **_COMPLETE,
)


def _params_of(method: str, params: Shape) -> Shape:
    asked = {"if": {"properties": {"method": {"const": method}}}}
    return {**asked, "then": _members(("params",), params=params)}


_ELICITATION: Shape = {
    **_members(("message",), message=_STRING, mode={"enum": ["form", "url"]}, url=_STRING),
    "if": {"required": ["mode"], "properties": {"mode": {"const": "url"}}},
    "then": {"required": ["url"]},
    "else": _members(
        ("requestedSchema",),
        requestedSchema=_members(
            ("type", "properties"), type={"const": "object"}, properties=_OBJECT
        ),
    ),
}
INPUT_REQUEST: Shape = {
    "type": "object",
    "required": ["method"],
    "properties": {
        "method": {"enum": ["elicitation/create", "sampling/createMessage", "roots/list"]}
    },
    "allOf": [
        _params_of("elicitation/create", _ELICITATION),
        _params_of(
            "sampling/createMessage",
            _members(
                ("messages", "maxTokens"), messages=_list(_OBJECT), maxTokens={"type": "integer"}
            ),
        ),
    ],
}
INPUT_REQUIRED = _members(
    ("resultType",),
    inputRequests={"type": "object", "additionalProperties": INPUT_REQUEST},
    requestState=_STRING,
    _meta=_OBJECT,
)
