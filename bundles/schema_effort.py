"""What comparing a value with a JSON Schema takes, told before it is done.

A validator in native code hears neither a deadline nor a signal, and a schema of a few lines can
ask it for more steps than there is time: thirty definitions that each refer twice to the next, or
two alternatives that both go down the same recursive value. Only references can do that. Every
subschema that meets a part of the value is counted once and multiplied, so that telling takes no
longer than the value is large.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bundles.schema_index import IN_PLACE, Node, SchemaIndex

MOST_STEPS = 20_000_000
"""Steps of the validator that are tolerable: a subschema on a part of the value is one."""

MOST_REFERRED = 2_000_000
"""Subschemas that references may lead to in all: a validator walks through each target again for
every reference to it, before it has seen any value.
"""

_MOST_PAIRS = 1_000_000  # looked at to tell; each takes about a microsecond
_HARMLESS = 10_000  # subschemas of a schema whose references are written out, on each part
_REFERENCES = ("$ref", "$dynamicRef")
_OF_MEMBERS = ("additionalProperties", "patternProperties", "unevaluatedProperties")
_OF_ITEMS = ("items", "contains", "unevaluatedItems")
_LOOKING_BACK = {"unevaluatedProperties", "unevaluatedItems"}
"""They ask again of each part whether the subschemas beside them have looked at it."""


def is_bearable(index: SchemaIndex, value: object, *, most: int = MOST_STEPS) -> bool:
    """Whether comparing a value with the first schema of an index takes at most so many steps.

    No step is counted too little; a validator that stops early takes fewer.
    """
    if not index.refs:
        return True
    size = _written_out(index)
    return (size is not None and size <= _HARMLESS) or _Count(index.applied, most).bears(
        index.roots[0], value
    )


def is_bearable_anywhere(index: SchemaIndex) -> bool:
    """Whether there is any value that can be compared with the first schema of an index."""
    return not index.refs or _Count(index.applied, MOST_STEPS).bears(index.roots[0], None)


def _written_out(index: SchemaIndex) -> int | None:
    """Subschemas there would be with every reference replaced; None where that never ends."""
    sizes: dict[Node, int] = {}  # 0 while a subschema is looked at
    stack = [index.roots[0]]
    while stack:
        node = stack[-1]
        below = [child for _, child in index.applied.get(node, ())]
        if node not in sizes:
            sizes[node] = 0
            if any(sizes.get(child) == 0 for child in below):
                return None
            stack.extend(child for child in below if child not in sizes)
            continue
        stack.pop()
        if sizes[node] == 0:
            sizes[node] = min(1 + sum(sizes[child] for child in below), _HARMLESS + 1)
    return sizes[index.roots[0]]


@dataclass
class _Frame:
    """A subschema on a part of the value, and what of it is not counted yet."""

    key: tuple[Node, int]
    left: Iterator[tuple[Node, object, int]]
    times: int = 1
    steps: int = 1


@dataclass
class _Count:
    """Counts the steps of one comparison, with an explicit stack."""

    applied: Mapping[Node, list[tuple[Any, Node]]]
    most: int
    known: dict[tuple[Node, int], int] = field(default_factory=dict)

    def bears(self, root: Node, value: object) -> bool:
        """Whether the steps stay within the bound, and counting them too."""
        stack = [self._frame(root, value)]
        open_keys = {stack[0].key}
        while stack:
            frame = stack[-1]
            if frame.steps > self.most or len(self.known) + len(stack) > _MOST_PAIRS:
                return False
            if (following := next(frame.left, None)) is None:
                stack.pop()
                open_keys.discard(frame.key)
                self.known[frame.key] = frame.steps
                if stack:
                    stack[-1].steps += stack[-1].times * frame.steps
                continue
            node, part, times = following
            key = (node, id(part))
            if not self.applied.get(node):
                frame.steps += times
            elif key in self.known:
                frame.steps += times * self.known[key]
            elif key in open_keys:
                return False  # back at the very same value: it never ends
            else:
                frame.times = times
                stack.append(self._frame(node, part))
                open_keys.add(key)
        return True

    def _frame(self, node: Node, part: object) -> _Frame:
        return _Frame((node, id(part)), self._met(node, part))

    def _met(self, node: Node, part: object) -> Iterator[tuple[Node, object, int]]:
        """(subschema, part, times) for each that a validator compares on behalf of this one."""
        steps = self.applied.get(node, ())
        looks_back = any(step[0] in _LOOKING_BACK for step, _ in steps)
        again = 1 + len(part) if looks_back and isinstance(part, dict | list) else 1
        for (keyword, name), child in steps:
            if keyword in IN_PLACE or keyword in _REFERENCES:
                yield child, part, again
            elif isinstance(part, dict):
                if keyword == "properties" and name in part:
                    yield child, part[name], 1
                elif keyword in _OF_MEMBERS:
                    yield from ((child, member, 1) for member in part.values())
                elif keyword == "propertyNames":
                    yield from ((child, member, 1) for member in part)
            elif isinstance(part, list):
                if keyword == "prefixItems" and name < len(part):
                    yield child, part[name], 1
                elif keyword in _OF_ITEMS:
                    yield from ((child, item, 1) for item in part)
