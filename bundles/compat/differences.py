"""Where two schemas differ, member by member, and each difference as a question of its own.

A whole schema gets one answer with one witness. To say every place that breaks, each difference is
asked alone: the writing side's own schema with just that place as the reading side has it. What
such a schema refuses, the real one refuses too, since the places of an object bind independently;
and what the writing side writes stays exactly what it is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bundles.compat.closing import is_open

Step = str | int
Steps = tuple[Step, ...]

MOST_DIFFERENCES = 200
_DEEPEST = 24
_REMARKS = frozenset(
    ("title", "description", "$comment", "examples", "deprecated", "readOnly", "writeOnly",
     "$schema")
)  # fmt: skip
_CHOICE = ("enum", "const")
_REST_OF_MEMBERS = ("additionalProperties", "unevaluatedProperties", "patternProperties")
_BY_THEMSELVES = frozenset(("properties", "required", "default", *_CHOICE, *_REST_OF_MEMBERS))


@dataclass(frozen=True, slots=True)
class Difference:
    """One place at which two schemas differ.

    Attributes:
        kind: member-added, member-removed, required-added, required-removed, enum-value-added,
            enum-value-removed, additional-allowed, additional-forbidden, additional-changed,
            default-added, default-removed, default-changed or constraint.
        at: path of the subschema, the same on both sides.
        old, new: path of the place itself, None where that side has none.
        name: of the member, for the kinds that have one.
        values: that were added or removed, for enums; old and new default.
        keywords: that differ, for constraints.
    """

    kind: str
    at: Steps
    old: Steps | None
    new: Steps | None
    name: str = ""
    values: tuple[Any, ...] = ()
    keywords: tuple[str, ...] = ()


def differences(old: Any, new: Any) -> list[Difference]:
    """Where two schemas of one dialect differ, outermost first; remarks and texts are no place.

    Schemas whose definitions differ have no places: a reference may lead to either.
    """
    if not isinstance(old, dict) or not isinstance(new, dict):
        return []
    if any(not _same(old.get(key), new.get(key)) for key in ("$defs", "definitions")):
        return []
    found: list[Difference] = []
    for difference in _of(old, new, ()):
        if len(found) == MOST_DIFFERENCES:
            return found
        found.append(difference)
    return found


def with_one(writer: Any, reader: Any, difference: Difference) -> Any:
    """The writing side's schema with one place as the reading side has it."""
    return _replaced(writer, reader, difference.at, difference)


def with_choices_of(writer: Any, reader: Any, places: list[Difference]) -> Any:
    """The reading side's schema with the writing side's enums at some places."""
    for place in places:
        reader = _replaced(reader, writer, place.at, place)
    return reader


def at(schema: Any, steps: Steps) -> Any:
    """The subschema at a path."""
    for step in steps:
        schema = schema[step]
    return schema


def pinned(schema: Any, steps: Steps, value: Any) -> Any:
    """A schema that lets through only values of its own that hold a value at a path."""
    if not steps:
        return {"const": value}
    if steps[0] == "items":
        least = schema.get("minItems", 0)
        inner = pinned(schema["items"], steps[1:], value)
        return {**schema, "items": inner, "minItems": max(1, least)}
    name = str(steps[1])
    members = {**schema["properties"], name: pinned(schema["properties"][name], steps[2:], value)}
    required = [*(each for each in _names(schema) if each != name), name]
    return {**schema, "properties": members, "required": required}


def _of(old: Mapping[str, Any], new: Mapping[str, Any], at: Steps) -> Iterator[Difference]:
    if len(at) > _DEEPEST:
        yield Difference("constraint", at, at, at)
        return
    yield from _members(old, new, at)
    yield from _required(old, new, at)
    yield from _choices(old, new, at)
    yield from _additional(old, new, at)
    yield from _default(old, new, at)
    inner = _are_schemas(old.get("items"), new.get("items"))
    keywords = tuple(
        key
        for key in sorted(old.keys() | new.keys())
        if key not in _BY_THEMSELVES | _REMARKS
        and not (key == "items" and inner)
        and _differ(old, new, key)
    )
    choosing = [key for key in _CHOICE if key in old or key in new]
    if choosing and not (_chosen(old) is not None and _chosen(new) is not None):
        keywords += tuple(key for key in choosing if _differ(old, new, key))
    if keywords:
        yield Difference("constraint", at, at, at, keywords=keywords)
    if inner:
        yield from _of(old["items"], new["items"], (*at, "items"))
    was, now = _properties(old), _properties(new)
    for name in was:
        if name not in now or _same(was[name], now[name]):
            continue
        place = (*at, "properties", name)
        if _are_schemas(was[name], now[name]):
            yield from _of(was[name], now[name], place)
        else:
            yield Difference("constraint", at, place, place, name=name, keywords=("properties",))


def _members(old: Mapping[str, Any], new: Mapping[str, Any], at: Steps) -> Iterator[Difference]:
    was, now = _properties(old), _properties(new)
    for name in was:
        if name not in now:
            yield Difference("member-removed", at, (*at, "properties", name), None, name)
    for name in now:
        if name not in was:
            yield Difference("member-added", at, None, (*at, "properties", name), name)


def _required(old: Mapping[str, Any], new: Mapping[str, Any], at: Steps) -> Iterator[Difference]:
    was, now = _names(old), _names(new)
    for name in was:
        if name not in now:
            was_at = _place(old, name, at) or (*at, "required")
            yield Difference("required-removed", at, was_at, _place(new, name, at), name)
    for name in now:
        if name not in was:
            now_at = _place(new, name, at) or (*at, "required")
            yield Difference("required-added", at, _place(old, name, at), now_at, name)


def _place(schema: Mapping[str, Any], name: str, at: Steps) -> Steps | None:
    return (*at, "properties", name) if name in _properties(schema) else None


def _choices(old: Mapping[str, Any], new: Mapping[str, Any], at: Steps) -> Iterator[Difference]:
    was, now = _chosen(old), _chosen(new)
    if was is None or now is None:
        return
    places = (*at, _keyword(old)), (*at, _keyword(new))
    gone = tuple(value for value in was if not any(_same(value, other) for other in now))
    come = tuple(value for value in now if not any(_same(value, other) for other in was))
    if gone:
        yield Difference("enum-value-removed", at, *places, values=gone)
    if come:
        yield Difference("enum-value-added", at, *places, values=come)


def _additional(old: Mapping[str, Any], new: Mapping[str, Any], at: Steps) -> Iterator[Difference]:
    keywords = tuple(key for key in _REST_OF_MEMBERS if _differ(old, new, key))
    if not keywords:
        return
    was_at, now_at = ((*at, keywords[0]) if keywords[0] in each else at for each in (old, new))
    kind = "additional-changed"
    if keywords == ("additionalProperties",) and is_open(old) is not is_open(new):
        kind = "additional-allowed" if is_open(new) else "additional-forbidden"
    yield Difference(kind, at, was_at, now_at, keywords=keywords)


def _default(old: Mapping[str, Any], new: Mapping[str, Any], at: Steps) -> Iterator[Difference]:
    if not _differ(old, new, "default"):
        return
    place = (*at, "default")
    values = tuple(schema["default"] for schema in (old, new) if "default" in schema)
    if "default" not in old:
        yield Difference("default-added", at, None, place, values=values)
    elif "default" not in new:
        yield Difference("default-removed", at, place, None, values=values)
    else:
        yield Difference("default-changed", at, place, place, values=values)


def _replaced(base: Any, other: Any, steps: Steps, difference: Difference) -> Any:
    """A copy of `base` with the subschema at a path edited after that of `other`."""
    if not steps:
        return _edited(base, other, difference)
    step, rest = steps[0], steps[1:]
    return {**base, step: _replaced(base[step], other[step], rest, difference)}


def _edited(
    base: Mapping[str, Any], other: Mapping[str, Any], difference: Difference
) -> dict[str, Any]:
    kind, name = difference.kind, difference.name
    if kind in ("required-added", "required-removed"):
        kept = [each for each in _names(base) if each != name]
        return {**base, "required": [*kept, name] if name in _names(other) else kept}
    if kind in ("enum-value-added", "enum-value-removed"):
        return _taken(base, other, _CHOICE)
    if kind.startswith("additional-"):
        return _taken(_with_members(base, other), other, _REST_OF_MEMBERS)
    if kind in {"member-added", "member-removed"}:
        if name in _properties(other):
            return {**base, "properties": {**_properties(base), name: other["properties"][name]}}
        made = _taken(_with_members(base, other), other, _REST_OF_MEMBERS)
        return {**made, "properties": {n: s for n, s in made["properties"].items() if n != name}}
    if name:  # a member that is no schema object on one side
        return {**base, "properties": {**_properties(base), name: other["properties"][name]}}
    return _taken(base, other, difference.keywords)


def _with_members(base: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """With the members that only the other side declares, which its rest does not cover then."""
    return {**base, "properties": {**_properties(other), **_properties(base)}}


def _taken(
    base: Mapping[str, Any], other: Mapping[str, Any], keywords: tuple[str, ...]
) -> dict[str, Any]:
    kept = {key: child for key, child in base.items() if key not in keywords}
    return kept | {key: other[key] for key in keywords if key in other}


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def _names(schema: Mapping[str, Any]) -> list[str]:
    found = schema.get("required")
    listed = found if isinstance(found, list) else []
    return [name for name in listed if isinstance(name, str)]


def _chosen(schema: Mapping[str, Any]) -> list[Any] | None:
    if isinstance(schema.get("enum"), list) and "const" not in schema:
        return list(schema["enum"])
    return [schema["const"]] if "const" in schema and "enum" not in schema else None


def _keyword(schema: Mapping[str, Any]) -> str:
    return "enum" if "enum" in schema else "const"


def _are_schemas(old: object, new: object) -> bool:
    return isinstance(old, dict) and isinstance(new, dict)


def _differ(old: Mapping[str, Any], new: Mapping[str, Any], key: str) -> bool:
    return (key in old) is not (key in new) or not _same(old.get(key), new.get(key))


def _same(left: Any, right: Any) -> bool:
    """Equal as JSON: `==` takes true for 1."""
    if isinstance(left, bool) is not isinstance(right, bool):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)
