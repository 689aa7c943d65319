"""What can be read for certain in a tool's inputSchema, which may say anything at all.

Only the top level is read: names, types, enumerations, ranges, what is required. A keyword that can
turn the meaning of the rest around (`anyOf`, `$ref`, …) ends the reading of its place: a wrong
accusation costs more than a missed one, and whatever was not read is said to the reader.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bundles.suite.javascript import (
    as_double,
    is_finite_number,
    is_number,
    is_safe_integer,
    sorted_names,
    type_name,
)
from bundles.suite.schema import equal
from bundles.suite.validate_schema import TYPES

DUPLICATE_TOOL = "duplicateTool"
"""Why nothing is read of a tool that a list declares twice: which declaration counts is unknown."""

_BLOCKING = (
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    "$dynamicRef",
    "patternProperties",
    "dependentSchemas",
    "dependentRequired",
    "propertyNames",
    "unevaluatedProperties",
)
_NUMERIC = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
_LENGTHS = ("minLength", "maxLength")
_COUNTS = ("minItems", "maxItems")
BOUNDS_OF_TYPE = {
    "number": _NUMERIC,
    "integer": _NUMERIC,
    "string": _LENGTHS,
    "array": _COUNTS,
}
"""The keywords that bound a value of a type; of other types there are none."""
_LOWER_SIZES = ("minLength", "minItems")


@dataclass(frozen=True, slots=True)
class Field:
    """What is known of one input field.

    Attributes:
        type: one of the seven JSON types; None where none is declared or it was not read.
        enum: the declared values; None likewise.
        bounds: keyword → value of every bound that is declared and sound; None likewise.
        nullable: whether null is a value of the field beside those that the rest describes.
    """

    type: str | None = None
    enum: tuple[Any, ...] | None = None
    bounds: Mapping[str, float] | None = None
    nullable: bool = False

    @property
    def is_read(self) -> bool:
        """Whether anything is known that a value is to keep."""
        return self.type is not None or self.enum is not None or self.bounds is not None

    @property
    def range(self) -> Mapping[str, float] | None:
        """The bounds that count: where some value of the type breaks one, and no enum is stated."""
        if self.bounds is None or self.enum is not None:
            return None
        usable = _BREAKS if self.type is None else BOUNDS_OF_TYPE.get(self.type, ())
        counting = {keyword: self.bounds[keyword] for keyword in usable if keyword in self.bounds}
        return counting if any(map(_can_be_broken, counting, counting.values())) else None

    def range_for(self, value: object) -> dict[str, float]:
        """The bounds that say something of a value of this type."""
        kind = BOUNDS_OF_TYPE.get(type_name(value), ())
        return {keyword: bound for keyword, bound in (self.range or {}).items() if keyword in kind}

    def broken_by(self, value: object) -> str:
        """The first that a value breaks: "type", "enum" or "range"; "" when it breaks none."""
        if value is None and self.nullable:
            return ""
        if self.type is not None and not _is_of(self.type, value):
            return "type"
        if self.enum is not None and not any(equal(known, value) for known in self.enum):
            return "enum"
        if self.range is not None and any(
            _BREAKS[keyword](value, bound) for keyword, bound in self.range.items()
        ):
            return "range"
        return ""


@dataclass(frozen=True, slots=True)
class InputSchema:
    """What is known of a tool's input.

    Attributes:
        fields: by name, sorted by code unit; a field that was not read is there without facts.
        required: names, sorted by code unit, each once.
        closed: whether undeclared fields are forbidden (`additionalProperties: false`).
    """

    fields: Mapping[str, Field]
    required: tuple[str, ...]
    closed: bool

    @property
    def unread(self) -> tuple[str, ...]:
        """The fields of which nothing could be read."""
        return tuple(name for name, field in self.fields.items() if not field.is_read)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Nothing can be said of a tool's input.

    Attributes:
        why: the keyword that ended the reading (`anyOf`), "type" or "properties" where the root is
            no object schema, "schema" where there is none, "duplicateTool".
    """

    why: str


def read_input_schema(schema: object) -> InputSchema | Unreadable:
    """What can be read of an inputSchema."""
    if not isinstance(schema, dict):
        return Unreadable("schema")
    for keyword in _BLOCKING:
        if keyword in schema:
            return Unreadable(keyword)
    if schema.get("type") != "object":
        return Unreadable("type")
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return Unreadable("properties")
    stated = schema.get("required")
    listed = stated if isinstance(stated, list | tuple) else ()
    names = {name for name in listed if isinstance(name, str)}
    return InputSchema(
        fields={name: _field(properties[name]) for name in sorted_names(properties)},
        required=tuple(sorted_names(names)),
        closed=schema.get("additionalProperties") is False,
    )


def read_tools(tools: Iterable[object]) -> dict[str, InputSchema | Unreadable]:
    """What can be read of every tool of a list, by name; entries without a name are left out."""
    read: dict[str, InputSchema | Unreadable] = {}
    for tool in tools:
        if isinstance(tool, dict) and isinstance(name := tool.get("name"), str):
            again = name in read
            read[name] = (
                Unreadable(DUPLICATE_TOOL) if again else read_input_schema(tool.get("inputSchema"))
            )
    return read


def _field(schema: object) -> Field:
    if not isinstance(schema, dict):
        return Field()
    plain = _without_null(schema)
    stated = schema if plain is None else plain
    kind = stated.get("type")
    # One of several types is left unread with its enumeration: another type may admit the value.
    if isinstance(kind, list | tuple) or any(keyword in stated for keyword in _BLOCKING):
        return Field()
    known = kind if isinstance(kind, str) and kind in TYPES else None
    values = stated.get("enum")
    enum = tuple(values) if isinstance(values, list | tuple) and values else None
    return Field(known, enum, _bounds(stated), plain is not None)


def _without_null(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The one schema beside null in `anyOf` or `oneOf`, as Python's Optional is declared.

    None for every other form: with two schemas beside null, what breaks one may keep the other.
    """
    present = [keyword for keyword in _BLOCKING if keyword in schema]
    if present not in (["anyOf"], ["oneOf"]):
        return None
    branches = schema[present[0]]
    if not isinstance(branches, list | tuple) or not all(isinstance(b, dict) for b in branches):
        return None
    others = [branch for branch in branches if branch.get("type") != "null"]
    if len(others) != 1 or len(branches) == 1:
        return None
    outer = {name: value for name, value in schema.items() if name != present[0]}
    merged: dict[str, Any] = outer | others[0]
    return merged


def _bounds(schema: Mapping[str, Any]) -> Mapping[str, float] | None:
    found = {k: schema[k] for k in _BREAKS if k in schema and _is_bound(k, schema[k])}
    return found or None


def _is_bound(keyword: str, bound: object) -> bool:
    """Whether a bound is sound: a finite number, for sizes an integer that is not negative."""
    if keyword in _NUMERIC:
        return is_finite_number(bound)
    return is_safe_integer(bound) and bound >= 0


def _can_be_broken(keyword: str, bound: float) -> bool:
    """Whether some value breaks a bound: no size is below 0."""
    return bound > 0 or keyword not in _LOWER_SIZES


def _is_of(kind: str, value: object) -> bool:
    if kind == "integer":
        return is_finite_number(value) and as_double(value).is_integer()
    return type_name(value) == kind


def _number(value: object) -> float:
    """The number a value is; NaN, which no bound is broken by, for anything else."""
    return as_double(value) if is_number(value) else math.nan


def _length(value: object) -> float:
    return len(value) if isinstance(value, str) else math.nan


def _count(value: object) -> float:
    return len(value) if isinstance(value, list | tuple) else math.nan


_BREAKS = {
    "minimum": lambda value, bound: _number(value) < bound,
    "exclusiveMinimum": lambda value, bound: _number(value) <= bound,
    "maximum": lambda value, bound: _number(value) > bound,
    "exclusiveMaximum": lambda value, bound: _number(value) >= bound,
    "minLength": lambda value, bound: _length(value) < bound,
    "maxLength": lambda value, bound: _length(value) > bound,
    "minItems": lambda value, bound: _count(value) < bound,
    "maxItems": lambda value, bound: _count(value) > bound,
}
