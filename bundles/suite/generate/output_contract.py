"""An outputSchema as a response schema of the suite format, where the meaning stays the same."""

from collections.abc import Mapping
from typing import Any

from bundles.suite.generate.refusals import unsupported
from bundles.suite.generate.scope import DEEPEST
from bundles.suite.issues import Issues
from bundles.suite.javascript import sorted_names
from bundles.suite.paths import Path
from bundles.suite.validate_schema import validate_schema

_ANNOTATIONS = frozenset(
    [
        "$schema",
        "$id",
        "$defs",
        "definitions",
        "title",
        "description",
        "default",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "$comment",
    ]
)
_KEPT = frozenset(
    [
        "type",
        "const",
        "enum",
        "required",
        "properties",
        "additionalProperties",
        "items",
        "minItems",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
    ]
)

Json = dict[str, Any]


def response_schema(schema: object, path: str) -> Json:
    """The response schema that says what an outputSchema says.

    Raises:
        Unsupported: some of it cannot be said, with the place.
    """
    found = _node(schema, path, 0)
    if not found:
        unsupported(path, "the schema says nothing about the answer")
    issues = Issues()
    validate_schema(found, Path(path), issues)
    for issue in issues.found:
        unsupported(issue.path, issue.message)
    return found


def _node(schema: object, path: str, depth: int) -> Json:
    """One schema; empty where it admits everything."""
    if schema is True:
        return {}
    if not isinstance(schema, dict):
        unsupported(path, "a schema is a JSON object")
    if depth > DEEPEST:
        unsupported(path, f"the schema is nested deeper than {DEEPEST} levels")
    for name in sorted_names(schema):
        if name not in _KEPT and name not in _ANNOTATIONS:
            unsupported(f"{path}.{name}", f"a suite cannot say {name!r:.100}")
    found = {name: value for name, value in schema.items() if name in _KEPT}
    if not found.get("required", True):
        del found["required"]  # an empty list asks for nothing, and the format refuses it
    if "additionalProperties" in found:
        extra = found["additionalProperties"]
        at = f"{path}.additionalProperties"
        found["additionalProperties"] = (
            extra if isinstance(extra, bool) else _node(extra, at, depth + 1) or True
        )
    if "items" in found:
        found["items"] = _node(found["items"], f"{path}.items", depth + 1)
        if not found["items"]:
            del found["items"]
    if "properties" in found:
        found["properties"] = _properties(found, path, depth)
        if not found["properties"]:
            del found["properties"]
    return found


def _properties(found: Mapping[str, Any], path: str, depth: int) -> Json:
    declared = found["properties"]
    if not isinstance(declared, dict):
        unsupported(f"{path}.properties", "properties is an object of schemas")
    converted = {}
    for name in sorted_names(declared):
        at = f"{path}.properties.{name}"
        child = _node(declared[name], at, depth + 1)
        if child:
            converted[name] = child
        elif found.get("additionalProperties", True) is not True:
            unsupported(at, "a suite cannot say that a member may be anything")
    return converted
