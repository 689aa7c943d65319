"""May one schema replace another: proof, counterexample, or neither. Pure.

A proof comes from the containment engine of jsonschema-rs, a counterexample from values that a
validator accepts for the writing side and refuses for the reading side. What neither decides is
never called compatible. Time is bounded by the process this runs in (`service.containment`).
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

import jsonschema_rs
from jsonschema_rs import canonical

from bundles.compat.bounds import is_within
from bundles.compat.candidates import candidates
from bundles.compat.closing import closed
from bundles.compat.dialect import DIALECT_UNKNOWN, Draft, readings
from bundles.compat.minimal import minimal
from bundles.compat.side import Side
from bundles.compat.verdict import (
    BUDGET_EXCEEDED,
    CONTAINED,
    DIALECT_DECIDES,
    FORMAT_DECIDES,
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

_FIRST = 400
"""Values tried of each side before anything costly."""

_MOST_VALUES = 6_000
_MANY_CHOICES = 256
_CONTENT = ("contentEncoding", "contentMediaType")
"""Remarks to most validators, and rules to some: nothing here can prove anything about them."""

_GRAVITY = {Word.COMPATIBLE: 0, Word.CONDITIONAL: 1, Word.BREAKING: 2}


def compare(
    old: Any,
    new: Any,
    direction: Direction,
    content_model: ContentModel = ContentModel.OPEN,
) -> Answer:
    """Whether a new schema can replace an old one.

    Args:
        old: JSON Schema of any draft, as parsed.
        new: the other one.
        direction: BACKWARD where `new` reads what was written for `old`, FORWARD the other way.
        content_model: CLOSED to compare what the writing side declares.
    """
    if not is_within(old) or not is_within(new):
        return Answer(Word.CONDITIONAL, BUDGET_EXCEEDED)
    if _spelled(old) == _spelled(new):
        return Answer(Word.COMPATIBLE, CONTAINED)
    backward = direction is Direction.BACKWARD
    writer, reader = (old, new) if backward else (new, old)
    broken = INPUT_NARROWED if backward else OUTPUT_WIDENED
    pairs = list(_pairs(readings(writer), readings(reader)))
    if not pairs:
        return Answer(Word.CONDITIONAL, DIALECT_UNKNOWN)
    answers = [_decide(*pair, broken, content_model) for pair in pairs]
    if len({answer.word for answer in answers}) > 1:
        return Answer(Word.CONDITIONAL, DIALECT_DECIDES)
    return answers[0]


def _spelled(schema: Any) -> str:
    """What only the same schema has; `==` takes true for 1."""
    return json.dumps(schema, sort_keys=True)


def _pairs(writers: dict[Draft, Any], readers: dict[Draft, Any]) -> Iterator[tuple[Any, Any]]:
    """Each way to read both sides; together in one draft wherever both can be read in it."""
    common = sorted(writers.keys() & readers.keys(), reverse=True)
    seen: list[tuple[Any, Any]] = []
    whole = common or ()
    drafts = [(d, d) for d in whole] or [(w, r) for w in writers for r in readers]
    for writing, reading in sorted(drafts, reverse=True):
        pair = writers[writing], readers[reading]
        if pair not in seen:
            seen.append(pair)
            yield pair


def _decide(writer: Any, reader: Any, broken: str, content_model: ContentModel) -> Answer:
    if content_model is ContentModel.CLOSED:
        writer = closed(writer)
    answer = _compared(writer, reader, broken, formats=True)
    if answer.word is Word.COMPATIBLE and _said(reader, _CONTENT) - _said(writer, _CONTENT):
        return Answer(Word.CONDITIONAL, FORMAT_DECIDES)
    if not _said(writer, ("format",)) and not _said(reader, ("format",)):
        return answer
    # validators differ in whether they check formats, so the answer has to hold either way
    unchecked = _compared(writer, reader, broken, formats=False)
    if answer.word is unchecked.word:
        return max((answer, unchecked), key=lambda one: one.witness is not NOTHING)
    if Word.BREAKING in (answer.word, unchecked.word):
        shown = answer if answer.word is Word.BREAKING else unchecked
        return Answer(Word.CONDITIONAL, FORMAT_DECIDES, shown.witness)
    return max((answer, unchecked), key=lambda one: _GRAVITY[one.word])


def _compared(writer: Any, reader: Any, broken: str, *, formats: bool) -> Answer:
    try:
        search = _Search(Side(writer, formats=formats), Side(reader, formats=formats))
        # a counterexample is cheap where there is one, and saves a proof that may never end
        if _choices(writer) * _choices(reader) > _MANY_CHOICES and search.finds_among(_FIRST):
            return Answer(Word.BREAKING, broken, search.witness)
        canonical_writer = _canonical(writer, formats=formats)
        canonical_reader = _canonical(reader, formats=formats)
    except (ValueError, jsonschema_rs.ReferencingError, canonical.CanonicalizationError):
        return Answer(Word.CONDITIONAL, SCHEMA_UNUSABLE)
    if _covers(canonical_reader, canonical_writer):
        return Answer(Word.COMPATIBLE, CONTAINED)
    if search.finds_among(_FIRST):
        return Answer(Word.BREAKING, broken, search.witness)
    lost = _lost(canonical_writer, canonical_reader, formats=formats)
    if (lost is not None and search.finds_in(lost)) or search.finds_among(_MOST_VALUES):
        return Answer(Word.BREAKING, broken, search.witness)
    return Answer(Word.CONDITIONAL, UNDECIDED)


def _covers(reader: jsonschema_rs.CanonicalSchema, writer: jsonschema_rs.CanonicalSchema) -> bool:
    """Whether there is a proof that the reader accepts all that the writer writes."""
    try:
        return reader.covers(writer) == canonical.Containment.YES
    except ValueError:  # an operand the engine does not support
        return False


def _canonical(schema: Any, *, formats: bool) -> jsonschema_rs.CanonicalSchema:
    return jsonschema_rs.canonicalize(
        schema, draft=jsonschema_rs.Draft202012, validate_formats=formats, offline=True
    )


def _lost(
    writer: jsonschema_rs.CanonicalSchema,
    reader: jsonschema_rs.CanonicalSchema,
    *,
    formats: bool,
) -> Side | None:
    """What the writer may write and the reader refuses, as a schema; None where it has none."""
    try:
        schema = writer.subtract(reader).to_json_schema()
        return Side(schema, formats=formats) if is_within(schema) else None
    except (ValueError, jsonschema_rs.ReferencingError):
        return None


class _Search:
    """Looks for a value that the writing side accepts and the reading side refuses."""

    def __init__(self, writing: Side, reading: Side) -> None:
        self.witness: Any = NOTHING
        self._writing, self._reading = writing, reading
        self._sources = [
            candidates(writing.root, [reading.root]),
            candidates(reading.root, [writing.root]),
        ]

    def finds_among(self, most: int) -> bool:
        """Whether one of the next values of each source shows the difference; `witness` is it."""
        return self._finds(chain.from_iterable(islice(source, most) for source in self._sources))

    def finds_in(self, lost: Side) -> bool:
        """Whether one is among the values of a schema of what is lost."""
        return self._finds(candidates(lost.root, [self._writing.root, self._reading.root]))

    def _finds(self, values: Iterator[Any]) -> bool:
        found = next((value for value in values if self._shows(value)), NOTHING)
        if found is not NOTHING:
            self.witness = minimal(found, self._shows)
        return found is not NOTHING

    def _shows(self, value: Any) -> bool:
        return self._writing.accepts(value) and not self._reading.accepts(value)


def _choices(schema: Any) -> int:
    """How many combinations of alternatives a schema has, counted up to a bound."""
    combinations = 1
    waiting = [schema]
    while waiting and combinations <= _MANY_CHOICES:
        node = waiting.pop()
        if isinstance(node, dict):
            for word in ("anyOf", "oneOf"):
                listed = node.get(word)
                combinations *= len(listed) if isinstance(listed, list) and listed else 1
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    return combinations


def _said(schema: Any, keywords: Sequence[str]) -> Counter[tuple[str, str]]:
    """How often some keywords, whose values are texts, say what."""
    found: Counter[tuple[str, str]] = Counter()
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            found.update((word, node[word]) for word in keywords if isinstance(node.get(word), str))
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    return found
