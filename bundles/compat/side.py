"""One side of a comparison: a schema of 2020-12 with validators of itself and of its parts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import jsonschema_rs

from bundles.json_walk import escape_pointer

_URI = "urn:bundlegate:side"
_MOST_ALTERNATIVES = 16
_MOST_NODES = 200
_IN_PLACE = ("allOf", "anyOf", "oneOf")
_CONDITIONAL = ("if", "then", "else", "not")


@dataclass(frozen=True, slots=True)
class Part:
    """A subschema with the JSON pointer it stands at."""

    side: "Side"
    pointer: str
    schema: Any

    @property
    def rules(self) -> Mapping[str, Any]:
        """Its keywords; none where it is a boolean."""
        return self.schema if isinstance(self.schema, dict) else {}

    def at(self, *tokens: str | int) -> "Part | None":
        """The subschema under a keyword, None where there is none."""
        schema, pointer = self.schema, self.pointer
        for token in tokens:
            named = isinstance(schema, dict) and token in schema
            if not named and not (isinstance(schema, list) and 0 <= int(token) < len(schema)):
                return None
            schema = schema[token]
            pointer += f"/{escape_pointer(str(token))}"
        return Part(self.side, pointer, schema) if isinstance(schema, dict | bool) else None

    def accepts(self, value: Any) -> bool:
        """Whether this subschema alone accepts a value."""
        return self.side.part_accepts(self.pointer, value)


class Side:
    """A schema and its validators.

    Args:
        schema: of 2020-12, self-contained.
        formats: whether `format` is checked.

    Raises:
        ValueError: no validator can be built for it.
    """

    def __init__(self, schema: Any, *, formats: bool) -> None:
        self.schema = schema
        self._formats = formats
        self._validator = jsonschema_rs.Draft202012Validator(
            schema, validate_formats=formats, offline=True
        )
        self._registry = jsonschema_rs.Registry([(_URI, schema)])
        self._parts: dict[str, jsonschema_rs.Draft202012Validator | None] = {}

    @property
    def root(self) -> Part:
        """The whole schema as a part."""
        return Part(self, "", self.schema)

    def accepts(self, value: Any) -> bool:
        """Whether the schema accepts a value; a pattern that cannot be followed refuses it."""
        try:
            return bool(self._validator.is_valid(value))
        except ValueError:
            return False

    def part_accepts(self, pointer: str, value: Any) -> bool:
        """Whether the subschema at a pointer accepts a value; True where it cannot be asked."""
        if pointer not in self._parts:
            self._parts[pointer] = self._compiled(pointer)
        validator = self._parts[pointer]
        try:
            return validator is None or bool(validator.is_valid(value))
        except ValueError:
            return True

    def _compiled(self, pointer: str) -> jsonschema_rs.Draft202012Validator | None:
        try:
            return jsonschema_rs.Draft202012Validator(
                {"$ref": f"{_URI}#{pointer}"},
                registry=self._registry,
                validate_formats=self._formats,
                offline=True,
            )
        except (ValueError, jsonschema_rs.ReferencingError):
            return None

    def matches(self, pattern: str, name: str) -> bool:
        """Whether a member name matches a pattern; a pattern that cannot be followed does not."""
        try:
            return bool(jsonschema_rs.Draft202012Validator({"pattern": pattern}).is_valid(name))
        except ValueError:
            return False

    def target(self, reference: object) -> Part | None:
        """What a reference by position leads to; None for every other kind."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        if reference == "#":
            return self.root
        tokens = unquote(reference[1:]).split("/")
        found: Any = self.schema
        for token in tokens[1:]:
            name = token.replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict) and name in found:
                found = found[name]
            elif isinstance(found, list) and name.isdecimal() and int(name) < len(found):
                found = found[int(name)]
            else:
                return None
        pointer = unquote(reference[1:])
        return Part(self, pointer, found) if isinstance(found, dict | bool) else None


def everything(parts: Sequence[Part]) -> list[Part]:
    """All subschemas that look at the same value, negated and conditional ones as well."""
    found: dict[tuple[int, str], Part] = {}
    waiting = list(reversed(parts))
    while waiting and len(found) < _MOST_NODES:
        part = waiting.pop()
        key = (id(part.side), part.pointer)
        if key in found:
            continue
        found[key] = part
        waiting.extend(reversed(list(_below(part))))
    return list(found.values())


def _below(part: Part) -> Iterator[Part]:
    rules = part.rules
    target = part.side.target(rules.get("$ref"))
    if target is not None:
        yield target
    for keyword in _IN_PLACE:
        listed = rules.get(keyword)
        for at in range(len(listed) if isinstance(listed, list) else 0):
            if (child := part.at(keyword, at)) is not None:
                yield child
    for keyword in _CONDITIONAL:
        if (child := part.at(keyword)) is not None:
            yield child
    dependent = rules.get("dependentSchemas")
    for name in dependent if isinstance(dependent, dict) else ():
        if (child := part.at("dependentSchemas", name)) is not None:
            yield child


def alternatives(part: Part) -> list[list[Part]]:
    """Sets of subschemas that a value has to satisfy together, one set a choice."""
    return _alternatives(part, frozenset())


def _alternatives(part: Part, seen: frozenset[str]) -> list[list[Part]]:
    if part.pointer in seen:
        return [[]]
    seen |= {part.pointer}
    made: list[list[Part]] = [[part]]
    rules = part.rules
    target = part.side.target(rules.get("$ref"))
    if target is not None:
        made = _joined(made, _alternatives(target, seen))
    for keyword in _IN_PLACE:
        listed = rules.get(keyword)
        if not isinstance(listed, list):
            continue
        children = [child for at in range(len(listed)) if (child := part.at(keyword, at))]
        if keyword == "allOf":
            for child in children:
                made = _joined(made, _alternatives(child, seen))
        elif children:
            choices = [sets for child in children for sets in _alternatives(child, seen)]
            made = _joined(made, choices)
    branches = [child for word in ("then", "else") if (child := part.at(word))]
    if branches:
        made = _joined(made, [s for child in branches for s in _alternatives(child, seen)])
    return made


def _joined(left: list[list[Part]], right: list[list[Part]]) -> list[list[Part]]:
    return [[*a, *b] for a in left for b in right][:_MOST_ALTERNATIVES]
