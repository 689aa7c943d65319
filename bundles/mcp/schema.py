"""Strict validation of what MCP servers answer: the message shapes, and JSON Schemas of tools.

Pure, and bounded: values are cut in messages, at most `MOST` problems are returned, and no `$ref`
is ever fetched.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

import jsonschema_rs

from bundles.mcp import shapes
from bundles.mcp.problem import Kind, Problem, pointer_of

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
MOST = 10
"""Most problems reported of one document."""

_CUT = 200
_DEEPEST = 100
_DEFAULT_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_DIALECTS = {
    "json-schema.org/draft/2020-12/schema": jsonschema_rs.Draft202012Validator,
    "json-schema.org/draft/2019-09/schema": jsonschema_rs.Draft201909Validator,
    "json-schema.org/draft-07/schema": jsonschema_rs.Draft7Validator,
    "json-schema.org/draft-06/schema": jsonschema_rs.Draft6Validator,
    "json-schema.org/draft-04/schema": jsonschema_rs.Draft4Validator,
}


def discover_problems(result: object) -> tuple[Problem, ...]:
    """What keeps a value from being a DiscoverResult (2026-07-28)."""
    return _against("DISCOVER", result)


def initialize_problems(result: object) -> tuple[Problem, ...]:
    """What keeps a value from being an InitializeResult (2025-11-25)."""
    return _against("INITIALIZE", result)


def tools_page_problems(result: object, revision: str) -> tuple[Problem, ...]:
    """What keeps a value from being a ListToolsResult of a revision, schemas of tools apart."""
    return _against("TOOLS_PAGE" if revision == MODERN else "TOOLS_PAGE_LEGACY", result)


def cache_hint_problems(result: object) -> tuple[Problem, ...]:
    """What is wrong with the hints for caches of a CacheableResult (2026-07-28)."""
    return _against("CACHE_HINTS", result)


def call_result_problems(result: object, revision: str) -> tuple[Problem, ...]:
    """What keeps a value from being a CallToolResult of a revision, outputSchema apart."""
    return _against("CALL_RESULT" if revision == MODERN else "CALL_RESULT_LEGACY", result)


def input_required_problems(result: object) -> tuple[Problem, ...]:
    """What keeps a value from being an InputRequiredResult (2026-07-28)."""
    return _against("INPUT_REQUIRED", result)


def input_schema_problems(schema: object) -> tuple[Problem, ...]:
    """What keeps a value from being a tool's inputSchema: valid, with root type "object"."""
    return _root_object(schema) or schema_problems(schema)


def output_schema_problems(schema: object, revision: str) -> tuple[Problem, ...]:
    """What keeps a value from being a tool's outputSchema: valid; before 2026-07-28 its root type
    is "object".
    """
    return (() if revision == MODERN else _root_object(schema)) or schema_problems(schema)


def schema_problems(schema: object) -> tuple[Problem, ...]:
    """What keeps a value from being a JSON Schema in the dialect it names (2020-12 by default)."""
    if not isinstance(schema, dict):
        return (Problem("", "a tool's schema is a JSON object", cut(schema)),)
    if _too_deep(schema):
        message = f"the schema is nested deeper than {_DEEPEST} levels"
        return (Problem("", message, kind=Kind.DEPTH),)
    validator = _DIALECTS.get(_dialect(schema))
    if validator is None:
        named = cut(schema.get("$schema"))
        return (Problem("/$schema", "the schema names a dialect nobody knows", named),)
    try:
        validator(schema, retriever=_never_fetch)
    except jsonschema_rs.ValidationError as error:
        if isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Referencing):
            return (_reference_problem(schema, error.message),)
        return (_problem(error),)
    except (jsonschema_rs.ReferencingError, ValueError) as error:
        return (Problem("", f"the schema cannot be used: {cut(str(error))}"),)
    return ()


def value_problems(schema: Mapping[str, Any], value: object) -> tuple[Problem, ...]:
    """What keeps a value from matching a JSON Schema that `schema_problems` found nothing wrong in.

    Raises:
        KeyError, ValueError: the schema is not usable.
    """
    validator = _DIALECTS[_dialect(schema)](dict(schema), retriever=_never_fetch)
    return tuple(_problem(error) for error in islice(validator.iter_errors(value), MOST))


def acceptance_of(schema: object) -> Callable[[object], bool] | None:
    """What says whether a value matches a JSON Schema, None where the schema is not usable.

    A value that cannot be looked at, as one nested too deep, raises ValueError.
    """
    if schema_problems(schema) or not isinstance(schema, dict):
        return None
    return _DIALECTS[_dialect(schema)](schema, retriever=_never_fetch).is_valid


def cut(value: object) -> object:
    """A value short enough for a finding: long text is cut, containers are named by size."""
    if isinstance(value, str):
        return value if len(value) <= _CUT else f"{value[:_CUT]}… ({len(value)} characters)"
    if isinstance(value, list | dict) and len(str(value)) > _CUT:
        return f"{type(value).__name__} of {len(value)}"
    return value


@cache
def _shape(name: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(getattr(shapes, name))


def _against(shape: str, value: object) -> tuple[Problem, ...]:
    return tuple(_problem(e) for e in islice(_shape(shape).iter_errors(value), MOST))


def _problem(error: jsonschema_rs.ValidationError) -> Problem:
    return Problem(pointer_of(list(error.instance_path)), str(cut(error.message)))


def _reference_problem(schema: dict[str, Any], said: str) -> Problem:
    """With the pointer of the first reference that is named in what the validator said."""
    for pointer, reference in _references(schema):
        resource, _, fragment = reference.partition("#")
        if f"'{reference}'" in said or (resource or f"'{fragment}'") in said:
            message = "$ref leads to nothing in the schema, and clients fetch no schemas"
            return Problem(pointer, message, cut(reference), Kind.REFERENCE)
    return Problem("", f"a reference leads nowhere: {cut(said)}", kind=Kind.REFERENCE)


def _references(schema: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The references of a schema in document order, with their pointers."""
    waiting: list[tuple[list[str | int], Any]] = [([], schema)]
    while waiting:
        path, node = waiting.pop()
        if isinstance(node, dict):
            for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
                if isinstance(node.get(keyword), str):
                    yield pointer_of([*path, keyword]), node[keyword]
            waiting.extend(([*path, str(name)], node[name]) for name in reversed(node))
        elif isinstance(node, list):
            waiting.extend(([*path, at], node[at]) for at in reversed(range(len(node))))


def _dialect(schema: Mapping[str, Any]) -> str:
    """The dialect's name without scheme and empty fragment: servers spell both ways."""
    return str(schema.get("$schema", _DEFAULT_DIALECT)).partition("://")[2].removesuffix("#")


def _root_object(schema: object) -> tuple[Problem, ...]:
    if not isinstance(schema, dict):
        return (Problem("", "a tool's schema is a JSON object", cut(schema)),)
    if schema.get("type") != "object":
        return (Problem("/type", 'the root type must be "object"', cut(schema.get("type"))),)
    return ()


def _too_deep(schema: object) -> bool:
    level = [schema]
    for _ in range(_DEEPEST):
        level = [
            child
            for node in level
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return False
    return True


def _never_fetch(uri: str) -> Any:
    msg = f"external reference {uri} is not fetched"
    raise ValueError(msg)
