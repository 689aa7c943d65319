"""An outputSchema as a response schema of the suite format, where the meaning stays the same."""

from collections.abc import Mapping
from typing import Any

from bundles.suite.generate.composition import branches_of
from bundles.suite.generate.refusals import unsupported
from bundles.suite.generate.scope import Policy, Scope
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
    """The response schema that says what an outputSchema says, local references written out.

    Raises:
        Unsupported: some of it cannot be said, with the place.
    """
    root = schema if isinstance(schema, dict) else {}
    found = _Conversion(Scope(root, Policy.V3)).node(schema, path, (), 0)
    if not found:
        unsupported(path, "the schema says nothing about the answer")
    issues = Issues()
    validate_schema(found, Path(path), issues)
    for issue in issues.found:
        unsupported(issue.path, issue.message)
    return found


class _Conversion:
    """One outputSchema on its way; `targets` are the references that led to a node."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def node(self, schema: object, path: str, targets: tuple[object, ...], depth: int) -> Json:
        """One schema; empty where it admits everything."""
        self._scope.enter(path, depth)
        if schema is True:
            return {}
        if not isinstance(schema, dict):
            unsupported(path, "a schema is a JSON object")
        if "$ref" in schema:
            return self._referred(schema, path, targets, depth)
        for name in sorted_names(schema):
            if name not in _KEPT and name not in _ANNOTATIONS:
                unsupported(f"{path}.{name}", f"a suite cannot say {name!r:.100}")
        found = {name: schema[name] for name in sorted_names(schema) if name in _KEPT}
        if not found.get("required", True):
            del found["required"]  # an empty list asks for nothing, and the format refuses it
        for name in ("additionalProperties", "items"):
            if name in found and not isinstance(found[name], bool):
                at = f"{path}.{name}"
                found[name] = self.node(found[name], at, targets, depth + 1) or True
        if found.get("items") is True:
            del found["items"]
        if "properties" in found:
            found["properties"] = self._properties(found, path, targets, depth)
            if not found["properties"]:
                del found["properties"]
        return found

    def _referred(self, schema: Json, path: str, targets: tuple[object, ...], depth: int) -> Json:
        if schema["$ref"] in targets:
            unsupported(f"{path}.$ref", "the schema holds itself")
        [branch] = branches_of(schema, path, self._scope)
        return self.node(branch.schema, path, (*targets, branch.target), depth + 1)

    def _properties(
        self, found: Mapping[str, Any], path: str, targets: tuple[object, ...], depth: int
    ) -> Json:
        declared = found["properties"]
        if not isinstance(declared, dict):
            unsupported(f"{path}.properties", "properties is an object of schemas")
        converted = {}
        for name in sorted_names(declared):
            at = f"{path}.properties.{name}"
            child = self.node(declared[name], at, targets, depth + 1)
            if child:
                converted[name] = child
            elif found.get("additionalProperties", True) is not True:
                unsupported(at, "a suite cannot say that a member may be anything")
        return converted
