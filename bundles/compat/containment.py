"""May one schema replace another: proof, counterexample, or neither. Pure.

A proof comes from the containment engine of jsonschema-rs, a counterexample from values that a
validator accepts for the writing side and refuses for the reading side. What neither decides is
never called compatible. Time is bounded by the process this runs in (`service.containment`).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

import jsonschema_rs
from jsonschema_rs import canonical

from bundles.canonical import canonical_bytes
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

_MOST_VALUES = 12_000
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
    if canonical_bytes(old) == canonical_bytes(new):
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
        canonical_writer = _canonical(writer, formats=formats)
        canonical_reader = _canonical(reader, formats=formats)
        writing, reading = Side(writer, formats=formats), Side(reader, formats=formats)
    except (ValueError, jsonschema_rs.ReferencingError, canonical.CanonicalizationError):
        return Answer(Word.CONDITIONAL, SCHEMA_UNUSABLE)
    try:
        told = canonical_reader.covers(canonical_writer)
    except ValueError:  # an operand the engine does not support
        told = canonical.Containment.UNKNOWN
    if told == canonical.Containment.YES:
        return Answer(Word.COMPATIBLE, CONTAINED)
    lost = _lost(canonical_writer, canonical_reader, formats=formats)
    witness = _witness(writing, reading, lost)
    if witness is NOTHING:
        return Answer(Word.CONDITIONAL, UNDECIDED)
    return Answer(Word.BREAKING, broken, witness)


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


def _witness(writing: Side, reading: Side, lost: Side | None) -> Any:
    """The smallest value found that one side accepts and the other refuses, or NOTHING."""

    def shows(value: Any) -> bool:
        return writing.accepts(value) and not reading.accepts(value)

    sources = [candidates(writing.root, [reading.root])]
    if lost is not None:
        sources.insert(0, candidates(lost.root, [writing.root, reading.root]))
    sources.append(candidates(reading.root, [writing.root]))
    for value in islice(chain.from_iterable(sources), _MOST_VALUES):
        if shows(value):
            return minimal(value, shows)
    return NOTHING


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
