"""The texts in a schema, and the schema without them: what models read, and what validators do."""

from collections.abc import Iterator
from typing import Any

_TEXTS = frozenset({"title", "description", "$comment"})
_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Members whose keys are names, not keywords: a property may be called "title"."""
_DEEPEST = 64


def without_dialect(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that does not name its dialect."""
    return {key: child for key, child in schema.items() if key != "$schema"}


def bare(schema: Any, depth: int = 0, *, keywords: bool = True) -> Any:
    """A schema without the texts in it; deeper than any client reads it stays as it is."""
    if depth > _DEEPEST:
        return schema
    if isinstance(schema, dict):
        return {
            key: bare(child, depth + 1, keywords=not (keywords and key in _MAPS))
            for key, child in schema.items()
            if not (keywords and key in _TEXTS and isinstance(child, str))
        }
    if isinstance(schema, list):
        return [bare(child, depth + 1, keywords=keywords) for child in schema]
    return schema


def texts(
    schema: Any, path: tuple[str | int, ...] = (), *, keywords: bool = True
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The texts in a schema with their paths, as deep as `bare` takes them out."""
    if len(path) > _DEEPEST:
        return
    if isinstance(schema, dict):
        for key, child in schema.items():
            if keywords and key in _TEXTS and isinstance(child, str):
                yield (*path, key), child
            else:
                inner = not (keywords and key in _MAPS)
                yield from texts(child, (*path, key), keywords=inner)
    elif isinstance(schema, list):
        for at, child in enumerate(schema):
            yield from texts(child, (*path, at), keywords=keywords)
