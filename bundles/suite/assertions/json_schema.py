"""jsonMatchesSchema: a value and a JSON Schema of draft 2020-12, whole, formats asserted.

References lead into the schema itself: nothing is ever fetched. The library that compares keeps its
place on the machine's stack, so what nests deeper than its bounds is refused, not risked; it cannot
be interrupted either, so what would take too long is told before (`bundles.schema_effort`).
"""

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

from bundles.report.cut import cut, escaped, shown
from bundles.schema_effort import MOST_REFERRED, is_bearable, is_bearable_anywhere
from bundles.schema_index import Fault, SchemaIndex, SchemaSource
from bundles.suite.assertions.kind import EVERY_OPERATION, Kind
from bundles.suite.assertions.place import (
    POINTER,
    SOURCE,
    found_at,
    nothing_there,
    shown_place,
    validate_place,
)
from bundles.suite.assertions.seen import Seen
from bundles.suite.diagnostics import KEYWORD_VIOLATED, extent, sentence
from bundles.suite.extraction import NotExtracted
from bundles.suite.issues import IssueCode, Issues
from bundles.suite.json_keywords import asserts_something, validate_keywords
from bundles.suite.model import Assertion
from bundles.suite.outcomes import JSON_SCHEMA_MISMATCH, AssertionOutcome
from bundles.suite.paths import Path
from bundles.suite.pointer import ABSENT, lookup, pointer_to
from bundles.suite.redaction import MASK, is_sensitive, quoted
from bundles.suite.schema import MAX_LISTED
from bundles.suite.validate_schema import validate_json

if TYPE_CHECKING:
    import jsonschema_rs

_TYPE = "jsonMatchesSchema"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"

DEEPEST_SCHEMA = 100
"""Levels of objects and arrays in a schema."""

DEEPEST_VALUE = 1_000
"""Levels of objects and arrays in a value that is compared."""

MOST_STEPS_TO_EXPLAIN = 10_000
"""Steps of a comparison whose violations are listed: each alternative that fails keeps a copy of
the value and of every violation below it.
"""


def _judge(assertion: Assertion, seen: Seen) -> AssertionOutcome:
    given = assertion.given
    source, pointer = given.get("in", "result"), given.get("pointer", "")
    found = found_at(source, pointer, seen)
    if found is ABSENT or isinstance(found, NotExtracted):
        return _failed(nothing_there(source, pointer, found, seen))
    place = shown_place(source, pointer)
    if _deeper(found, DEEPEST_VALUE):
        return _failed(f"{place} nests deeper than {DEEPEST_VALUE} levels and cannot be compared")
    index, compiled = _index(given["schema"]), _compiled(given["schema"])
    if not is_bearable(index, found):
        return _failed(f"{place}: comparing it with this JSON Schema would take too long")
    if compiled.is_valid(found):
        return AssertionOutcome(_TYPE, "passed")
    if not is_bearable(index, found, most=MOST_STEPS_TO_EXPLAIN):
        return _failed(f"{place} differs from the expected JSON Schema; too much to say where")
    errors = iter(compiled.iter_errors(found))
    listed = list(islice(errors, MAX_LISTED))
    total = len(listed) + sum(1 for _ in errors)
    return AssertionOutcome(
        _TYPE,
        "failed",
        JSON_SCHEMA_MISMATCH,
        f"{place} differs from the expected JSON Schema: {extent(total, len(listed))}",
        violations=tuple(_described(error, given["schema"], pointer, seen) for error in listed),
        total_violations=total,
    )


def _failed(message: str) -> AssertionOutcome:
    return AssertionOutcome(_TYPE, "failed", JSON_SCHEMA_MISMATCH, message)


def _described(
    error: "jsonschema_rs.ValidationError", schema: Mapping[str, Any], root: str, seen: Seen
) -> dict[str, Any]:
    """{"code", "path", "keyword", "expected", "actual", "message"}: what failed, and where."""
    missing = error.kind.as_dict().get("property") if error.kind.name == "required" else None
    wanted = missing or lookup(schema, pointer_to(error.schema_path))
    path = root + pointer_to(error.instance_path)
    hidden = any(is_sensitive(name) for name in path.split("/"))
    described = {
        "code": KEYWORD_VIOLATED,
        "path": path,
        "keyword": escaped(cut(str(error.schema_path[-1] if error.schema_path else "false"))),
        "expected": shown(wanted),
        "actual": MASK if hidden else quoted(error.instance, seen.secrets),
    }
    return {**described, "message": sentence(described)}


def _validate(given: Mapping[str, Any], path: Path, issues: Issues) -> None:
    if "schema" in given:
        _validate_schema(given["schema"], path.field("schema"), issues)
    validate_place(given, path, issues)


def _validate_schema(schema: object, path: Path, issues: Issues) -> None:
    if not isinstance(schema, dict):
        issues.wrong_type(path, "a JSON Schema object", schema)
        return
    if not asserts_something(schema):
        kind = "a schema of notes alone" if schema else "an empty schema"
        issues.add(IssueCode.INVALID_VALUE, path, f"{kind} would accept every response")
        return
    dialect = schema.get("$schema", _DIALECT)
    if not isinstance(dialect, str) or dialect.removesuffix("#") != _DIALECT:
        issues.wrong_value(path.field("$schema"), _DIALECT, dialect)
        return
    if _deeper(schema, DEEPEST_SCHEMA):
        why = f"nests deeper than {DEEPEST_SCHEMA} levels"
        issues.add(IssueCode.INVALID_SCHEMA, path, why)
        return
    before = len(issues.found)
    validate_json(schema, path, issues)
    validate_keywords(schema, path, issues)
    if len(issues.found) == before and (why := _unusable(schema)):
        issues.add(IssueCode.INVALID_SCHEMA, path, why)


def _unusable(schema: Mapping[str, Any]) -> str:
    """Why a schema cannot be used, or "" when it can."""
    import jsonschema_rs  # noqa: PLC0415 - see _compiled

    index = _index(schema)
    if index.referred > MOST_REFERRED:
        return "its references multiply: reading it would take too long"
    try:
        _compiled(schema)
    except jsonschema_rs.ValidationError as error:
        place = pointer_to(error.instance_path)
        return f"no JSON Schema of draft 2020-12: {place or 'the schema'}: {cut(error.message)}"
    except (jsonschema_rs.ReferencingError, ValueError) as error:
        return f"cannot be used: {cut(str(error))}"
    return _endless(index)


def _endless(index: SchemaIndex) -> str:
    """Why following the references of a schema would not end in time, or "" where it would.

    A validator that meets the same reference again for the same value takes it as kept: what leads
    back to itself would assert nothing.
    """
    for ref in index.refs:
        if ref.fault is Fault.UNRESOLVED:
            # the validator may follow it; what it costs could not be told
            return f"{ref.keyword} {shown(ref.value)} leads to no subschema under a keyword"
    node = next(iter(index.endless()), None)
    if node is not None:
        _, place = index.place(node)
        return f"{place or 'the schema'}: the reference leads back to itself for the same value"
    if not is_bearable_anywhere(index):
        return "its references multiply: comparing any value would take too long"
    return ""


def _index(schema: Mapping[str, Any]) -> SchemaIndex:
    return SchemaIndex([SchemaSource("", "", schema, addressable=False)])


def _compiled(schema: Mapping[str, Any]) -> "jsonschema_rs.Draft202012Validator":
    import jsonschema_rs  # noqa: PLC0415 - most suites never need it

    return jsonschema_rs.Draft202012Validator(
        dict(schema), validate_formats=True, retriever=_never_fetch
    )


def _never_fetch(uri: str) -> NoReturn:
    msg = f"{uri} is outside the schema, and nothing is fetched"
    raise ValueError(msg)


def _deeper(value: object, levels: int) -> bool:
    level: list[object] = [value]
    for _ in range(levels + 1):
        level = [
            child
            for node in level
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return False
    return True


JSON_MATCHES_SCHEMA = Kind(
    type=_TYPE,
    operations=EVERY_OPERATION,
    members={
        "schema": {
            "type": "object",
            "minProperties": 1,
            "properties": {"$schema": {"enum": [_DIALECT, f"{_DIALECT}#"]}},
        },
        "in": SOURCE,
        "pointer": POINTER,
    },
    required={"schema": "a JSON Schema object"},
    judge=_judge,
    validate=_validate,
)
