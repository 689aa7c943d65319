"""What rules look at: two versions of a bundle, a snapshot, a tool, or a schema."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from bundles.canonical import semantic_digest
from bundles.compat.dialect import LATEST, readings
from bundles.compat.differences import (
    Difference,
    Steps,
    at,
    differences,
    pinned,
    with_choices_of,
    with_one,
)
from bundles.compat.schema_texts import bare, without_dialect
from bundles.compat.verdict import (
    INPUT_NARROWED,
    NOTHING,
    OUTPUT_WIDENED,
    SCHEMA_UNUSABLE,
    UNDECIDED,
    Answer,
    ContentModel,
    Direction,
    Word,
)
from bundles.contract import Contract
from bundles.mcp.problem import pointer_of
from bundles.mcp.tools import Tool
from bundles.reasons import reason

NOT_COMPARED = reason(
    "SCHEMA_NOT_COMPARED",
    "A schema differs, and whether it can replace the other was not asked here.",
    "compare the two snapshots with `bundlegate snapshot diff`",
)

Contains = Callable[[Any, Any, Direction, ContentModel], Answer]
"""Whether a new schema can replace an old one: `bundles.compat.containment.compare`, or the same in
a process that can be ended (`service.containment`).
"""

_DECLARING = frozenset(
    ("properties", "patternProperties", "unevaluatedProperties", "propertyNames", "allOf", "anyOf",
     "oneOf", "not", "if", "$ref", "$dynamicRef", "$recursiveRef", "dependentSchemas", "enum",
     "const")
)  # fmt: skip
"""Keywords that say which members there may be; without any the members are those of nobody."""

_TYPES = frozenset(("null", "boolean", "number", "integer", "string", "array"))
_MOST_ASKED = 24
"""Differences of one schema that are asked alone."""

_HARMLESS = {
    Direction.BACKWARD: ("required-removed", "enum-value-added"),
    Direction.FORWARD: ("required-added", "enum-value-removed"),
}

_UNTOLD: Mapping[Direction, tuple[str, ...]] = {
    Direction.BACKWARD: (),
    Direction.FORWARD: ("default-added", "default-removed", "default-changed"),
}
"""Kinds of differences that no rule of a direction speaks of."""


def never_asked(old: Any, new: Any, direction: Direction, content_model: ContentModel) -> Answer:
    """The engine of who has no process to spare: nothing is decided."""
    del old, new, direction, content_model
    return Answer(Word.CONDITIONAL, NOT_COMPARED)


@dataclass(frozen=True, slots=True)
class Break:
    """A place at which a schema breaks its other side, and a value that shows it.

    `difference` is None where the schema as a whole breaks and no single place does.
    """

    difference: Difference | None
    witness: Any

    @property
    def kind(self) -> str:
        """Kind of the difference; "whole" without one."""
        return "whole" if self.difference is None else self.difference.kind


@dataclass(frozen=True)
class SchemaPair:
    """A changed schema of a tool, `inputSchema` or `outputSchema`.

    Attributes:
        tool: its name.
        old, new: as served; None where there is none.
        contains: the engine.
    """

    tool: str
    old: Any
    new: Any
    direction: Direction
    contains: Contains = field(repr=False)

    @property
    def member(self) -> str:
        """The tool's member: `inputSchema` or `outputSchema`."""
        return "inputSchema" if self.direction is Direction.BACKWARD else "outputSchema"

    @property
    def are_schemas(self) -> bool:
        """Whether both sides are schema objects, as MCP demands."""
        return isinstance(self.old, dict) and isinstance(self.new, dict)

    @cached_property
    def _read(self) -> tuple[Any, Any]:
        """Both sides in one dialect, over what they can be about."""
        return self._about(_one_reading(self.old)), self._about(_one_reading(self.new))

    def _about(self, schema: Any) -> Any:
        """A schema over the values it is for: arguments and structured results are objects, and an
        input that declares no members declares that there are none.
        """
        schema = _of_objects(schema)
        if self.direction is Direction.BACKWARD and isinstance(schema, dict):
            silent = _DECLARING.isdisjoint(schema)
            return schema | {"properties": {}} if silent else schema
        return schema

    @cached_property
    def answer(self) -> Answer:
        """What the engine says of the whole schemas, closed to what they declare, and where it
        cannot tell, of the places at which they differ.
        """
        if not self.are_schemas:
            return Answer(Word.CONDITIONAL, SCHEMA_UNUSABLE)
        answer = self._ask(self._about(self.old), self._about(self.new))
        if answer.reason_code == UNDECIDED and self._deep_breaks:
            broken = INPUT_NARROWED if self.direction is Direction.BACKWARD else OUTPUT_WIDENED
            return Answer(Word.BREAKING, broken, self._deep_breaks[0].witness)
        return answer

    @cached_property
    def _deep_breaks(self) -> tuple[Break, ...]:
        """Breaks found where two subschemas meet, each shown by a value of the whole schema.

        A search over a large schema may not come by the one place that tells; a search there does,
        and the rest of the value is built around what it found.
        """
        writer, reader = self._sides
        found = []
        for difference in self._telling:
            steps = difference.at
            small = self._ask_as(at(writer, steps), at(with_one(writer, reader, difference), steps))
            if small.word is Word.BREAKING:
                around = self._ask_as(pinned(writer, steps, small.witness), reader)
                if around.word is Word.BREAKING:
                    found.append(Break(difference, around.witness))
        return tuple(found)

    @property
    def _telling(self) -> list[Difference]:
        """The differences that may break the other side, as many as are asked alone."""
        kinds = _HARMLESS[self.direction]
        asked = (d for d in self.differences if d.kind not in kinds)
        return [d for d in asked if not d.kind.startswith("default-")][:_MOST_ASKED]

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """The places at which the schemas differ."""
        return tuple(differences(*self._read)) if self.are_schemas else ()

    @cached_property
    def breaks(self) -> tuple[Break, ...]:
        """The places that break the other side; empty where nothing is proven to."""
        if self.answer.word is not Word.BREAKING:
            return ()
        writer, reader = self._sides
        found = []
        for difference in self._telling:
            answer = self._ask_as(writer, with_one(writer, reader, difference))
            if answer.word is Word.BREAKING:
                found.append(Break(difference, answer.witness))
        known = [each.difference for each in found]
        if any(d not in known for d in self._telling):
            found += [deep for deep in self._deep_breaks if deep.difference not in known]
        return (*found, *self._beside(found))

    def _beside(self, found: Sequence[Break]) -> list[Break]:
        """The whole as a break, where the places found are not all there is to it."""
        values = [b.difference for b in found if b.kind == "enum-value-added" and b.difference]
        if not found:
            return [Break(None, self.answer.witness)]
        if self.direction is Direction.BACKWARD or len(values) < len(found):
            return []
        # new values alone are no break of outputs, so everything else is asked again without them
        writer, reader = self._sides
        answer = self._ask_as(writer, with_choices_of(writer, reader, values))
        return [Break(None, answer.witness)] if answer.word is Word.BREAKING else []

    @property
    def only_names_another_dialect(self) -> bool:
        """Whether the schemas are the same but for `$schema` and texts."""
        old, new = (bare(without_dialect(schema)) for schema in (self.old, self.new))
        return bool(semantic_digest(old) == semantic_digest(new))

    @cached_property
    def undecided(self) -> Answer | None:
        """Why the engine could not tell, where it could not."""
        return self.answer if self.answer.word is Word.CONDITIONAL else None

    def broken(self, *kinds: str) -> list[Break]:
        """The breaks of some kinds."""
        return [each for each in self.breaks if each.kind in kinds]

    def unbroken(self, *kinds: str) -> list[Difference]:
        """The differences of some kinds that break nothing by themselves."""
        breaking = [each.difference for each in self.breaks]
        return [d for d in self.differences if d.kind in kinds and d not in breaking]

    @property
    def restated(self) -> list[Difference | None]:
        """Where a compatible schema says its constraints otherwise; [None] for "as a whole", where
        no place tells; empty where it breaks, or where only its dialect or its members changed.
        """
        if self.answer.word is not Word.COMPATIBLE or self.only_names_another_dialect:
            return []
        found = self.unbroken("constraint", "additional-changed")
        told = [d for d in self.differences if d.kind not in _UNTOLD[self.direction]]
        return [*found] or ([] if told else [None])

    def places(self, difference: Difference | None) -> tuple[str | None, str | None]:
        """JSON pointers of a difference into the old and the new tool."""
        if difference is None:
            return f"/{self.member}", f"/{self.member}"
        return self._pointer(difference.old), self._pointer(difference.new)

    def _pointer(self, steps: Steps | None) -> str | None:
        return None if steps is None else pointer_of([self.member, *steps])

    @property
    def _sides(self) -> tuple[Any, Any]:
        """The writing and the reading side."""
        old, new = self._read
        return (old, new) if self.direction is Direction.BACKWARD else (new, old)

    def _ask_as(self, writer: Any, reader: Any) -> Answer:
        backward = self.direction is Direction.BACKWARD
        return self._ask(*((writer, reader) if backward else (reader, writer)))

    def _ask(self, old: Any, new: Any) -> Answer:
        answer = self.contains(old, new, self.direction, ContentModel.CLOSED)
        if answer.word is Word.BREAKING and answer.witness is NOTHING:
            return Answer(Word.CONDITIONAL, UNDECIDED)
        return answer


def _of_objects(schema: Any) -> Any:
    """A tool's schema over what it can be about: arguments and structured results are objects."""
    if not isinstance(schema, dict):
        return schema
    allowed = schema.get("type", "object")
    if allowed == "object" or (isinstance(allowed, list) and "object" in allowed):
        return {**schema, "type": "object"}
    # of another type alone, no arguments fit it; what is no type at all is the engine's to refuse
    return {"not": {}} if isinstance(allowed, str) and allowed in _TYPES else schema


def _one_reading(schema: Any) -> Any:
    read = readings(schema)
    return read.get(LATEST, next(iter(read.values()), schema))


@dataclass(frozen=True, slots=True)
class ToolPair:
    """A changed tool: both definitions with the defaults of their annotations written out."""

    tool: str
    old: Tool
    new: Tool
    others: Sequence[str] = ()
    """Names of all other tools, before and now."""


@dataclass(frozen=True, slots=True)
class SnapshotPair:
    """Two snapshots of one profile.

    Attributes:
        old, new: tools by name, as listed.
        renamed: old → new name of tools that are probably the same.
        old_facts, new_facts: what else the snapshots say: "revision", "capabilities", "prompts",
            "resources", "resourceTemplates".
    """

    old: Mapping[str, Tool]
    new: Mapping[str, Tool]
    renamed: Mapping[str, str] = field(default_factory=dict)
    old_facts: Mapping[str, Any] = field(default_factory=dict)
    new_facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class BundlePair:
    """Two versions of a bundle."""

    old: Contract
    new: Contract
    contains: Contains = field(repr=False)
    _answered: dict[str, tuple[Answer, Answer]] = field(default_factory=dict, repr=False)

    def answers(self, path: str) -> tuple[Answer, Answer]:
        """Whether the new schema in a file reads what the old one writes, and the other way; each
        file is asked once.
        """
        if path not in self._answered:
            old, new = self.old.documents[path], self.new.documents[path]
            self._answered[path] = (
                self.contains(old, new, Direction.BACKWARD, ContentModel.OPEN),
                self.contains(old, new, Direction.FORWARD, ContentModel.OPEN),
            )
        return self._answered[path]
