"""One value for a schema: what its author wrote down first, else the plainest of its type.

const, default, the first example, the first of enum; else by type, at the lower bound before the
upper. Objects get their required members only, arrays as few elements as they may have, at least
one where they may. The same schema always gives the same value.
"""

from collections.abc import Mapping
from typing import Any

from bundles.suite.generate.composition import branches_of, composed
from bundles.suite.generate.constraints import (
    FORMAT_VALUES,
    bound,
    count,
    highest_integer,
    lowest_integer,
    number,
)
from bundles.suite.generate.pattern import matches_pattern, shortest_match
from bundles.suite.generate.refusals import UNSUPPORTED_SCHEMA, TooLarge, Unsupported, unsupported
from bundles.suite.generate.scope import LONGEST_TEXT, MOST_ITEMS, Schema, Scope
from bundles.suite.generate.supported import check_schema
from bundles.suite.javascript import is_number
from bundles.suite.schema import HAS_TYPE, equal

PLAIN_TEXT = "example"

_Active = frozenset[str]


def make_value(
    schema: Schema, path: str, scope: Scope, active: _Active = frozenset(), depth: int = 0
) -> Any:
    """A value for a schema that `check_schema` passed.

    Raises:
        Unsupported: what the schema offers breaks its own rules, a required member holds itself,
            or the value would be too large.
    """
    scope.enter(path, depth)
    if scope.newer and composed(schema):
        return _of_branches(schema, path, scope, active, depth)
    value = _offered(schema, path, scope, active, depth)
    if not satisfies(value, schema, scope, depth):
        unsupported(path, "the value that the schema offers first breaks its own constraints")
    return value


def text_of_length(length: int) -> str:
    """Plain text of so many characters."""
    return PLAIN_TEXT.ljust(length, "x")[:length]


def elements(schema: Schema, path: str, scope: Scope, amount: int) -> list[Any]:
    """An array of so many equal elements for an array's schema.

    Raises:
        Unsupported: as `make_value`, or the array would be too large.
    """
    if amount > MOST_ITEMS:
        unsupported(path, f"the array would have more than {MOST_ITEMS} elements")
    items = schema.get("items")
    if not isinstance(items, dict):
        return [PLAIN_TEXT] * amount
    return [make_value(items, f"{path}.items", scope) for _ in range(min(amount, 1))] * amount


def _of_branches(schema: Schema, path: str, scope: Scope, active: _Active, depth: int) -> Any:
    """A value of the first alternative that has one."""
    first: Unsupported | None = None
    for branch in branches_of(schema, path, scope):
        if branch.target is not None and branch.target in active:
            unsupported(path, f"what is required holds itself: {branch.target!r:.100}")
        below = active | {branch.target} if branch.target is not None else active
        try:
            check_schema(branch.schema, branch.path, scope, below, depth + 1)
            return make_value(branch.schema, branch.path, scope, below, depth + 1)
        except TooLarge:
            raise
        except Unsupported as refusal:
            first = first or refusal
    raise first or Unsupported(UNSUPPORTED_SCHEMA, "no alternative can be followed", path=path)


def _offered(schema: Schema, path: str, scope: Scope, active: _Active, depth: int) -> Any:
    for name in ("const", "default"):
        if name in schema:
            return schema[name]
    for name in ("examples", "enum"):
        if schema.get(name):
            return schema[name][0]
    kind = schema["type"]
    if kind == "object":
        declared = schema.get("properties", {})
        return {
            name: make_value(declared[name], f"{path}.properties.{name}", scope, active, depth + 1)
            for name in schema.get("required", [])
        }
    if kind == "array":
        return _array(schema, path, scope, active, depth)
    if kind == "string":
        return _text(schema, path, scope)
    if kind in ("number", "integer"):
        return _integer(schema) if kind == "integer" else _number(schema, scope)
    return True if kind == "boolean" else None


def _array(schema: Schema, path: str, scope: Scope, active: _Active, depth: int) -> list[Any]:
    amount = max(count(schema, "minItems") or 1, 1)
    most = count(schema, "maxItems")
    amount = amount if most is None else min(amount, most)
    if amount > MOST_ITEMS:
        unsupported(path, f"the array would have more than {MOST_ITEMS} elements")
    if not amount:
        return []
    return [make_value(schema["items"], f"{path}.items", scope, active, depth + 1)] * amount


def _integer(schema: Schema) -> int:
    lowest, highest = lowest_integer(schema), highest_integer(schema)
    return lowest if lowest is not None else highest if highest is not None else 0


def _number(schema: Schema, scope: Scope) -> int | float:
    least, above = bound(schema, "minimum"), bound(schema, "exclusiveMinimum")
    most, below = bound(schema, "maximum"), bound(schema, "exclusiveMaximum")
    if least is not None and not (scope.newer and above is not None and above >= least):
        return least
    if above is not None:
        stepped = above + 1
        if (most is None or stepped <= most) and (below is None or stepped < below):
            return number(stepped)
        return number((above + min(b for b in (most, below) if b is not None)) / 2)
    if most is not None and not (scope.newer and below is not None and below <= most):
        return most
    return 0 if below is None else number(below - 1)


def _text(schema: Schema, path: str, scope: Scope) -> str:
    known = FORMAT_VALUES.get(schema.get("format", ""))
    least, most = count(schema, "minLength"), count(schema, "maxLength")
    if "pattern" in schema and scope.newer:
        pattern = schema["pattern"]
        if known is not None and matches_pattern(pattern, known):
            return known
        return shortest_match(pattern, least, most, path)
    if known is not None:
        return known
    length = max(len(PLAIN_TEXT), least or 0)
    length = length if most is None else min(length, most)
    if length > LONGEST_TEXT:
        unsupported(path, f"the text would have more than {LONGEST_TEXT} characters")
    return text_of_length(length)


def satisfies(value: object, schema: Schema, scope: Scope, depth: int = 0) -> bool:
    """Whether a value obeys the keywords of a schema that this generator knows.

    Raises:
        TooLarge: telling takes too long.
    """
    scope.enter("", depth)
    if scope.newer and composed(schema):
        try:
            branches = branches_of(schema, "", scope)
        except Unsupported:
            return False
        return any(satisfies(value, branch.schema, scope, depth + 1) for branch in branches)
    kind = str(schema.get("type"))
    if kind not in HAS_TYPE or not HAS_TYPE[kind](value):
        return False
    if "const" in schema and not equal(value, schema["const"]):
        return False
    if schema.get("enum") and not any(equal(value, item) for item in schema["enum"]):
        return False
    if isinstance(value, dict):
        return _object_satisfies(value, schema, scope, depth)
    if isinstance(value, list):
        items = schema.get("items")
        return _within(len(value), schema, "Items") and all(
            satisfies(item, items, scope, depth + 1) for item in value if isinstance(items, dict)
        )
    if isinstance(value, str):
        return _text_satisfies(value, schema, scope)
    return not is_number(value) or _number_satisfies(value, schema)


def _object_satisfies(value: Mapping[str, Any], schema: Schema, scope: Scope, depth: int) -> bool:
    declared = schema.get("properties", {})
    if any(name not in value for name in schema.get("required", [])):
        return False
    if schema.get("additionalProperties") is False and value.keys() - declared.keys():
        return False
    return all(
        satisfies(item, declared[name], scope, depth + 1)
        for name, item in value.items()
        if name in declared
    )


def _text_satisfies(value: str, schema: Schema, scope: Scope) -> bool:
    if "pattern" in schema and scope.newer and not matches_pattern(schema["pattern"], value):
        return False
    # The older policy sends a format's value as it is, however long the schema wants it.
    unmeasured = not scope.newer and schema.get("format") in FORMAT_VALUES
    return unmeasured or _within(len(value), schema, "Length")


def _within(length: int, schema: Schema, what: str) -> bool:
    least, most = count(schema, f"min{what}"), count(schema, f"max{what}")
    return (least is None or length >= least) and (most is None or length <= most)


def _number_satisfies(value: float, schema: Schema) -> bool:
    least, above = bound(schema, "minimum"), bound(schema, "exclusiveMinimum")
    most, below = bound(schema, "maximum"), bound(schema, "exclusiveMaximum")
    return (
        (least is None or value >= least)
        and (most is None or value <= most)
        and (above is None or value > above)
        and (below is None or value < below)
    )
