"""Arguments that ask a tool for something else than given ones do. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.mcp.schema import input_schema_problems, value_problems


def other_arguments(schema: object, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Arguments that differ in one member and that the schema accepts too, None where none could be
    made.
    """
    if input_schema_problems(schema) or not isinstance(schema, dict):
        return None
    properties = schema.get("properties")
    members = properties if isinstance(properties, dict) else {}
    for name, value in arguments.items():
        for other in _others(value, members.get(name)):
            changed = {**arguments, name: other}
            if changed != dict(arguments) and not value_problems(schema, changed):
                return changed
    return None


def _others(value: object, schema: object) -> Iterator[Any]:
    listed = schema.get("enum") if isinstance(schema, dict) else None
    if isinstance(listed, list):
        yield from (other for other in listed if other != value)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1)
    elif isinstance(value, str):
        yield value + (value[-1:] or "x")
        yield value[:-1]
        yield value[:-1] + ("b" if value[-1:] == "a" else "a")
