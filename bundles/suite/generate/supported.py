"""Whether arguments can be made from a schema: every keyword known, every constraint sound.

The first thing wrong is raised, in this order at each node: unknown keywords (sorted), references
and alternatives, type, annotations, constraints, candidates, members of objects, elements.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.suite.generate.composition import branches_of, composed
from bundles.suite.generate.constraints import check_constraints
from bundles.suite.generate.refusals import TooLarge, Unsupported, unsupported
from bundles.suite.generate.scope import DEEPEST, Scope
from bundles.suite.javascript import is_finite_number, is_number, sorted_names
from bundles.suite.validate_schema import TYPES

_ANNOTATIONS = ("description", "title", "$schema")
_KEYWORDS = frozenset(
    [
        "type",
        "required",
        "properties",
        "items",
        "enum",
        "const",
        "default",
        "examples",
        "description",
        "title",
        "$schema",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "format",
    ]
)
_NEWER = _KEYWORDS | frozenset(
    [
        "additionalProperties",
        "pattern",
        "$ref",
        "$defs",
        "definitions",
        "anyOf",
        "oneOf",
        "$comment",
        "deprecated",
        "readOnly",
        "writeOnly",
        # not aimed at: what is made is compared with the whole schema, and mostly obeys them anyhow
        "multipleOf",
        "uniqueItems",
        "minProperties",
        "maxProperties",
    ]
)
_EXTENSION = "x-"

_Active = frozenset[str]


def check_schema(
    schema: object, path: str, scope: Scope, active: _Active = frozenset(), depth: int = 0
) -> None:
    """Whether a value can be made from a schema.

    Raises:
        Unsupported: not by this generator, with the place.
        GenerationRefused: INVALID_SCHEMA_CONSTRAINT, not by anybody.
    """
    scope.enter(path, depth)
    if not isinstance(schema, dict):
        unsupported(path, "a schema is a JSON object")
    _check_keywords(schema, path, scope)
    if scope.newer and composed(schema):
        _check_branches(schema, path, scope, active, depth)
        return
    if schema.get("type") not in TYPES or isinstance(schema["type"], list):
        unsupported(f"{path}.type", "one type of JSON Schema is needed")
    for name in _ANNOTATIONS:
        if name in schema and not isinstance(schema[name], str):
            unsupported(f"{path}.{name}", f"{name} is a string")
    check_constraints(schema, path)
    _check_candidates(schema, path)
    for child, at in _members(schema, path):
        check_schema(child, at, scope, active, depth + 1)
    _check_required(schema, path)
    if schema["type"] == "array":
        if "items" not in schema:
            unsupported(f"{path}.items", "an array needs a schema for its elements")
        check_schema(schema["items"], f"{path}.items", scope, active, depth + 1)
    elif "items" in schema:
        unsupported(f"{path}.items", "items is for arrays only")


def _check_keywords(schema: Mapping[str, Any], path: str, scope: Scope) -> None:
    known = _NEWER if scope.newer else _KEYWORDS
    for name in sorted_names(name for name in schema if name not in known):
        if not (scope.newer and name.startswith(_EXTENSION)):
            unsupported(f"{path}.{name}", f"the keyword {name!r:.100} is not supported")


def _check_branches(
    schema: Mapping[str, Any], path: str, scope: Scope, active: _Active, depth: int
) -> None:
    """One branch that can be followed is enough; a definition being checked already is one."""
    first: Unsupported | None = None
    for branch in branches_of(schema, path, scope):
        if branch.target in active:
            return
        below = active | {branch.target} if branch.target is not None else active
        try:
            check_schema(branch.schema, branch.path, scope, below, depth + 1)
        except TooLarge:
            raise
        except Unsupported as refusal:
            first = first or refusal
        else:
            return
    if first is not None:
        raise first


def _check_candidates(schema: Mapping[str, Any], path: str) -> None:
    for name in ("const", "default", "examples", "enum"):
        if name not in schema:
            continue
        listed = name in ("examples", "enum")
        if listed and not isinstance(schema[name], list):
            unsupported(f"{path}.{name}", f"{name} is a list of values")
        if name == "enum" and not schema[name]:
            unsupported(f"{path}.enum", "an empty enum leaves nothing to choose")
        _check_json(schema[name], f"{path}.{name}")


def _check_json(value: object, path: str) -> None:
    """Whether a value can be sent: 1e400 is no number, and nothing is bottomless."""
    stack: list[tuple[object, str, int]] = [(value, path, 0)]
    while stack:
        item, at, depth = stack.pop()
        if is_number(item) and not is_finite_number(item):
            unsupported(at, "the value has a number that JSON cannot hold")
        if depth > DEEPEST:
            unsupported(path, f"the value is nested deeper than {DEEPEST} levels")
        children = list(_inside(item, at))
        stack.extend((child, below, depth + 1) for child, below in reversed(children))


def _inside(value: object, path: str) -> Iterator[tuple[object, str]]:
    if isinstance(value, dict):
        for name in sorted_names(value):
            yield value[name], f"{path}.{name}"
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield item, f"{path}[{index}]"


def _members(schema: Mapping[str, Any], path: str) -> Iterator[tuple[object, str]]:
    """The schemas of an object's members; `required`, `items` and their like where they belong."""
    extra = schema.get("additionalProperties", True)
    if not isinstance(extra, bool | dict):
        unsupported(f"{path}.additionalProperties", "additionalProperties is a boolean or schema")
    if schema["type"] != "object":
        for name in ("properties", "required"):
            if name in schema:
                unsupported(f"{path}.{name}", f"{name} is for objects only")
        return
    if "items" in schema:
        unsupported(f"{path}.items", "items is for arrays only")
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        unsupported(f"{path}.properties", "properties is an object of schemas")
    for name in sorted_names(properties):
        yield properties[name], f"{path}.properties.{name}"


def _check_required(schema: Mapping[str, Any], path: str) -> None:
    """Each name once, and declared: a value for an undeclared one would be a guess."""
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        unsupported(f"{path}.required", "required is a list of names")
    declared, seen = schema.get("properties", {}), set[str]()
    for index, name in enumerate(required):
        if name in seen or name not in declared:
            unsupported(
                f"{path}.required[{index}]", f"{name!r:.100} is repeated, or not in properties"
            )
        seen.add(name)
