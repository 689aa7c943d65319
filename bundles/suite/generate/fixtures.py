"""Fixtures: values that exist on the server, for fields of tools, in place of made-up ones."""

from collections.abc import Mapping
from typing import Any, NoReturn

from bundles.suite.generate.refusals import (
    INVALID_FIXTURE_VALUE,
    INVALID_FIXTURES,
    GenerationRefused,
)
from bundles.suite.generate.scope import Scope
from bundles.suite.generate.values import satisfies
from bundles.suite.javascript import sorted_names, type_name
from bundles.suite.pointer import pointer_to

Fixtures = Mapping[str, Mapping[str, Any]]
"""Tool → field of its arguments → value."""

_MEMBERS = ("schemaVersion", "tools", "notes")


def read_fixtures(document: object, *, path: str = "") -> Fixtures:
    """The fixtures of a document: {schemaVersion: 1, tools?: {tool: {field: value}}, notes?}.

    `notes` has the same shape, with text for people.

    Raises:
        GenerationRefused: INVALID_FIXTURES, with the pointer.
    """

    def refuse(detail: str, pointer: str, seen: object) -> NoReturn:
        raise GenerationRefused(
            INVALID_FIXTURES, detail, path=path, pointer=pointer, seen=type_name(seen)
        )

    if not isinstance(document, dict):
        refuse("fixtures are a JSON object", "", document)
    version = document.get("schemaVersion")
    if version != 1 or isinstance(version, bool):
        refuse("the schemaVersion is 1", "/schemaVersion", version)
    for name in sorted_names(document.keys() - set(_MEMBERS)):
        refuse(f"fixtures have no member {name!r:.100}", pointer_to((name,)), document[name])
    for part in ("tools", "notes"):
        tools = document.get(part, {})
        if not isinstance(tools, dict):
            refuse(f"{part} is an object of tools", f"/{part}", tools)
        for tool, fields in tools.items():
            if not isinstance(fields, dict):
                refuse("a tool has an object of fields", pointer_to((part, tool)), fields)
            for field, value in fields.items():
                if part == "notes" and not isinstance(value, str):
                    refuse("a note is text", pointer_to((part, tool, field)), value)
    found: Fixtures = document.get("tools", {})
    return found


def with_fixtures(
    plain: Mapping[str, Any], values: Mapping[str, Any], path: str, scope: Scope
) -> dict[str, Any]:
    """The plain arguments with a tool's fixtures in them.

    Raises:
        GenerationRefused: INVALID_FIXTURE_VALUE.
    """
    declared = scope.root.get("properties", {})
    for field, value in values.items():
        at = f"{path}.properties.{field}"
        schema = declared.get(field)
        if not isinstance(schema, dict):
            raise GenerationRefused(
                INVALID_FIXTURE_VALUE,
                "the tool declares no such field",
                path=at,
                seen=field,
                expected=list(declared),
            )
        if not satisfies(value, schema, scope):
            raise GenerationRefused(
                INVALID_FIXTURE_VALUE,
                "the value breaks the field's schema",
                path=at,
                seen=value,
                expected=schema,
            )
    return {**plain, **values}
