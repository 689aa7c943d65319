"""Version 1 of the suite format as a JSON Schema (2020-12), for editors.

Whatever the validator accepts, the schema accepts; it refuses all that the validator refuses but
two things a schema cannot say: an id used twice, and a number beyond the range of a double. The
tests hold both against each other.
"""

from typing import Any

from bundles.suite.javascript import MAX_SAFE_INTEGER, SPACES
from bundles.suite.validate import APPROVED_STATUSES, ASSERTIONS_OF, MAX_TIMEOUT_MS
from bundles.suite.validate_schema import NEEDS_TYPE, TYPES

_Schema = dict[str, Any]


def _ref(name: str) -> _Schema:
    return {"$ref": f"#/$defs/{name}"}


_COUNT = {"type": "integer", "minimum": 0, "maximum": MAX_SAFE_INTEGER}

_KEYWORD_VALUES: dict[str, _Schema] = {
    "type": {"enum": list(TYPES)},
    "const": {"description": "The value itself; 1 and 1.0 are the same, 1 and true are not."},
    "enum": {"type": "array", "minItems": 1},
    "required": {"type": "array", "minItems": 1, "items": _ref("name")},
    "properties": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": _ref("responseSchema"),
    },
    "additionalProperties": {
        "if": {"not": {"type": "boolean"}},
        "then": _ref("responseSchema"),
    },
    "items": _ref("responseSchema"),
    "minItems": _COUNT,
    "minLength": _COUNT | {"description": "Code points."},
    "maxLength": _COUNT | {"description": "Code points."},
    "stringContains": _ref("name")
    | {"description": "A part of the string, letter for letter; no keyword of JSON Schema."},
    "minimum": {"type": "number"},
    "maximum": {"type": "number"},
}


def version_1() -> _Schema:
    """The schema of version-1 suites."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:bundlegate:suite:1",
        "title": "MCP suite, version 1",
        "description": "What concrete calls of an MCP server answer.",
    } | _object(
        {
            "schemaVersion": {"const": 1},
            "id": _ref("name"),
            "name": _ref("name") | {"description": "The first line of a report."},
            "defaultTimeoutMs": _ref("timeout")
            | {"description": "For cases without a timeoutMs; 10000 where it is absent too."},
            "approval": _ref("approval"),
            "cases": {"type": "array", "minItems": 1, "items": _ref("case")},
        },
        optional=("defaultTimeoutMs", "approval"),
        defs=_definitions(),
    )


def _definitions() -> _Schema:
    return {
        "name": {"type": "string", "pattern": f"[^{SPACES}]"},
        "timeout": {"type": "integer", "minimum": 1, "maximum": MAX_TIMEOUT_MS},
        "approval": _object(
            {
                "fingerprint": {
                    "type": "string",
                    "pattern": "^[0-9a-f]{64}$",
                    "maxLength": 64,
                    "description": "Written by `bundlegate suite approve`.",
                },
                "cases": {"type": "array", "items": _ref("approvedCase")},
            },
            optional=("cases",),
        ),
        "approvedCase": _object({"id": _ref("name"), "status": {"enum": list(APPROVED_STATUSES)}}),
        "case": _case(),
        "listTools": _object({"type": {"const": "listTools"}}),
        "callTool": _object(
            {
                "type": {"const": "callTool"},
                "tool": _ref("name"),
                "input": {"type": "object", "description": "The arguments; {} for none."},
            }
        ),
        "toolExists": _object({"type": {"const": "toolExists"}, "tool": _ref("name")}),
        "isError": _object({"type": {"const": "isError"}, "expected": {"type": "boolean"}}),
        "bodyMatchesSchema": _matches("bodyMatchesSchema"),
        "structuredContentMatchesSchema": _matches("structuredContentMatchesSchema"),
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


def _case() -> _Schema:
    """A case: what its operation is decides which assertions it takes."""
    return _object(
        {
            "id": _ref("name"),
            "name": _ref("name"),
            "timeoutMs": _ref("timeout"),
            "operation": _one_of_type(tuple(ASSERTIONS_OF)),
            "assertions": {"type": "array", "minItems": 1},
        },
        optional=("timeoutMs",),
    ) | {
        "allOf": [
            {
                "if": {"properties": {"operation": _has_type(operation)}},
                "then": {"properties": {"assertions": {"items": _one_of_type(assertions)}}},
            }
            for operation, assertions in ASSERTIONS_OF.items()
        ]
    }


def _one_of_type(names: tuple[str, ...]) -> _Schema:
    """An object whose `type` names its definition; better told apart than by oneOf."""
    return {
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"enum": list(names)}},
        "allOf": [{"if": _has_type(name), "then": _ref(name)} for name in names],
    }


def _has_type(name: str) -> _Schema:
    return {"type": "object", "required": ["type"], "properties": {"type": {"const": name}}}


def _matches(name: str) -> _Schema:
    return _object({"type": {"const": name}, "schema": _ref("responseSchema")})


def _object(
    properties: _Schema, *, optional: tuple[str, ...] = (), defs: _Schema | None = None
) -> _Schema:
    schema: _Schema = {
        "type": "object",
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
        "properties": properties,
    }
    return schema | ({"$defs": defs} if defs else {})
