"""Closing a schema to the members it declares.

Almost no schema forbids undeclared members, so the exact question answers "breaking" whenever an
optional member is added: an old caller might already have sent anything under that name. Nobody
does. The side that writes is therefore closed to what it declares before tools are compared; what
closing hides has rules of its own (`bundles.compat.rules`).
"""

from collections.abc import Iterator, Mapping
from typing import Any

_BESIDE = frozenset(("properties", "allOf", "anyOf", "oneOf", "$ref", "$dynamicRef", "if"))
"""Keywords that may declare members of the very value their neighbours declare members of."""
_COMPOSED = _BESIDE - {"properties"} | {"not"}
_SAID = frozenset(("unevaluatedProperties", "patternProperties"))
_DEFINITIONS = ("$defs", "definitions")
_ELSEWHERE = ("items", "contains", "additionalProperties")
_CHOICES = ("anyOf", "oneOf")


def closed(schema: Any) -> Any:
    """A schema of 2020-12, closed wherever members are declared and nothing composes them.

    Under `not` and `if` nothing is closed: there it would admit more, not less. One part of an
    `allOf`, and a definition that is used as one, is left open, since its neighbours declare
    members too.
    """
    return _close(schema, alone=True, parts=frozenset(_parts(schema)), at="#")


def _close(schema: Any, *, alone: bool, parts: frozenset[str], at: str) -> Any:
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for key, child in schema.items():
        here = f"{at}/{key}"
        if key in _DEFINITIONS and isinstance(child, dict):
            made[key] = {
                name: _close(
                    part, alone=f"{here}/{name}" not in parts, parts=parts, at=f"{here}/{name}"
                )
                for name, part in child.items()
            }
        elif key in ("properties", "patternProperties") and isinstance(child, dict):
            made[key] = {
                name: _close(part, alone=True, parts=parts, at=f"{here}/{name}")
                for name, part in child.items()
            }
        elif key in (*_CHOICES, "allOf", "prefixItems") and isinstance(child, list):
            whole = key == "prefixItems" or (key in _CHOICES and _chooses_only(schema, key))
            made[key] = [
                _close(part, alone=whole and (alone or key == "prefixItems"), parts=parts, at=here)
                for part in child
            ]
        elif key in _ELSEWHERE:
            made[key] = _close(child, alone=True, parts=parts, at=here)
        else:
            made[key] = child
    declares = isinstance(schema.get("properties"), dict) and _SAID.isdisjoint(schema)
    declares = declares and is_open(schema)
    if alone and declares and _COMPOSED.isdisjoint(schema):
        made["additionalProperties"] = False
    return made


def is_open(schema: Mapping[str, Any]) -> bool:
    """Whether members that a schema does not declare may be anything: said or not, it is the same
    rule, and generators of schemas differ in whether they write it down.
    """
    said = schema.get("additionalProperties", True)
    return said is True or said == {}


def _chooses_only(schema: Mapping[str, Any], key: str) -> bool:
    return _BESIDE.isdisjoint(schema.keys() - {key})


def _parts(schema: Any) -> Iterator[str]:
    """References whose targets share their value with neighbours, or stand under a negation."""
    waiting = [(schema, False)]
    while waiting:
        node, shares = waiting.pop()
        if isinstance(node, list):
            waiting.extend((part, shares) for part in node)
        if not isinstance(node, dict):
            continue
        reference = node.get("$ref")
        if isinstance(reference, str) and (
            shares or not _BESIDE.isdisjoint(node.keys() - {"$ref"})
        ):
            yield reference
        for key, child in node.items():
            beside = key in ("allOf", "not", "if", "then", "else", "dependentSchemas")
            chosen = key in _CHOICES and (shares or not _chooses_only(node, key))
            waiting.append((child, beside or chosen))
