"""JSON Schemas of every draft in the spelling of 2020-12, so that two of them can be compared.

Containment is defined between schemas of one dialect, and servers change `$schema` without changing
what they accept. What a draft does not know is dropped, as its validators ignore it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema_rs

from bundles.reasons import reason

DIALECT_UNKNOWN = reason(
    "DIALECT_UNKNOWN",
    "A schema names a dialect of JSON Schema that is not known here, or one it does not obey.",
    "name a published draft in $schema, and correct what its metaschema refuses",
)

Draft = int
"""4, 6, 7, 19 (2019-09) or 20 (2020-12)."""

LATEST: Draft = 20
_DRAFTS: Mapping[str, Draft] = {
    "json-schema.org/draft-04/schema": 4,
    "json-schema.org/draft-06/schema": 6,
    "json-schema.org/draft-07/schema": 7,
    "json-schema.org/draft/2019-09/schema": 19,
    "json-schema.org/draft/2020-12/schema": 20,
}
_VALIDATORS = {
    4: jsonschema_rs.Draft4Validator,
    6: jsonschema_rs.Draft6Validator,
    7: jsonschema_rs.Draft7Validator,
    19: jsonschema_rs.Draft201909Validator,
    20: jsonschema_rs.Draft202012Validator,
}
_METASCHEMAS = {draft: f"http://{name}#" for name, draft in _DRAFTS.items() if draft < 19} | {
    draft: f"https://{name}" for name, draft in _DRAFTS.items() if draft >= 19
}
_SINCE_6 = ("const", "contains", "propertyNames")
_SINCE_7 = ("if", "then", "else")
_SINCE_19 = (
    "dependentRequired", "dependentSchemas", "unevaluatedItems", "unevaluatedProperties",
    "minContains", "maxContains", "$anchor", "$recursiveRef", "$recursiveAnchor", "$defs",
)  # fmt: skip
_SINCE_20 = ("prefixItems", "$dynamicRef", "$dynamicAnchor")
_NEWER = frozenset((*_SINCE_19, *_SINCE_20))
"""Keywords that only somebody who writes for 2019-09 or later uses."""

_OF_4 = ("id", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")

_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_ONES = (
    "not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties", "additionalItems",
)  # fmt: skip

Pointer = tuple[str, ...]


def readings(schema: object) -> dict[Draft, Any]:
    """The schema in 2020-12, by the draft it was read as; empty where no draft is obeyed.

    A schema that names its draft has one reading. One that does not is of 2020-12, as MCP says; it
    gets its reading of draft-07 besides where an author of that time may have meant another thing,
    and that of draft-04 where nothing younger fits.
    """
    if isinstance(schema, bool):
        return {LATEST: schema}
    if not isinstance(schema, dict):
        return {}
    named = schema.get("$schema")
    if named is not None:
        draft = _draft(named)
        return {draft: rewritten(schema, draft)} if draft and obeys(schema, draft) else {}
    found = {LATEST: rewritten(schema, LATEST)} if obeys(schema, LATEST) else {}
    if not any(_NEWER & node.keys() for node in _nodes(schema)) and obeys(schema, 7):
        found[7] = rewritten(schema, 7)
    if not found and obeys(schema, 4):
        found[4] = rewritten(schema, 4)
    return found


def obeys(schema: Mapping[str, Any], draft: Draft) -> bool:
    """Whether a draft's metaschema accepts a schema."""
    bare = {key: child for key, child in schema.items() if key != "$schema"}
    try:
        return bool(jsonschema_rs.meta.is_valid({**bare, "$schema": _METASCHEMAS[draft]}))
    except ValueError:  # too deep for its reader, or an unusable $id
        return False


def rewritten(schema: Any, draft: Draft) -> Any:
    """A schema of a draft as one of 2020-12 that means the same. `$schema` is left out."""
    if draft == LATEST:
        return {key: child for key, child in schema.items() if key != "$schema"}
    rewriting = _Rewriting(draft)
    made = rewriting.schema(schema, (), ())
    made.pop("$schema", None)
    if rewriting.moved:
        _follow(made, rewriting.moved)
    return made


def _draft(named: object) -> Draft | None:
    if not isinstance(named, str):
        return None
    return _DRAFTS.get(named.removeprefix("https://").removeprefix("http://").removesuffix("#"))


class _Rewriting:
    """Rewrites a schema of one draft, and remembers which subschemas stand elsewhere since."""

    def __init__(self, draft: Draft) -> None:
        self.moved: dict[Pointer, Pointer] = {}
        self._draft = draft

    def schema(self, schema: Any, old: Pointer, new: Pointer) -> Any:
        """A subschema that stood at one place and will stand at another."""
        if not isinstance(schema, dict):
            return schema
        made: dict[str, Any] = {}
        alone = self._draft <= 7 and "$ref" in schema  # its neighbours are ignored
        for key, child in schema.items():
            if alone and key not in ("$ref", "definitions"):
                continue
            for name, value, was, now in _member(key, child, schema, self._draft):
                here_old, here_new = (*old, *was), (*new, *now)
                if was != now:
                    self.moved[here_old] = here_new
                made[name] = self._inside(name, value, here_old, here_new)
        if self._draft <= 7 and isinstance(made.get("$id"), str) and made["$id"].startswith("#"):
            made["$anchor"] = made.pop("$id")[1:]
        return made

    def _inside(self, key: str, child: Any, old: Pointer, new: Pointer) -> Any:
        if key in _MAPS and isinstance(child, dict):
            return {
                name: self.schema(part, (*old, name), (*new, name)) for name, part in child.items()
            }
        if key in _LISTS and isinstance(child, list):
            return [
                self.schema(part, (*old, str(at)), (*new, str(at))) for at, part in enumerate(child)
            ]
        return self.schema(child, old, new) if key in _ONES else child


def _member(
    key: str, child: Any, schema: Mapping[str, Any], draft: Draft
) -> Iterator[tuple[str, Any, Pointer, Pointer]]:
    """(keyword, value, old place, new place) of what a keyword of a draft is in 2020-12."""
    if _is_unknown(key, draft):
        return
    if key == "items" and isinstance(child, list):
        yield "prefixItems", child, ("items",), ("prefixItems",)
    elif key == "additionalItems":
        if isinstance(schema.get("items"), list):
            yield "items", child, (key,), ("items",)
    elif key == "dependencies" and isinstance(child, dict):
        yield from _dependencies(child)
    elif draft == 4 and key in _OF_4:
        yield from _of_draft_4(key, child, schema)
    else:
        yield key, child, (key,), (key,)


def _dependencies(
    child: Mapping[str, Any],
) -> Iterator[tuple[str, Any, Pointer, Pointer]]:
    names = {name: part for name, part in child.items() if isinstance(part, list)}
    parts = {name: part for name, part in child.items() if not isinstance(part, list)}
    if names:
        yield "dependentRequired", names, (), ()
    if parts:
        yield "dependentSchemas", parts, ("dependencies",), ("dependentSchemas",)


def _of_draft_4(
    key: str, child: Any, schema: Mapping[str, Any]
) -> Iterator[tuple[str, Any, Pointer, Pointer]]:
    """Bounds, whose exclusiveness was a boolean beside them, and identifiers."""
    if key == "id":
        yield "$id", child, (), ()
    elif key in ("minimum", "maximum"):
        if schema.get(f"exclusive{key.capitalize()}") is not True:
            yield key, child, (), ()
    elif child is True:
        bound = key.removeprefix("exclusive").lower()
        if bound in schema:
            yield key, schema[bound], (), ()


def _is_unknown(key: str, draft: Draft) -> bool:
    return (
        (draft < 6 and key in _SINCE_6)
        or (draft < 7 and key in _SINCE_7)
        or (draft < 19 and key in _SINCE_19 and key != "$defs")
        or (draft < 20 and key in _SINCE_20)
    )


def _follow(schema: Any, moved: Mapping[Pointer, Pointer]) -> None:
    """Let references into the same document lead to where their targets are now."""
    for node in _nodes(schema):
        reference = node.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/"):
            tokens = tuple(reference[2:].split("/"))
            for length in range(1, len(tokens) + 1):
                if (now := moved.get(tokens[:length])) is not None:
                    tokens = (*now, *tokens[length:])
                    break
            node["$ref"] = "#/" + "/".join(tokens)


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every subschema that is an object, without looking into constants."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            continue
        yield node
        for key, child in node.items():
            if key in (*_MAPS, "dependencies") and isinstance(child, dict):
                waiting.extend(child.values())
            elif isinstance(child, list) and (key in _LISTS or key == "items"):
                waiting.extend(child)
            elif key in _ONES:
                waiting.append(child)
