"""Version 2 of the suite format as a JSON Schema (2020-12), for editors.

Whatever the validator accepts, the schema accepts. It cannot say which variables a place may use,
that an id or a variable is taken, that a limit is below the timeout, or that a JSON Schema in a
suite is one; all else it refuses that the validator refuses. The tests hold the two against each
other.
"""

from bundles.suite.assertions.kind import Kind
from bundles.suite.assertions.place import HAS_BODY, POINTER, SOURCE
from bundles.suite.assertions.protocol_error import PROTOCOL_ERROR
from bundles.suite.assertions.registry import KINDS, assertions_of
from bundles.suite.document_schema import (
    DEFINITIONS,
    Schema,
    chosen_by_type,
    has_type,
    members,
    ref,
)
from bundles.suite.model import MAX_CONCURRENCY, METHODS
from bundles.suite.v2.validate_case import ASKS_BACK, MAX_ATTEMPTS, ONLY_IN_CASES
from bundles.suite.v2.validate_operation import FIELDS
from bundles.suite.v2.variables import NAME, VARIABLE
from bundles.suite.validate import FORMAT

_FROM_VERSION_1 = ("filled", "timeout", "approval", "approvedCase", "responseSchema")


def document_schema() -> Schema:
    """The schema of version-2 suites."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:bundlegate:suite:2",
        "title": "MCP suite, version 2",
        "description": "What an MCP server answers, from setup to teardown.",
        **members(
            {
                "schemaVersion": {"const": 2},
                "format": {"const": FORMAT},
                "id": ref("filled"),
                "name": ref("filled") | {"description": "The first line of a report."},
                "description": ref("filled"),
                "defaultTimeoutMs": ref("timeout")
                | {"description": "For cases without a timeoutMs; 10000 where it is absent too."},
                "concurrency": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_CONCURRENCY,
                    "description": "Independent cases that run at once.",
                },
                "approval": ref("approval"),
                "setup": _cases("step") | {"description": "Run first; the cases need all of them."},
                "cases": _cases("case"),
                "teardown": _cases("step")
                | {"description": "Run last, whatever became of the rest."},
            },
            optional=(
                "description",
                "defaultTimeoutMs",
                "concurrency",
                "approval",
                "setup",
                "teardown",
            ),
        ),
        "$defs": _definitions(),
    }


def _cases(name: str) -> Schema:
    return {"type": "array", "minItems": 1, "items": ref(name)}


def _definitions() -> Schema:
    return (
        {name: DEFINITIONS[name] for name in _FROM_VERSION_1}
        | {
            "names": {
                "type": "array",
                "minItems": 1,
                "uniqueItems": True,
                "items": ref("filled"),
            },
            "pointer": {
                "type": "string",
                "pattern": "^(/([^~/]|~[01])*)*$",
                "description": 'RFC 6901: "" or steps that begin with "/".',
            },
            "retries": members(
                {
                    "attempts": {"type": "integer", "minimum": 2, "maximum": MAX_ATTEMPTS},
                    "reason": ref("filled") | {"description": "Why it may fail at first."},
                }
            ),
            "capture": members(
                {
                    "name": {"type": "string", "pattern": f"^(?:{NAME.pattern})$"},
                    "in": dict(SOURCE),
                    "pointer": dict(POINTER),
                },
                optional=("in",),
            ),
            "case": _case(),
            "step": _case(without=ONLY_IN_CASES),
        }
        | {name: _operation(name) for name in METHODS}
        | {name: _assertion(kind) for name, kind in KINDS.items()}
    )


def _operation(name: str) -> Schema:
    every: Schema = {
        "tool": ref("filled"),
        "input": {"type": "object", "description": "The arguments; {} for none."},
        "prompt": ref("filled"),
        "arguments": {"if": {"required": [VARIABLE], "maxProperties": 1}, "else": _STRINGS}
        | {"type": "object"},
        "uri": ref("filled"),
    }
    properties = {member: every[member] for member in FIELDS[name] if member != "type"}
    return members({"type": {"const": name}, **properties}, optional=("arguments",))


_STRINGS: Schema = {
    "additionalProperties": {
        "if": {"type": "object"},
        "then": {"minProperties": 1, "maxProperties": 1},
        "else": {"type": "string"},
    }
}


def _assertion(kind: Kind) -> Schema:
    properties = {name: dict(schema) for name, schema in kind.members.items()}
    optional = tuple(name for name in properties if name not in kind.required)
    schema = members({"type": {"const": kind.type}, **properties}, optional=optional)
    if kind.one_of:
        schema["oneOf"] = [{"required": [name]} for name in kind.one_of]
    return schema


def _case(without: tuple[str, ...] = ()) -> Schema:
    """A case: its operation decides on assertions, answers, and whether there is a body."""
    fields: Schema = {
        "id": ref("filled"),
        "name": ref("filled"),
        "tags": ref("names"),
        "profiles": ref("names") | {"description": "Those it is for; every one if absent."},
        "independent": {"type": "boolean", "description": "May run beside any other case."},
        "timeoutMs": ref("timeout"),
        "retries": ref("retries"),
        "operation": chosen_by_type(tuple(METHODS)),
        "answers": {
            "type": "array",
            "minItems": 1,
            "items": {"type": "object", "additionalProperties": {"type": "object"}},
            "description": "Responses of each round, by request key or method.",
        },
        "assertions": {"type": "array", "minItems": 1},
        "capture": {"type": "array", "minItems": 1, "items": ref("capture")},
    }
    for name in without:
        del fields[name]
    required = ("id", "name", "operation", "assertions")
    optional = tuple(name for name in fields if name not in required)
    rules = [_rule(operation) for operation in METHODS]
    return members(fields, optional=optional) | {"allOf": [*rules, _EXPECTS_ERROR]}


def _rule(operation: str) -> Schema:
    allowed: Schema = {"assertions": {"items": chosen_by_type(assertions_of(operation))}}
    if operation not in HAS_BODY:
        allowed["assertions"] = {
            "items": {"allOf": [chosen_by_type(assertions_of(operation)), _NO_BODY]}
        }
        allowed["capture"] = {"items": _NO_BODY}
    if operation not in ASKS_BACK:
        allowed["answers"] = False
    return {
        "if": {"properties": {"operation": has_type(operation)}},
        "then": {"properties": allowed},
    }


_NO_BODY: Schema = {"properties": {"in": {"not": {"const": "body"}}}}

_EXPECTS_ERROR: Schema = {
    "if": {"properties": {"assertions": {"contains": has_type(PROTOCOL_ERROR.type)}}},
    "then": {
        "properties": {
            "capture": False,
            "assertions": {
                "items": chosen_by_type(
                    tuple(name for name, kind in KINDS.items() if kind.without_result)
                )
            },
        }
    },
}
