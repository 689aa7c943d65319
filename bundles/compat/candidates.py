"""Values that may show the difference between two schemas, made from what both of them say.

A value is built to satisfy one side, the leading one, and then changed in one place at a time to
what either side names or draws a line at. Nothing here is random: the same schemas give the same
values in the same order, whatever the order of their members.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from bundles.canonical import canonical_bytes
from bundles.compat import scalars
from bundles.compat.side import Part, alternatives, everything
from bundles.errors import Refused

_DEEPEST = 5
_MOST = (4_000, 160, 60, 24, 12, 6)
"""Values of a place by its depth."""

_MOST_NAMES = 200
_MOST_ITEMS = 1_100
_UNDECLARED = "x"


def candidates(leading: Part, others: Sequence[Part]) -> Iterator[Any]:
    """Values to try, most telling ones first; bounded, and each of them once."""
    yield from _unlike(_values(leading, others, 0), _MOST[0])


def _unlike(values: Iterator[Any], most: int) -> Iterator[Any]:
    seen: set[bytes] = set()
    for value in islice(values, most * 4):
        try:
            told = canonical_bytes(value)
        except Refused:  # a number or a text that JSON cannot carry
            continue
        if told not in seen:
            seen.add(told)
            yield value
            if len(seen) >= most:
                return


def _place(leading: Part | None, others: Sequence[Part], depth: int) -> list[Any]:
    """The values of a place inside a value."""
    if leading is None:
        if not others:
            return list(scalars.plain())
        leading, others = others[0], others[1:]
    if depth > _DEEPEST:
        return list(islice(_scalars([leading, *others]), _MOST[-1]))
    return list(_unlike(_values(leading, others, depth), _MOST[depth]))


def _values(leading: Part, others: Sequence[Part], depth: int) -> Iterator[Any]:
    around = everything([leading, *others])
    fitting = sorted(_scalars(around), key=lambda value: not leading.accepts(value))
    sources: list[Iterator[Any]] = [iter(fitting)]
    for choice in alternatives(leading):
        if all(_may_be("object", part) for part in choice):
            sources.append(_objects(choice, around, depth))
        if all(_may_be("array", part) for part in choice):
            sources.append(_arrays(choice, around, depth))
    yield from _in_turn(sources)


def _in_turn(sources: list[Iterator[Any]]) -> Iterator[Any]:
    """One value of each source after another: no choice uses up the room of the others."""
    while sources:
        for source in tuple(sources):
            try:
                yield next(source)
            except StopIteration:
                sources.remove(source)


def _scalars(around: Sequence[Part]) -> Iterator[Any]:
    for part in around:
        yield from scalars.named(part.rules)
    for part in around:
        yield from scalars.near(part.rules)
    yield from scalars.plain()
    yield from ({}, [], {_UNDECLARED: 1}, ["a"])


def _objects(choice: Sequence[Part], around: Sequence[Part], depth: int) -> Iterator[Any]:
    names = _names(around)
    required = [name for part in choice for name in _texts(part.rules.get("required"))]
    declared = [name for part in choice for name in _keys(part.rules.get("properties"))]
    least = max((part.rules["minProperties"] for part in choice
                 if scalars.is_count(part.rules.get("minProperties"))), default=0)  # fmt: skip
    members: dict[str, list[Any]] = {}

    def of(name: str) -> list[Any]:
        if name not in members:
            own, rest = _members(name, choice), _members(name, around)
            lead = own[0] if own else None
            values = _place(lead, [*own[1:], *rest], depth + 1)
            # what the leading side accepts there comes first
            values.sort(key=lambda value: not all(part.accepts(value) for part in own))
            members[name] = values
        return members[name]

    few = {name: of(name)[0] for name in dict.fromkeys(required)}
    for name in [*declared, *(f"{_UNDECLARED}{at}" for at in range(least))]:
        if len(few) < least and name not in few:
            few[name] = of(name)[0]
    yield dict(few)
    full = few | {name: of(name)[0] for name in dict.fromkeys(declared)}
    yield dict(full)
    for base in (few, full):
        for name in names:
            for value in of(name):
                yield {**base, name: value}
            if name in base:
                yield {key: value for key, value in base.items() if key != name}
    for most in sorted({bound for part in around for bound in _bounds(part, "Properties")}):
        grown = dict(full)
        for at in range(most):
            if len(grown) < most:
                grown[f"{_UNDECLARED}{at}"] = of(f"{_UNDECLARED}{at}")[0]
        yield grown
        yield dict(list(few.items())[:most])


def _names(around: Sequence[Part]) -> list[str]:
    """Every member name that the schemas of a place mean, and one that none of them does."""
    found: dict[str, None] = {}
    for part in around:
        rules = part.rules
        for keyword in ("properties", "dependentRequired", "dependentSchemas"):
            found.update(dict.fromkeys(_keys(rules.get(keyword))))
        found.update(dict.fromkeys(_texts(rules.get("required"))))
        dependent = rules.get("dependentRequired")
        for needed in dependent.values() if isinstance(dependent, dict) else ():
            found.update(dict.fromkeys(_texts(needed)))
        for pattern in _keys(rules.get("patternProperties")):
            for text in scalars.matching(pattern, {}):
                found.update(dict.fromkeys((text, f"{text}a", f"a{text}")))
        named = part.at("propertyNames")
        if named is not None:
            texts = islice(_scalars(everything([named])), 40)
            found.update(dict.fromkeys(text for text in texts if isinstance(text, str)))
        # an undeclared member counts where a rule for undeclared ones is said
    found[_UNDECLARED] = None
    return list(found)[:_MOST_NAMES]


def _members(name: str, around: Sequence[Part]) -> list[Part]:
    """The subschemas of a member, over all subschemas of its object."""
    found: list[Part] = []
    for part in around:
        own = part.at("properties", name)
        looked_at = own is not None
        if own is not None:
            found.append(own)
        for pattern in _keys(part.rules.get("patternProperties")):
            child = part.at("patternProperties", pattern)
            if child is not None and part.side.matches(pattern, name):
                looked_at = True
                found.append(child)
        for keyword in ("additionalProperties", "unevaluatedProperties"):
            rest = part.at(keyword)
            if rest is not None and not looked_at:
                found.append(rest)
    return found


def _arrays(choice: Sequence[Part], around: Sequence[Part], depth: int) -> Iterator[Any]:
    least = max((part.rules["minItems"] for part in choice
                 if scalars.is_count(part.rules.get("minItems"))), default=0)  # fmt: skip
    items: dict[int, list[Any]] = {}

    def of(at: int) -> list[Any]:
        longest = max((len(p.rules.get("prefixItems") or ()) for p in around), default=0)
        at = min(at, longest)  # all that follow are alike
        if at not in items:
            own, rest = _items(at, choice), _items(at, around)
            lead = own[0] if own else None
            values = _place(lead, [*own[1:], *rest], depth + 1)
            values.sort(key=lambda value: not all(part.accepts(value) for part in own))
            items[at] = values
        return items[at]

    if not any(_array_keywords(part) for part in around):
        yield from ([], ["a"], [{}])
        return
    sizes = {0, 1, 2, 3, *(b for part in around for b in _bounds(part, "Items"))}
    for size in sorted(sizes):
        # one value over and over, and where items must differ, different ones
        yield [of(at)[0] for at in range(size)]
        yield [of(at)[at % len(of(at))] for at in range(size)]
        yield [_unlike_others(of(at), at) for at in range(size)]
    for size in sorted({max(1, least), least + 1, 2}):
        base = [_unlike_others(of(at), at) for at in range(size)]
        plain = [of(at)[0] for at in range(size)]
        for at in range(min(size, 8)):
            for value in of(at):
                yield [*base[:at], value, *base[at + 1 :]]
                yield [*plain[:at], value, *plain[at + 1 :]]


def _unlike_others(values: Sequence[Any], at: int) -> Any:
    """One more value of the kind of the first, different for each place."""
    first = values[0]
    if isinstance(first, str):
        return f"{first}{at}" if at else first
    if isinstance(first, int) and not isinstance(first, bool):
        return first + at
    return values[at % len(values)]


def _items(at: int, around: Sequence[Part]) -> list[Part]:
    found: list[Part] = []
    for part in around:
        child = part.at("prefixItems", at)
        if child is None:
            child = part.at("items")
        if child is not None:
            found.append(child)
        found += [rest for word in ("contains", "unevaluatedItems") if (rest := part.at(word))]
    return found


def _array_keywords(part: Part) -> bool:
    words = ("items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems",
             "unevaluatedItems", "minContains", "maxContains")  # fmt: skip
    return any(word in part.rules for word in words) or "array" in _types(part)


def _types(part: Part) -> Sequence[str]:
    kind = part.rules.get("type")
    return kind if isinstance(kind, list) else [str(kind)]


def _may_be(kind: str, part: Part) -> bool:
    return "type" not in part.rules or kind in _types(part)


def _bounds(part: Part, what: str) -> Iterator[int]:
    for keyword in (f"min{what}", f"max{what}", "minContains", "maxContains"):
        bound = part.rules.get(keyword)
        if scalars.is_count(bound):
            yield from (b for b in (bound - 1, bound, bound + 1) if 0 <= b <= _MOST_ITEMS)


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _keys(value: object) -> list[str]:
    return sorted(value) if isinstance(value, dict) else []
