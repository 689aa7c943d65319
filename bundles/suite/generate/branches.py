"""Valid calls that take another branch than the plain one: optional fields, enum values, false."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from bundles.suite.generate.composition import ALTERNATIVES, branches_of, composed
from bundles.suite.generate.refusals import TooLarge, Unsupported
from bundles.suite.generate.scope import Schema, Scope
from bundles.suite.generate.slugs import field_slug
from bundles.suite.generate.values import make_value
from bundles.suite.javascript import sorted_names


class Branch(NamedTuple):
    """A value for one field of the arguments, or `why` there is none."""

    field: str
    kind: str = ""
    slug: str = ""
    words: str = ""
    value: Any = None
    why: str = ""


def branches_at(scope: Scope) -> Iterator[Branch]:
    """The branches of the fields of the arguments, in the order of their names.

    An optional field gives "it is there" and no more: a case that fails says one thing. Of an enum
    the second and the last value are taken.
    """
    root = scope.root
    properties, required = root.get("properties"), root.get("required", [])
    if composed(root) or not isinstance(properties, dict):
        return
    for field in sorted_names(properties):
        schema = _followed(properties[field], scope)
        if schema is None:
            yield Branch(field, why="its schema has alternatives: only the first is called with")
        elif "const" not in schema:
            yield from (
                _of_required(field, schema)
                if field in required
                else _of_optional(field, schema, scope)
            )


def _followed(schema: Any, scope: Scope) -> Schema | None:
    """A schema with plain references followed; None where alternatives are left."""
    seen: set[str | None] = set()
    while isinstance(schema, dict) and composed(schema) == "$ref":
        branch = branches_of(schema, "", scope)[0]
        if branch.target in seen:
            return None
        seen.add(branch.target)
        schema = branch.schema
    if not isinstance(schema, dict) or any(name in schema for name in ALTERNATIVES):
        return None
    return schema


def _of_optional(field: str, schema: Schema, scope: Scope) -> Iterator[Branch]:
    try:
        value = make_value(schema, f"properties.{field}", scope)
    except TooLarge:
        raise
    except Unsupported as refusal:
        yield Branch(field, why=f"no value for the optional field: {refusal.detail}")
        return
    words = f"the optional {field!r}"
    yield Branch(field, "branch-with", field_slug(field), words, value)
    if "enum" in schema or schema.get("type") == "boolean":
        yield Branch(field, why="optional: called with it, but with one of its values only")


def _of_required(field: str, schema: Schema) -> Iterator[Branch]:
    listed = schema.get("enum")
    if isinstance(listed, list):
        if len(listed) > 1:
            slug = f"{field_slug(field)}-2"
            yield Branch(field, "branch-enum", slug, f"another value of {field!r}", listed[1])
        if len(listed) > 2:
            slug = f"{field_slug(field)}-last"
            yield Branch(field, "branch-enum", slug, f"the last value of {field!r}", listed[-1])
        if len(listed) > 3:
            yield Branch(field, why=f"3 of the {len(listed)} values of its enum are called with")
    elif schema.get("type") == "boolean":
        yield Branch(field, "branch-false", field_slug(field), f"{field!r} as false", value=False)
    elif schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        yield Branch(field, why="branches inside of objects are not called with")
