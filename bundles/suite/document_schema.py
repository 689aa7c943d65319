"""Version 1 of the suite format as a JSON Schema (2020-12), for editors.

Whatever the validator accepts, the schema accepts; it refuses all that the validator refuses but
two things a schema cannot say: an id used twice, and a number beyond the range of a double. The
tests hold both against each other.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bundles.suite.javascript import MAX_SAFE_INTEGER, SPACES
from bundles.suite.validate import APPROVED_STATUSES, ASSERTIONS_OF, MAX_TIMEOUT_MS
from bundles.suite.validate_schema import NEEDS_TYPE, TYPES

Schema = dict[str, Any]


def ref(name: str) -> Schema:
    """A reference to a definition of the same document."""
    return {"$ref": f"#/$defs/{name}"}


def members(properties: Schema, *, optional: Sequence[str] = ()) -> Schema:
    """An object of exactly these members."""
    return {
        "type": "object",
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
        "properties": properties,
    }


def chosen_by_type(names: Sequence[str]) -> Schema:
    """An object whose `type` names its definition: editors say more about it than with oneOf."""
    return {
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"enum": list(names)}},
        "allOf": [{"if": has_type(name), "then": ref(name)} for name in names],
    }


def has_type(name: str) -> Schema:
    """An object of that `type`, whatever else it holds."""
    return {"type": "object", "required": ["type"], "properties": {"type": {"const": name}}}


_COUNT = {"type": "integer", "minimum": 0, "maximum": MAX_SAFE_INTEGER}

_KEYWORD_VALUES: Schema = {
    "type": {"enum": list(TYPES)},
    "const": {"description": "The value itself; 1 and 1.0 are the same, 1 and true are not."},
    "enum": {"type": "array", "minItems": 1},
    "required": {"type": "array", "minItems": 1, "items": ref("filled")},
    "properties": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": ref("responseSchema"),
    },
    "additionalProperties": {"if": {"not": {"type": "boolean"}}, "then": ref("responseSchema")},
    "items": ref("responseSchema"),
    "minItems": _COUNT,
    "minLength": _COUNT | {"description": "Code points."},
    "maxLength": _COUNT | {"description": "Code points."},
    "stringContains": ref("filled")
    | {"description": "A part of the string, letter for letter; no keyword of JSON Schema."},
    "minimum": {"type": "number"},
    "maximum": {"type": "number"},
}

DEFINITIONS: Mapping[str, Schema] = {
    "filled": {"type": "string", "pattern": f"[^{SPACES}]"},
    "timeout": {"type": "integer", "minimum": 1, "maximum": MAX_TIMEOUT_MS},
    "approval": members(
        {
            "fingerprint": {
                "type": "string",
                "pattern": "^[0-9a-f]{64}$",
                "maxLength": 64,
                "description": "Written by `bundlegate suite approve`.",
            },
            "cases": {"type": "array", "items": ref("approvedCase")},
        },
        optional=("cases",),
    ),
    "approvedCase": members({"id": ref("filled"), "status": {"enum": list(APPROVED_STATUSES)}}),
    "toolExists": members({"type": {"const": "toolExists"}, "tool": ref("filled")}),
    "isError": members({"type": {"const": "isError"}, "expected": {"type": "boolean"}}),
    **{
        name: members({"type": {"const": name}, "schema": ref("responseSchema")})
        for name in ("bodyMatchesSchema", "structuredContentMatchesSchema")
    },
    "responseSchema": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": False,
        "properties": _KEYWORD_VALUES,
        "dependentSchemas": {
            keyword: {"required": ["type"], "properties": {"type": {"enum": list(types)}}}
            for keyword, types in NEEDS_TYPE.items()
        },
    },
}
"""What both versions of the format have in common, by name; `ref` refers to one."""


def document_schema() -> Schema:
    """The schema of version-1 suites."""
    suite = members(
        {
            "schemaVersion": {"const": 1},
            "id": ref("filled"),
            "name": ref("filled") | {"description": "The first line of a report."},
            "defaultTimeoutMs": ref("timeout")
            | {"description": "For cases without a timeoutMs; 10000 where it is absent too."},
            "approval": ref("approval"),
            "cases": {"type": "array", "minItems": 1, "items": ref("case")},
        },
        optional=("defaultTimeoutMs", "approval"),
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:bundlegate:suite:1",
        "title": "MCP suite, version 1",
        "description": "What concrete calls of an MCP server answer.",
        **suite,
        "$defs": {**DEFINITIONS, **_OPERATIONS, "case": _case()},
    }


_OPERATIONS: Mapping[str, Schema] = {
    "listTools": members({"type": {"const": "listTools"}}),
    "callTool": members(
        {
            "type": {"const": "callTool"},
            "tool": ref("filled"),
            "input": {"type": "object", "description": "The arguments; {} for none."},
        }
    ),
}


def _case() -> Schema:
    """A case: what its operation is decides which assertions it takes."""
    case = members(
        {
            "id": ref("filled"),
            "name": ref("filled"),
            "timeoutMs": ref("timeout"),
            "operation": chosen_by_type(list(ASSERTIONS_OF)),
            "assertions": {"type": "array", "minItems": 1},
        },
        optional=("timeoutMs",),
    )
    return case | {
        "allOf": [
            {
                "if": {"properties": {"operation": has_type(operation)}},
                "then": {"properties": {"assertions": {"items": chosen_by_type(assertions)}}},
            }
            for operation, assertions in ASSERTIONS_OF.items()
        ]
    }
