"""Validation of response schemas: the 13 keywords, and nothing silently ignored.

Order at each node: unsupported keywords (sorted), type, keywords that need a type (sorted), values;
then the children: properties, additionalProperties, items. Explicit stacks throughout.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bundles.key_order import key_order
from bundles.suite.issues import NOT_BLANK, IssueCode, Issues
from bundles.suite.javascript import (
    is_finite_number,
    is_number,
    is_safe_integer,
    sorted_names,
)
from bundles.suite.nearest import did_you_mean
from bundles.suite.paths import Path

TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")

NEEDS_TYPE: Mapping[str, tuple[str, ...]] = {
    "required": ("object",),
    "properties": ("object",),
    "additionalProperties": ("object",),
    "items": ("array",),
    "minItems": ("array",),
    "minLength": ("string",),
    "maxLength": ("string",),
    "stringContains": ("string",),
    "minimum": ("number", "integer"),
    "maximum": ("number", "integer"),
}
"""Keywords that mean nothing without a `type` beside them, and the types they go with."""

_NEEDS_TYPE_SORTED = tuple(sorted_names(NEEDS_TYPE))

KEYWORDS = ("type", "const", "enum", *NEEDS_TYPE)
_SUPPORTED = ", ".join(KEYWORDS)

_Frame = tuple[object, Path]


def validate_json(value: object, path: Path, issues: Issues) -> None:
    """Report every number that JSON cannot hold: 1e400 parses, but no JSON text says Infinity."""
    if _is_finite_throughout(value):
        return  # as good as always, and without a path to every value
    frames: list[_Frame] = [(value, path)]
    while frames:
        current, place = frames.pop()
        if isinstance(current, dict):
            keys = key_order(current)
            frames.extend((current[key], place.field(key)) for key in reversed(keys))
        elif isinstance(current, list):
            frames.extend(
                (current[index], place.item(index)) for index in reversed(range(len(current)))
            )
        elif is_number(current) and not is_finite_number(current):
            issues.add(IssueCode.INVALID_JSON_VALUE, place, "expects a finite number")


def _is_finite_throughout(value: object) -> bool:
    stack: list[object] = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, dict):
            stack.extend(current.values())
        elif isinstance(current, list):
            stack.extend(current)
        elif is_number(current) and not is_finite_number(current):
            return False
    return True


def validate_schema(schema: object, path: Path, issues: Issues) -> None:
    """Report every issue of a response schema."""
    frames: list[_Frame] = [(schema, path)]
    while frames:
        node, place = frames.pop()
        if not isinstance(node, dict):
            issues.wrong_type(place, "a schema object", node)
        elif not node:
            issues.add(
                IssueCode.INVALID_VALUE, place, "an empty schema would accept every response"
            )
        else:
            _keywords(node, place, issues)
            for keyword, validate in _VALUES:
                if keyword in node:
                    validate(node[keyword], place.field(keyword), issues)
            frames.extend(reversed(list(_children(node, place, issues))))


def _keywords(node: Mapping[str, Any], path: Path, issues: Issues) -> None:
    for name in sorted_names(key for key in node if key not in KEYWORDS):
        issues.add(
            IssueCode.UNSUPPORTED_SCHEMA_KEYWORD,
            path.field(name),
            f"not a supported keyword{did_you_mean(name, KEYWORDS)}; supported are {_SUPPORTED}",
        )
    declared = node.get("type")
    if "type" in node and declared not in TYPES:
        issues.wrong_choice(path.field("type"), TYPES, declared)
    for name in _NEEDS_TYPE_SORTED:
        if name in node and declared not in NEEDS_TYPE[name]:
            needed = " or ".join(NEEDS_TYPE[name])
            issues.add(
                IssueCode.SCHEMA_KEYWORD_REQUIRES_TYPE,
                path.field(name),
                f'needs "type": {needed} beside it, or it would check nothing',
            )


def _children(node: Mapping[str, Any], path: Path, issues: Issues) -> Iterable[_Frame]:
    if "properties" in node:
        place, properties = path.field("properties"), node["properties"]
        if not isinstance(properties, dict):
            issues.wrong_type(place, "an object of schemas", properties)
        elif not properties:
            issues.add(IssueCode.INVALID_VALUE, place, "an empty object would check nothing")
        else:
            yield from ((properties[key], place.field(key)) for key in key_order(properties))
    if not isinstance(node.get("additionalProperties", True), bool):
        yield node["additionalProperties"], path.field("additionalProperties")
    if "items" in node:
        yield node["items"], path.field("items")


def _enum(value: object, path: Path, issues: Issues) -> None:
    if not isinstance(value, list) or not value:
        issues.wrong_type(path, "an array that is not empty", value)
        return
    for index, candidate in enumerate(value):
        validate_json(candidate, path.item(index), issues)


def _required(value: object, path: Path, issues: Issues) -> None:
    if not isinstance(value, list):
        issues.wrong_type(path, "an array of field names", value)
    elif not value:
        issues.add(IssueCode.INVALID_VALUE, path, "an empty array would check nothing")
    else:
        for index, name in enumerate(value):
            issues.filled(path.item(index), "a field name that is not blank", name)


def _count(value: object, path: Path, issues: Issues) -> None:
    if not is_safe_integer(value) or value < 0:
        issues.wrong_value(path, "a whole number from 0 to 2^53-1", value)


def _bound(value: object, path: Path, issues: Issues) -> None:
    if not is_finite_number(value):
        issues.wrong_value(path, "a finite number", value)


def _contained(value: object, path: Path, issues: Issues) -> None:
    issues.filled(path, NOT_BLANK, value)


_VALUES: tuple[tuple[str, Callable[[object, Path, Issues], None]], ...] = (
    ("const", validate_json),
    ("enum", _enum),
    ("required", _required),
    ("minItems", _count),
    ("minLength", _count),
    ("maxLength", _count),
    ("minimum", _bound),
    ("maximum", _bound),
    ("stringContains", _contained),
)
