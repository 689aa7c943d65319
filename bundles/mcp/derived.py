"""Arguments derived from an inputSchema: at its limits, and just outside of them. Pure and bounded.

Everything changes a valid call in one place, with the values the generator of suites uses, and is
validated against the schema before it is kept: what is allowed is valid, what is refused is not.
A schema that cannot be followed gives fewer arguments, never wrong ones. Members mirrored into
headers are left alone: the transport would refuse those before the tool sees them.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from bundles.errors import Refused
from bundles.mcp.arguments import valid_arguments
from bundles.mcp.schema import input_schema_problems, value_problems
from bundles.suite.generate.constraints import count
from bundles.suite.generate.fields import Field, fields_of
from bundles.suite.generate.outside import (
    Found,
    above_range,
    at_lower_bound,
    at_upper_bound,
    below_range,
    of_wrong_type,
    outside_enum,
    type_of,
)
from bundles.suite.generate.pattern import check_pattern, matches_pattern
from bundles.suite.generate.places import GONE, changed_at
from bundles.suite.generate.scope import Policy, Schema, Scope
from bundles.suite.generate.supported import check_schema
from bundles.suite.generate.values import make_value

MOST_ALLOWED = 10
"""Allowed arguments derived for one tool."""
MOST_REFUSED = 12
"""Refused arguments derived for one tool."""

UNDECLARED = "bundlegate_undeclared"
"""Name of the extra member sent to a schema that forbids extra members."""

ALLOWED: Mapping[str, str] = MappingProxyType(
    {
        "required-only": "has the required members and no others",
        "every-member": "has every declared member",
        "minimum": "holds the least number that is allowed",
        "maximum": "holds the greatest number that is allowed",
        "shortest": "holds the shortest text that is allowed",
        "longest": "holds the longest text that is allowed",
        "fewest": "holds as few elements as are allowed",
        "most": "holds as many elements as are allowed",
        "enum-first": "holds the first value of an enum",
        "enum-last": "holds the last value of an enum",
    }
)
"""Kind of allowed arguments → what they are."""

REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "missing": "lacks a required member",
        "type": "has a member of another type",
        "enum": "has a value outside an enum",
        "range": "has a number outside its range",
        "length": "has a text outside its length",
        "items": "has another number of elements than is allowed",
        "pattern": "has a text that does not match its pattern",
        "extra": "has a member the schema forbids",
        "deep": "has a value nested 50 levels deep",
        "long": "has a text of 10,000 characters",
    }
)
"""Kind of refused arguments → why the schema refuses them."""

_DEEP = 50
"""Levels: less than any parser in use refuses, since the tool is asked here, not the parser."""
_LONG = 10_000
_HEAVIEST = 65_536
_PLAIN = ("~", "!", " ", "0", "A", "a", "é", "a b")
_SIZE_OF = {"number": "range", "integer": "range", "string": "length", "array": "items"}
_LOWER = {"number": "minimum", "integer": "minimum", "string": "shortest", "array": "fewest"}
_UPPER = {"number": "maximum", "integer": "maximum", "string": "longest", "array": "most"}

Json = dict[str, Any]


class Derived(NamedTuple):
    """Derived arguments.

    Attributes:
        kind: a key of `ALLOWED` or `REFUSED`; the second of one kind is "<kind>-2", and so on.
        arguments: what to call with.
    """

    kind: str
    arguments: Json


class Both(NamedTuple):
    """What one inputSchema gives: allowed and refused arguments, each in the order of their kinds,
    the first of every kind before the second of any.
    """

    allowed: tuple[Derived, ...]
    refused: tuple[Derived, ...]


_NONE = Both((), ())


def derived_arguments(schema: object, valid: Mapping[str, Any]) -> Both:
    """What can be derived from an inputSchema around a valid call; nothing from an unusable one.

    Args:
        schema: the inputSchema as the server lists it.
        valid: arguments of a call that works; `valid_arguments` where nobody names any.
    """
    if input_schema_problems(schema) or not isinstance(schema, dict):
        return _NONE
    # alternatives of the whole object leave its members readable: what is made is validated anyhow
    plain = {name: rule for name, rule in schema.items() if name not in ("anyOf", "oneOf")}
    making = _Making(schema, Scope(plain, Policy.V3), dict(valid))
    return Both(
        _chosen(making.allowed(), MOST_ALLOWED, making.is_valid),
        _chosen(making.refused(), MOST_REFUSED, lambda made: not making.is_valid(made)),
    )


def kind_of(probe: str) -> str:
    """The kind at the end of a probe id, without its number."""
    kind = probe.rpartition(":")[2]
    first, _, number = kind.rpartition("-")
    return first if number.isdecimal() else kind


def _chosen(
    made: Iterator[Derived], most: int, fits: Callable[[Json], bool]
) -> tuple[Derived, ...]:
    """The first of every kind, then the second of every kind, …; each arguments once."""
    rounds: list[list[Derived]] = []
    times: dict[str, int] = {}
    known: set[str] = set()
    for kind, arguments in made:
        written = json.dumps(arguments, sort_keys=True)
        if len(written) > _HEAVIEST or written in known or not fits(arguments):
            continue
        known.add(written)
        number = times[kind] = times.get(kind, 0) + 1
        if number > len(rounds):
            rounds.append([])
        rounds[number - 1].append(Derived(f"{kind}-{number}" if number > 1 else kind, arguments))
    return tuple(one for same in rounds for one in same)[:most]


class _Making:
    """One schema, and a valid call to change."""

    def __init__(self, schema: Schema, scope: Scope, valid: Json) -> None:
        self._schema = schema
        self._scope = scope
        self._valid = valid
        self._fields = self._read_fields()

    def is_valid(self, arguments: Json) -> bool:
        """Whether the schema admits arguments; what cannot be looked at it does not."""
        try:
            return not value_problems(self._schema, arguments)
        except ValueError:
            return False

    def allowed(self) -> Iterator[Derived]:
        """Candidates that the schema may admit, kind after kind."""
        least = valid_arguments(self._schema)
        if least is not None and least != self._valid:
            yield Derived("required-only", least)
        yield from self._whole()
        for field in self._fields:
            kind = str(type_of(field.schema))
            if kind == "string" and ("format" in field.schema or "pattern" in field.schema):
                continue  # plain text of a length is no address and no identifier
            for named, make in ((_LOWER, at_lower_bound), (_UPPER, at_upper_bound)):
                if kind in named:
                    yield from self._with(named[kind], field, self._made(field, make))
        for field in self._fields:
            listed = field.schema.get("enum")
            if isinstance(listed, list) and listed:
                yield from self._with("enum-first", field, (listed[0],))
                yield from self._with("enum-last", field, (listed[-1],))

    def _whole(self) -> Iterator[Derived]:
        arguments = dict(self._valid)
        for field in self._fields:
            name = field.steps[0]
            if len(field.steps) == 1 and name is not None and name not in arguments:
                at = f"properties.{name}"
                try:
                    check_schema(field.schema, at, self._scope)
                    arguments[name] = make_value(field.schema, at, self._scope)
                except Refused:
                    continue  # the member has no value that is easily made
        if len(arguments) > len(self._valid):
            yield Derived("every-member", arguments)

    def refused(self) -> Iterator[Derived]:
        """Candidates that the schema may refuse, kind after kind."""
        for field in self._fields:
            if field.required:
                yield from self._with("missing", field, (GONE,))
        for field in self._fields:
            yield from self._with("type", field, of_wrong_type(field.schema))
        for field in self._fields:
            yield from self._with("enum", field, outside_enum(field.schema))
        for field in self._fields:
            size = _SIZE_OF.get(str(type_of(field.schema)))
            if size is not None:
                yield from self._with(size, field, self._made(field, below_range))
                yield from self._with(size, field, self._made(field, above_range))
        for field in self._fields:
            yield from self._with("pattern", field, self._unmatched(field.schema))
        yield Derived("extra", {**self._valid, UNDECLARED: True})
        yield from self._extreme("deep", _nested())
        yield from self._extreme("long", "x" * _LONG)

    def _extreme(self, kind: str, value: object) -> Iterator[Derived]:
        """In the first place where the schema refuses it."""
        for field in self._fields:
            for derived in self._with(kind, field, (value,)):
                if not self.is_valid(derived.arguments):
                    yield derived
                    return

    def _unmatched(self, schema: Schema) -> Found:
        pattern = schema.get("pattern")
        if type_of(schema) != "string" or not isinstance(pattern, str):
            return ()
        try:
            check_pattern(pattern, "")
        except Refused:
            return ()
        least, most = count(schema, "minLength") or 1, count(schema, "maxLength")
        if least > _LONG or most == 0:
            return ()
        for text in _PLAIN:
            value = (text * least)[: most or _LONG]
            if not matches_pattern(pattern, value):
                return (value,)
        return ()

    def _with(self, kind: str, field: Field, values: Found) -> Iterator[Derived]:
        for value in values:
            try:
                arguments = changed_at(self._valid, field.steps, value, self._scope)
            except Refused:
                arguments = None
            if arguments is not None:
                yield Derived(kind, arguments)

    def _made(self, field: Field, make: Callable[[Any, str, Scope], Found]) -> Found:
        try:
            return make(field.schema, field.path, self._scope)
        except Refused:
            return ()  # it would be too large, or has no element that is easily made

    def _read_fields(self) -> list[Field]:
        try:
            return fields_of(self._scope).fields
        except Refused:
            return []


def _nested() -> list[Any]:
    value: list[Any] = []
    for _ in range(_DEEP - 1):
        value = [value]
    return value
