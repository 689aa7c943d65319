"""Arguments for a tool call, made from an inputSchema. Pure.

They are confirmed by validating them against the schema, so a schema this module cannot follow
gives no arguments rather than wrong ones. Those around them are `bundles.mcp.derived`'s.
"""

from collections.abc import Mapping
from typing import Any, TypeGuard

from bundles.mcp.schema import input_schema_problems, value_problems

_DEEPEST = 8
_STRING_OF_FORMAT = {
    "date": "2026-01-15",
    "date-time": "2026-01-15T12:00:00Z",
    "time": "12:00:00Z",
    "email": "person@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
}


def valid_arguments(schema: object) -> dict[str, Any] | None:
    """Arguments with the required members only, or None where none could be made."""
    if input_schema_problems(schema) or not isinstance(schema, dict):
        return None
    made = _example(schema, 0)
    return made if isinstance(made, dict) and not value_problems(schema, made) else None


def _example(schema: object, depth: int) -> Any:
    """A value for a schema: what the author wrote down first, else the plainest of its type."""
    rules = _mapping(schema)
    for keyword in ("const", "default"):
        if keyword in rules:
            return rules[keyword]
    for keyword in ("examples", "enum"):
        listed = rules.get(keyword)
        if isinstance(listed, list) and listed:
            return listed[0]
    for keyword in ("anyOf", "oneOf"):
        branches = rules.get(keyword)
        if isinstance(branches, list) and branches and "type" not in rules and depth < _DEEPEST:
            return _example(branches[0], depth + 1)
    return _of_type(rules, depth)


def _of_type(rules: Mapping[str, Any], depth: int) -> Any:
    kind = rules.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "string":
        return _string(rules)
    if kind in ("integer", "number"):
        return _number(rules)
    if kind == "boolean":
        return True
    if kind == "array" and depth < _DEEPEST:
        return [_example(rules.get("items"), depth + 1)] * max(1, _size(rules.get("minItems")))
    if kind == "object" and depth < _DEEPEST:
        properties = _mapping(rules.get("properties"))
        required = rules.get("required")
        names = required if isinstance(required, list) else []
        return {str(name): _example(properties.get(str(name)), depth + 1) for name in names}
    return None


def _string(rules: Mapping[str, Any]) -> str:
    made = _STRING_OF_FORMAT.get(str(rules.get("format")), "example")
    made = made.ljust(_size(rules.get("minLength")), "x")
    longest = rules.get("maxLength")
    return made[:longest] if isinstance(longest, int) and longest >= 0 else made


def _number(rules: Mapping[str, Any]) -> int | float:
    above = rules.get("exclusiveMinimum")
    if _is_number(above):
        return above + 1
    for keyword in ("minimum", "maximum"):
        bound = rules.get(keyword)
        if _is_number(bound):
            return bound
    below = rules.get("exclusiveMaximum")
    return below - 1 if _is_number(below) else 1


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _size(value: object) -> int:
    """A small count from a schema; what is no count, or would cost memory, counts as none."""
    return value if isinstance(value, int) and 0 <= value <= 10_000 else 0


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
