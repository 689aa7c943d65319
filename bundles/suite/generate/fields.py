"""The fields of a tool's arguments that can be broken one at a time, and where they are.

A field is a path: `user.name`, `tags[]` for the first element of an array, `tags[].id`. Fields
whose schema leaves open what is wrong (alternatives, several types) are named with the reason
instead: a case that a correct server might fail is worse than none.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from bundles.suite.generate.composition import branches_of, composed
from bundles.suite.generate.refusals import Unsupported
from bundles.suite.generate.scope import Schema, Scope
from bundles.suite.javascript import code_units, sorted_names

DEEPEST_FIELD = 3
"""Steps of a path below which fields are not broken."""
MOST_FIELDS = 64
"""Fields of one tool that are broken."""

_MIRRORED = "x-mcp-header"
"""MCP 2026-07-28: clients copy the member into a header, and servers compare both."""

Steps = tuple[str | None, ...]
"""Names of members; None is the first element of an array."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field that can be broken.

    Attributes:
        steps: the way to it.
        schema: its schema, with references and "or null" followed.
        required: whether its parent needs it; never for an element.
    """

    steps: Steps
    schema: Schema
    required: bool

    @property
    def path(self) -> str:
        """The path as people write it."""
        return path_of(self.steps)


class Unread(NamedTuple):
    """A field that is not broken, and why."""

    path: str
    reason: str


class Fields(NamedTuple):
    """Fields in the order of their paths, and those that were left out."""

    fields: list[Field]
    unread: list[Unread]


def path_of(steps: Steps) -> str:
    """`("tags", None, "id")` as `tags[].id`."""
    text = ""
    for step in steps:
        text += "[]" if step is None else f".{step}" if text else step
    return text


def effective(schema: object, scope: Scope) -> Schema | None:
    """A schema with references followed and "X or null" read as X; None where it stays open."""
    followed: set[str | None] = set()
    while isinstance(schema, dict) and composed(schema):
        try:
            branches = branches_of(schema, "", scope)
        except Unsupported:
            return None
        if composed(schema) != "$ref":
            values = [branch for branch in branches if branch.schema.get("type") != "null"]
            if len(values) != 1 or len(values) == len(schema[str(composed(schema))]):
                return None
            branches = values
        elif branches[0].target in followed:
            return None
        followed.add(branches[0].target)
        schema = branches[0].schema
    return schema if isinstance(schema, dict) else None


def fields_of(scope: Scope) -> Fields:
    """The fields of a tool's arguments under a policy; the older one knows none inside others."""
    root = scope.root
    if scope.newer and composed(root):
        return Fields(
            [], [Unread("", "the arguments have alternatives: only plain calls are made")]
        )
    if not isinstance(root.get("properties"), dict):
        return Fields([], [])
    found: list[Field] = []
    unread: list[Unread] = []
    for field, why in _walk(root, (), scope):
        if not why:
            found.append(field)
        else:
            unread.append(Unread(field.path, why))
    return _without_twins(found, unread)


def _without_twins(found: list[Field], unread: list[Unread]) -> Fields:
    """Leave out fields that share a path: `a.b` may be a name of its own."""
    times = Counter(field.path for field in found)
    kept = [field for field in found if times[field.path] == 1]
    twins = sorted({field.path for field in found if times[field.path] > 1}, key=code_units)
    kept.sort(key=lambda field: code_units(field.path))
    unread += [Unread(path, "two fields have this path") for path in twins]
    unread += [Unread(f.path, f"more than {MOST_FIELDS} fields") for f in kept[MOST_FIELDS:]]
    unread.sort(key=lambda item: code_units(item.path))
    return Fields(kept[:MOST_FIELDS], unread)


def _walk(schema: Schema, steps: Steps, scope: Scope) -> Iterator[tuple[Field, str]]:
    """Every field below an object or array, each with the reason it cannot be broken, or ""."""
    for step, child, required in _children(schema):
        here = (*steps, step)
        scope.enter(path_of(here), len(here))
        read = effective(child, scope) if scope.newer else child
        field = Field(here, read if isinstance(read, dict) else {}, required)
        if not isinstance(read, dict):
            yield field, "its schema has alternatives"
            continue
        if scope.newer and _MIRRORED in read:
            yield field, "it is mirrored into a header: the tool would never see it wrong"
            continue
        if len(here) > DEEPEST_FIELD:
            yield field, f"deeper than {DEEPEST_FIELD} steps"
            continue
        yield field, ""
        if scope.newer:
            yield from _walk(read, here, scope)


def _children(schema: Schema) -> Iterator[tuple[str | None, Any, bool]]:
    properties, items = schema.get("properties"), schema.get("items")
    required = schema.get("required")
    needed = set(required) if isinstance(required, list) else set()
    if isinstance(properties, dict):
        for name in sorted_names(properties):
            yield name, properties[name], name in needed
    if isinstance(items, dict):
        yield None, items, False
