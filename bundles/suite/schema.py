"""The schema subset at work: what a value violates.

At each node type, const and enum are looked at in that order and the first that fails ends the
node; then lengths and stringContains, minimum and maximum, minItems, required (in the order
written), and the children: properties, additionalProperties, items. Siblings go on regardless.
Numbers are doubles, so 9007199254740993 is 9007199254740992; booleans are no numbers.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from bundles.key_order import key_order
from bundles.suite.javascript import as_double, is_finite_number, is_number, sorted_names
from bundles.suite.paths import Path

MAX_LISTED = 10


class ViolationCode(StrEnum):
    """How a value can break a schema."""

    TYPE_MISMATCH = "TYPE_MISMATCH"
    CONST_MISMATCH = "CONST_MISMATCH"
    ENUM_MISMATCH = "ENUM_MISMATCH"
    REQUIRED_MISSING = "REQUIRED_MISSING"
    ADDITIONAL_PROPERTY = "ADDITIONAL_PROPERTY"
    MIN_ITEMS = "MIN_ITEMS"
    MIN_LENGTH = "MIN_LENGTH"
    MAX_LENGTH = "MAX_LENGTH"
    STRING_CONTAINS = "STRING_CONTAINS"
    MINIMUM = "MINIMUM"
    MAXIMUM = "MAXIMUM"


@dataclass(frozen=True, slots=True)
class SchemaViolation:
    """One place where a value breaks its schema.

    Attributes:
        code: how.
        path: `$`, `$.a[0].b`; names as they are. For REQUIRED_MISSING the object that lacks it.
        expected: the keyword's value; the missing name for REQUIRED_MISSING.
        actual: the value there; its length for the length and count keywords; None where there
            is nothing to show.
        observed_keys: the names that are there, sorted, for REQUIRED_MISSING only.
    """

    code: ViolationCode
    path: str
    expected: Any
    actual: Any
    observed_keys: tuple[str, ...] | None = None


class Match(NamedTuple):
    """The first ten violations, and how many there are in all. No violation: it matches."""

    violations: list[SchemaViolation]
    total: int


_Frame = tuple[Mapping[str, Any] | None, Any, Path]
"""A schema, the value it is for, and where that is. No schema: the value may not be there."""


def match(schema: Mapping[str, Any], value: object) -> Match:
    """What a plain JSON value of any depth violates of a valid response schema."""
    listed: list[SchemaViolation] = []
    total = 0
    stack: list[_Frame] = [(schema, value, Path("$"))]
    while stack:
        node, item, path = stack.pop()
        broken = list(_violations(node, item))
        for code, expected, actual, *keys in broken:
            total += 1
            if len(listed) < MAX_LISTED:
                observed = tuple(keys[0]) if keys else None
                listed.append(SchemaViolation(code, str(path), expected, actual, observed))
        if node is not None and not (broken and broken[0][0] in _ENDS_NODE):
            stack.extend(reversed(list(_children(node, item, path))))
    return Match(listed, total)


_ENDS_NODE = frozenset(
    (ViolationCode.TYPE_MISMATCH, ViolationCode.CONST_MISMATCH, ViolationCode.ENUM_MISMATCH)
)


def _violations(node: Mapping[str, Any] | None, value: Any) -> Iterator[tuple[Any, ...]]:
    if node is None:
        yield ViolationCode.ADDITIONAL_PROPERTY, None, value
    elif "type" in node and not HAS_TYPE[node["type"]](value):
        yield ViolationCode.TYPE_MISMATCH, node["type"], value
    elif "const" in node and not equal(node["const"], value):
        yield ViolationCode.CONST_MISMATCH, node["const"], value
    elif "enum" in node and not any(equal(candidate, value) for candidate in node["enum"]):
        yield ViolationCode.ENUM_MISMATCH, node["enum"], value
    elif isinstance(value, str):
        yield from _of_string(node, value)
    elif is_number(value):
        yield from _of_number(node, value)
    elif isinstance(value, list):
        if len(value) < node.get("minItems", 0):
            yield ViolationCode.MIN_ITEMS, node["minItems"], len(value)
    elif isinstance(value, dict):
        missing = [name for name in node.get("required", ()) if name not in value]
        observed = sorted_names(value) if missing else []
        for name in missing:
            yield ViolationCode.REQUIRED_MISSING, name, None, observed


def _of_string(node: Mapping[str, Any], value: str) -> Iterator[tuple[Any, ...]]:
    """Lengths are code points, as in JSON Schema."""
    if len(value) < node.get("minLength", 0):
        yield ViolationCode.MIN_LENGTH, node["minLength"], len(value)
    if len(value) > node.get("maxLength", math.inf):
        yield ViolationCode.MAX_LENGTH, node["maxLength"], len(value)
    if node.get("stringContains", "") not in value:
        yield ViolationCode.STRING_CONTAINS, node["stringContains"], value


def _of_number(node: Mapping[str, Any], value: float) -> Iterator[tuple[Any, ...]]:
    if "minimum" in node and as_double(value) < as_double(node["minimum"]):
        yield ViolationCode.MINIMUM, node["minimum"], value
    if "maximum" in node and as_double(value) > as_double(node["maximum"]):
        yield ViolationCode.MAXIMUM, node["maximum"], value


def _children(node: Mapping[str, Any], value: Any, path: Path) -> Iterator[_Frame]:
    if isinstance(value, dict):
        declared = node.get("properties", {})
        for name in key_order(declared):
            if name in value:
                yield declared[name], value[name], path.field(name)
        rest = node.get("additionalProperties", True)
        if rest is not True:
            for name in sorted_names(key for key in value if key not in declared):
                yield (None if rest is False else rest), value[name], path.field(name)
    elif isinstance(value, list) and "items" in node:
        for index, item in enumerate(value):
            yield node["items"], item, path.item(index)


def equal(left: object, right: object) -> bool:
    """Deep equality of plain JSON: object order ignored, array order kept, 1 == 1.0, 1 ≠ true."""
    pairs: list[tuple[Any, Any]] = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pairs.extend((member, other[name]) for name, member in one.items())
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pairs.extend(zip(one, other, strict=True))
        elif is_number(one) and is_number(other):
            if as_double(one) != as_double(other):
                return False
        elif type(one) is not type(other) or one != other:
            return False
    return True


HAS_TYPE: Mapping[str, Callable[[object], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "number": is_finite_number,
    "integer": lambda value: is_finite_number(value) and as_double(value).is_integer(),
}
"""The JSON types by name, and whether a value is of one; 1.0 is an integer, Infinity nothing."""
