"""Bounds: whether they are well formed, whether anything lies between them, and formats."""

import math
from typing import Any

from bundles.suite.generate.pattern import check_pattern
from bundles.suite.generate.refusals import contradiction
from bundles.suite.generate.scope import Schema
from bundles.suite.javascript import as_double, is_finite_number

FORMAT_VALUES = {
    "uri": "https://example.com",
    "uri-reference": "https://example.com",
    "iri": "https://example.com",
    "date": "2000-01-01",
    "date-time": "2000-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "duration": "P1D",
    "email": "user@example.com",
    "idn-email": "user@example.com",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
}
"""Values of the formats, all reserved for documentation (RFC 2606, 5737, 3849): nobody's."""

_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_COUNTS = ("minItems", "maxItems", "minLength", "maxLength")


def number(value: float) -> int | float:
    """A computed number as JSON writes it best: 3.0 is 3."""
    double = as_double(value)
    return int(double) if double.is_integer() and abs(double) < 2**53 else double


def bound(schema: Schema, name: str) -> int | float | None:
    """A bound that is a finite number, else None."""
    value = schema.get(name)
    return value if is_finite_number(value) else None


def count(schema: Schema, name: str) -> int | None:
    """A length or count that is a whole number of at least 0, else None."""
    value = schema.get(name)
    if not is_finite_number(value) or value < 0 or not as_double(value).is_integer():
        return None
    return int(value)


def lowest_integer(schema: Schema) -> int | None:
    """The least integer that `minimum` and `exclusiveMinimum` admit; None without either."""
    bounds = []
    if (least := bound(schema, "minimum")) is not None:
        bounds.append(math.ceil(least))
    if (above := bound(schema, "exclusiveMinimum")) is not None:
        bounds.append(math.floor(above) + 1)
    return max(bounds, default=None)


def highest_integer(schema: Schema) -> int | None:
    """The greatest integer that `maximum` and `exclusiveMaximum` admit; None without either."""
    bounds = []
    if (most := bound(schema, "maximum")) is not None:
        bounds.append(math.floor(most))
    if (below := bound(schema, "exclusiveMaximum")) is not None:
        bounds.append(math.ceil(below) - 1)
    return min(bounds, default=None)


def check_constraints(schema: Schema, path: str) -> None:
    """Bounds, lengths, pattern and format of one schema.

    Raises:
        GenerationRefused: INVALID_SCHEMA_CONSTRAINT, with the place.
    """
    for name in _BOUNDS:
        if name in schema and bound(schema, name) is None:
            contradiction(f"{path}.{name}", f"{name} is a finite number", seen=schema[name])
    for name in _COUNTS:
        if name in schema and count(schema, name) is None:
            contradiction(f"{path}.{name}", f"{name} is a whole number from 0", seen=schema[name])
    if "pattern" in schema:
        check_pattern(schema["pattern"], path)
    if "format" in schema and not isinstance(schema["format"], str):
        contradiction(f"{path}.format", "format is a string", seen=schema["format"])
    _check_room(schema, path)


def _check_room(schema: Schema, path: str) -> None:
    pairs: tuple[tuple[str, str, bool, Any], ...] = (
        ("minimum", "maximum", False, bound),
        ("exclusiveMinimum", "maximum", True, bound),
        ("minimum", "exclusiveMaximum", True, bound),
        ("exclusiveMinimum", "exclusiveMaximum", True, bound),
        ("minItems", "maxItems", False, count),
        ("minLength", "maxLength", False, count),
    )
    for lower, upper, open_end, read in pairs:
        least, most = read(schema, lower), read(schema, upper)
        if least is None or most is None:
            continue
        if least > most or (open_end and least == most):
            contradiction(
                f"{path}.{lower}", f"nothing satisfies {lower} {least} and {upper} {most} together"
            )
    if schema.get("type") == "integer":
        lowest, highest = lowest_integer(schema), highest_integer(schema)
        if lowest is not None and highest is not None and lowest > highest:
            contradiction(path, "there is no integer within the bounds")
