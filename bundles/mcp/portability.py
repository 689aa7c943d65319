"""Portability of tool schemas: spellings that are valid JSON Schema and that some clients refuse.

The four rules are those the MCP Inspector lints by (`--strict`), with its severities: a bare
boolean where a schema object is expected is an error, the others are warnings. This is no check of
validity: `bundles.mcp.schema` says whether a schema is one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any

from bundles.mcp.problem import pointer_of
from bundles.mcp.schema import MOST, cut

_DEEPEST = 64
"""Nodes further down are not looked at."""


class PortabilityRule(StrEnum):
    """The rules, by the Inspector's names."""

    BOOLEAN_SCHEMA = "boolean-schema"
    TYPE_UNION = "type-union"
    REMOTE_REF = "remote-ref"
    UNTYPED_SCHEMA = "untyped-schema"

    @property
    def is_error(self) -> bool:
        """True for the rule whose violations clients refuse, not merely handle unevenly."""
        return self is PortabilityRule.BOOLEAN_SCHEMA


@dataclass(frozen=True, slots=True)
class Unportable:
    """One spelling: the rule, a JSON pointer into the schema, what is wrong, what to write."""

    rule: PortabilityRule
    pointer: str
    message: str
    instead: str
    seen: Any = None


_BOOLEANS_ARE_COMMON = frozenset(
    {"additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems"}
)
_ONE = (
    *("items", "contains", "not", "propertyNames", "if", "then", "else", "contentSchema"),
    *sorted(_BOOLEANS_ARE_COMMON),
)
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_MAPS = (
    *("properties", "patternProperties", "dependentSchemas", "dependencies"),
    *("$defs", "definitions"),
)
_CONSTRAINING = frozenset(
    {
        *("type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum"),
        *("exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems"),
        *("uniqueItems", "maxContains", "minContains", "maxProperties", "minProperties"),
        *("required", "dependentRequired", "format", "contentEncoding", "contentMediaType"),
        *("contentSchema", "items", "prefixItems", "contains", "additionalItems"),
        *("unevaluatedItems", "properties", "patternProperties", "additionalProperties"),
        *("propertyNames", "unevaluatedProperties", "dependentSchemas", "dependencies"),
        *("allOf", "anyOf", "oneOf", "not", "$ref", "$dynamicRef", "$recursiveRef"),
    }
)


def unportable(schema: object) -> tuple[Unportable, ...]:
    """What some clients refuse or mishandle in a schema, in document order, at most `MOST`.

    Bounded: nodes deeper than 64 levels are not looked at, and no reference is followed.
    """
    return tuple(islice(_walk(schema, [], ""), MOST))


@dataclass(frozen=True, slots=True)
class Extent:
    """How large a schema is: its subschemas, and how many of them lie inside one another."""

    subschemas: int
    levels: int


def extent_of(schema: object, most: int) -> Extent:
    """The extent of a schema, itself included; counting stops after `most` subschemas."""
    waiting: list[tuple[object, int]] = [(schema, 1)]
    count = levels = 0
    while waiting and count < most:
        node, level = waiting.pop()
        count, levels = count + 1, max(levels, level)
        if isinstance(node, Mapping):
            waiting.extend((child, level + 1) for _, child, _ in _children(node))
    return Extent(count, levels)


def _walk(node: object, path: list[str | int], keyword: str) -> Iterator[Unportable]:
    if len(path) > 2 * _DEEPEST:  # a level is a keyword and, mostly, a name or an index
        return
    if isinstance(node, bool):
        if keyword not in _BOOLEANS_ARE_COMMON:
            yield _boolean(path, allowed=node)
        return
    if not isinstance(node, Mapping):
        return
    yield from _of_node(node, path, keyword)
    for name, child, key in _children(node):
        yield from _walk(child, [*path, *name], key)


def _children(
    node: Mapping[str, Any],
) -> Iterator[tuple[tuple[str | int, ...], object, str]]:
    """The subschemas of a node: where they are below it, what they are, the keyword they are of."""
    for key in _MAPS:
        members = node.get(key)
        if isinstance(members, Mapping):
            for name, child in members.items():
                # a dependency may be a list of names, which is no schema
                if not isinstance(child, list):
                    yield (key, str(name)), child, key
    for key in _LISTS:
        members = node.get(key)
        if isinstance(members, list):
            for at, child in enumerate(members):
                yield (key, at), child, key
    for key in _ONE:
        if key in node and not isinstance(node[key], list):
            yield (key,), node[key], key


def _of_node(node: Mapping[str, Any], path: list[str | int], keyword: str) -> Iterator[Unportable]:
    pointer = pointer_of(path)
    kinds = node.get("type")
    if isinstance(kinds, list) and kinds:
        yield Unportable(
            PortabilityRule.TYPE_UNION,
            f"{pointer}/type",
            "type is an array, which several clients do not read",
            "write anyOf with one type a branch",
            cut(kinds),
        )
    reference = node.get("$ref")
    if isinstance(reference, str) and reference and not reference.startswith("#"):
        yield Unportable(
            PortabilityRule.REMOTE_REF,
            f"{pointer}/$ref",
            "$ref points outside the document, and clients fetch no schemas",
            "put the schema under $defs and refer to it there",
            cut(reference),
        )
    constrains = bool(_CONSTRAINING & node.keys()) or (
        "if" in node and bool({"then", "else"} & node.keys())
    )
    if not constrains and keyword != "not":
        yield Unportable(
            PortabilityRule.UNTYPED_SCHEMA,
            pointer,
            "the schema constrains nothing, which some clients refuse",
            "name the type the value really has",
            cut(dict(node)),
        )


def _boolean(path: list[str | int], *, allowed: bool) -> Unportable:
    return Unportable(
        PortabilityRule.BOOLEAN_SCHEMA,
        pointer_of(path),
        f"a bare {str(allowed).lower()} stands where a schema object is expected",
        "name the type the value really has" if allowed else 'write {"not": {}}',
        allowed,
    )
