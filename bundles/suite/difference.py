"""The first place where two JSON values differ, and what kind of change it looks like."""

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bundles.report.cut import cut
from bundles.suite import reading
from bundles.suite.javascript import as_double, is_number, sorted_names
from bundles.suite.paths import Path
from bundles.suite.redaction import MASK, is_sensitive_path, masked_json, masked_text

ABSENT = "(absent)"
"""Stands for the value where only one side has a member or an element."""

ROOT = "(root)"
"""The path of a difference that is the whole value."""

SHOWN = 200


class Hint(StrEnum):
    """What a difference looks like. A guess, made only where both values fit it."""

    TIMESTAMP = "timestamp"
    RANDOM_ID = "randomId"
    NUMERIC_DRIFT = "numericDrift"


@dataclass(frozen=True, slots=True)
class ValueDifference:
    """Where two values differ first.

    Attributes:
        path: `content[0].text`, or ROOT; names as they are.
        first, second: compact JSON with sorted keys, masked and cut at 200 code points, or ABSENT.
        hint: what the change looks like.
        inside: where both are JSON inside a text: the first difference in there, if there is one.
    """

    path: str
    first: str
    second: str
    hint: Hint | None = None
    inside: "ValueDifference | None" = None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, absent members left out."""
        members: dict[str, Any] = {
            "path": self.path,
            "firstValue": self.first,
            "secondValue": self.second,
        }
        if self.hint is not None:
            members["hint"] = self.hint.value
        if self.inside is not None:
            members["inside"] = self.inside.to_dict()
        return members


def first_difference(
    one: object, other: object, secrets: frozenset[str] = frozenset()
) -> ValueDifference | None:
    """Where two plain JSON values of any depth differ first; None where they are equal.

    Members are looked at in the order of their names, elements in their own. The order of members
    does not count, that of elements does, and 1 is 1.0. A text is compared as it stands: JSON in
    it is looked into only to say more about a difference.

    Args:
        one: the value before.
        other: the value after.
        secrets: values masked where they are shown.
    """
    return _first(one, other, secrets, look_inside=True)


def _first(
    one: object, other: object, secrets: frozenset[str], *, look_inside: bool
) -> ValueDifference | None:
    stack: list[tuple[Any, Any, Path]] = [(one, other, Path(""))]
    while stack:
        left, right, path = stack.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            stack.extend(
                (left.get(name, _MISSING), right.get(name, _MISSING), path.field(name))
                for name in reversed(sorted_names(left.keys() | right.keys()))
            )
        elif isinstance(left, list | tuple) and isinstance(right, list | tuple):
            common = min(len(left), len(right))
            if len(left) != len(right):
                beyond = [
                    side[common] if len(side) > common else _MISSING for side in (left, right)
                ]
                stack.append((beyond[0], beyond[1], path.item(common)))
            stack.extend((left[at], right[at], path.item(at)) for at in reversed(range(common)))
        elif not _same(left, right):
            return _described(left, right, str(path), secrets, look_inside=look_inside)
    return None


class _Missing:
    """The side that has no value here."""


_MISSING = _Missing()


def _same(left: object, right: object) -> bool:
    if is_number(left) and is_number(right):
        return as_double(left) == as_double(right)
    return type(left) is type(right) and left == right


def _described(
    left: object, right: object, path: str, secrets: frozenset[str], *, look_inside: bool
) -> ValueDifference:
    inside = _inside(left, right, secrets) if look_inside else None
    hint = _hint(left, right) or (inside.hint if inside else None)
    hidden = is_sensitive_path(f".{path}")
    return ValueDifference(
        path or ROOT,
        shown_value(left, secrets, hidden=hidden),
        shown_value(right, secrets, hidden=hidden),
        hint,
        inside,
    )


def _inside(left: object, right: object, secrets: frozenset[str]) -> ValueDifference | None:
    if not isinstance(left, str) or not isinstance(right, str):
        return None
    try:
        one, other = reading.parse(left), reading.parse(right)
    except json.JSONDecodeError:
        return None
    if not isinstance(one, dict | list) or not isinstance(other, dict | list):
        return None
    return _first(one, other, secrets, look_inside=False)


def shown_value(
    value: object, secrets: frozenset[str] = frozenset(), *, hidden: bool = False
) -> str:
    """The value as one line: masked before it is cut."""
    if value is _MISSING:
        return ABSENT
    if hidden:
        return MASK
    return cut(masked_text(masked_json(with_sorted_names(value), secrets), secrets), SHOWN)


def with_sorted_names(value: object) -> Any:
    """The value with the members of every object in the order of their names."""
    root: list[Any] = [value]
    stack: list[tuple[Any, Any]] = [(root, 0)]  # (container, place) whose value is to be rebuilt
    while stack:
        container, place = stack.pop()
        item = container[place]
        if isinstance(item, dict):
            rebuilt: Any = {name: item[name] for name in sorted_names(item)}
            stack.extend((rebuilt, name) for name in rebuilt)
        elif isinstance(item, list | tuple):
            rebuilt = list(item)
            stack.extend((rebuilt, at) for at in range(len(rebuilt)))
        else:
            continue
        container[place] = rebuilt
    return root[0]


_PATTERNS = (
    (
        Hint.TIMESTAMP,
        re.compile(
            r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
            r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
        ),
    ),
    (Hint.RANDOM_ID, re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")),
    (Hint.NUMERIC_DRIFT, re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")),
)
_MASKED = "\uffff"  # no character, so no text holds it but to deceive


def _hint(left: object, right: object) -> Hint | None:
    if is_number(left) and is_number(right):
        return Hint.NUMERIC_DRIFT
    if isinstance(left, str) and isinstance(right, str) and _MASKED not in left + right:
        return _hint_of_texts(left, right)
    return None


def _hint_of_texts(left: str, right: str) -> Hint | None:
    """The first pattern whose places differ, where nothing but places of patterns differs."""
    hint = None
    for kind, pattern in _PATTERNS:
        found = pattern.findall(left), pattern.findall(right)
        if hint is None and len(found[0]) == len(found[1]) and found[0] != found[1]:
            hint = kind
        mask = f"{_MASKED}{kind[0]}"
        left, right = pattern.sub(mask, left), pattern.sub(mask, right)
    return hint if left == right else None
