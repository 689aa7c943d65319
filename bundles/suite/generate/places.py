"""Arguments with one place changed; the originals stay as they are."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from bundles.suite.generate.constraints import count
from bundles.suite.generate.fields import Steps, effective, path_of
from bundles.suite.generate.refusals import TooLarge, Unsupported
from bundles.suite.generate.scope import Schema, Scope
from bundles.suite.generate.values import make_value

Arguments = Mapping[str, Any]


class _Nothing:
    """What no JSON value can say."""


GONE: Final = _Nothing()
"""The value that takes a member away."""
_NOWHERE: Final = _Nothing()


def value_at(arguments: Arguments, steps: Steps) -> Any:
    """The value at a place, of arrays in the first element; GONE where there is none."""
    found: Any = arguments
    for step in steps:
        if step is None:
            found = found[0] if isinstance(found, list) and found else GONE
        else:
            found = found.get(step, GONE) if isinstance(found, dict) else GONE
    return found


def changed_at(
    arguments: Arguments, steps: Steps, value: object, scope: Scope
) -> dict[str, Any] | None:
    """Arguments with another value at one place, or without it (GONE).

    Optional members and elements on the way that are not there are made. None where the place
    cannot be reached, or there is nothing to take away.
    """
    change = _Change(value, scope, f"properties.{path_of(steps)}")
    found = change.below(dict(arguments), steps, scope.root)
    return found if isinstance(found, dict) else None


class _Change(NamedTuple):
    """One change on its way down; `label` names its place in refusals."""

    value: object
    scope: Scope
    label: str

    def below(self, node: Any, steps: Steps, schema: Schema) -> Any:
        """The node with the change in it; _NOWHERE where there is no way."""
        if not steps:
            return self.value
        if steps[0] is None:
            return self._in_first(node, steps[1:], schema)
        return self._in_member(node, steps[0], steps[1:], schema)

    def _in_first(self, node: Any, rest: Steps, schema: Schema) -> Any:
        if not isinstance(node, list):
            return _NOWHERE
        room = count(schema, "maxItems") != 0
        items = node or (self._filled(schema.get("items")) if room else [])
        if not items:
            return _NOWHERE
        below = effective(schema.get("items"), self.scope) or {}
        first = self.below(items[0], rest, below)
        return first if first is _NOWHERE else [first, *items[1:]]

    def _in_member(self, node: Any, name: str, rest: Steps, schema: Schema) -> Any:
        if not isinstance(node, dict):
            return _NOWHERE
        if not rest and self.value is GONE:
            return {k: v for k, v in node.items() if k != name} if name in node else _NOWHERE
        if not rest:
            return {**node, name: self.value}
        declared = schema.get("properties", {}).get(name)
        optional = name not in schema.get("required", [])
        found = [node[name]] if name in node else self._filled(declared) if optional else []
        if not found:
            return _NOWHERE
        inner = self.below(found[0], rest, effective(declared, self.scope) or {})
        return inner if inner is _NOWHERE else {**node, name: inner}

    def _filled(self, schema: object) -> list[Any]:
        """One value to go through, or none."""
        if not isinstance(schema, dict):
            return []
        try:
            return [make_value(schema, self.label, self.scope)]
        except TooLarge:
            raise
        except Unsupported:
            return []
