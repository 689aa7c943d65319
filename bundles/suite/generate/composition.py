"""References and alternatives, followed one step: a schema as the list of schemas it may stand for.

A branch is the schema's own keywords and the branch's together, both of which hold. Where two say
different things that cannot be joined, the branch is left out.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from bundles.suite.generate.refusals import Unsupported, unsupported
from bundles.suite.generate.scope import Schema, Scope
from bundles.suite.javascript import is_number
from bundles.suite.pointer import lookup
from bundles.suite.schema import equal

ALTERNATIVES = ("anyOf", "oneOf")
_GREATEST = ("minimum", "exclusiveMinimum", "minItems", "minLength")
_LEAST = ("maximum", "exclusiveMaximum", "maxItems", "maxLength")
_OUTER = ("title", "description", "$schema", "$defs", "definitions", "default", "examples")
_INNER = ("$ref", "anyOf", "oneOf")


class Branch(NamedTuple):
    """What a schema may stand for; `target` names the definition a reference led to."""

    schema: Schema
    path: str
    target: str | None = None


def composed(schema: Schema) -> str | None:
    """The keyword that has to be followed before the rest is read, if there is one."""
    for keyword in ("$ref", *ALTERNATIVES):
        if keyword in schema:
            return keyword
    return "type" if isinstance(schema.get("type"), list) else None


def branches_of(schema: Schema, path: str, scope: Scope) -> list[Branch]:
    """What a schema that is `composed` may stand for, in the order written; at least one.

    Raises:
        Unsupported: a reference leads nowhere or out of the schema, or no branch can be joined.
    """
    keyword = composed(schema)
    own = {name: value for name, value in schema.items() if name != keyword}
    if keyword == "$ref":
        pointer = schema["$ref"]
        target = _resolved(pointer, path, scope)
        return [Branch(_joined(own, target, f"{path}.$ref"), path, pointer)]
    listed = schema[str(keyword)]
    if not isinstance(listed, list) or not listed:
        unsupported(f"{path}.{keyword}", f"{keyword} is a list of alternatives")
    found: list[Branch] = []
    first: Unsupported | None = None
    for index, branch in enumerate(listed):
        at = f"{path}.{keyword}[{index}]"
        try:
            found.append(Branch(_joined(own, _as_schema(branch, keyword, at), at), at))
        except Unsupported as refusal:
            first = first or refusal
    if first is not None and not found:
        raise first
    return found


def _as_schema(branch: object, keyword: str | None, path: str) -> Schema:
    if keyword == "type" and isinstance(branch, str):
        return {"type": branch}
    if keyword == "type" or not isinstance(branch, dict):
        unsupported(path, "an alternative is a schema object, or the name of a type")
    return branch


def _resolved(pointer: object, path: str, scope: Scope) -> Schema:
    at = f"{path}.$ref"
    if not isinstance(pointer, str) or not (pointer == "#" or pointer.startswith("#/")):
        unsupported(at, f"only references into the same schema are followed, not {pointer!r:.100}")
    found = lookup(scope.root, unquote(pointer[1:]))
    if not isinstance(found, dict):
        unsupported(at, f"the reference {pointer!r:.100} leads to no schema object")
    return found


def _joined(outer: Schema, inner: Schema, path: str) -> Schema:
    """Both schemas at once."""
    joined = dict(outer)
    for name, value in inner.items():
        joined[name] = _member(name, outer[name], value, path) if name in outer else value
    return joined


def _member(name: str, outer: Any, inner: Any, path: str) -> Any:
    if name in _OUTER:
        return outer
    if name in _INNER:
        return inner
    if equal(outer, inner):
        return outer
    if name in _GREATEST and is_number(outer) and is_number(inner):
        return max(outer, inner)
    if name in _LEAST and is_number(outer) and is_number(inner):
        return min(outer, inner)
    if isinstance(outer, list) and isinstance(inner, list):
        if name == "required":
            return [*outer, *(item for item in inner if item not in outer)]
        kept = [item for item in outer if any(equal(item, other) for other in inner)]
        if name == "enum" and kept:
            return kept
    if name == "properties" and isinstance(outer, Mapping) and isinstance(inner, Mapping):
        shared = [key for key in inner if key in outer and not equal(outer[key], inner[key])]
        if not shared:
            return {**outer, **inner}
        name = f"properties.{shared[0]}"
    return unsupported(f"{path}.{name}", f"{name} is said twice, and differently")
