"""valueAt: what a JSON pointer leads to equals a value, contains one, or is absent."""

from collections.abc import Mapping
from typing import Any

from bundles.suite.assertions.kind import EVERY_OPERATION, Kind
from bundles.suite.assertions.place import (
    POINTER,
    POINTER_EXPECTS,
    SOURCE,
    found_at,
    nothing_there,
    shown_place,
    validate_place,
)
from bundles.suite.assertions.seen import Seen
from bundles.suite.extraction import NotExtracted
from bundles.suite.issues import IssueCode, Issues
from bundles.suite.model import Assertion
from bundles.suite.outcomes import VALUE_MISMATCH, AssertionOutcome
from bundles.suite.paths import Path
from bundles.suite.pointer import ABSENT
from bundles.suite.redaction import MASK, is_sensitive, quoted
from bundles.suite.schema import equal
from bundles.suite.validate_schema import validate_json

_TYPE = "valueAt"
_CONDITIONS = ("equals", "contains", "absent")


def _judge(assertion: Assertion, seen: Seen) -> AssertionOutcome:
    given = assertion.given
    source, pointer = given.get("in", "result"), given["pointer"]
    found = found_at(source, pointer, seen)
    if "absent" in given:
        # without a body nobody can say what is absent from it
        if isinstance(found, NotExtracted):
            return _failed(nothing_there(source, pointer, found, seen))
        if (found is ABSENT) is given["absent"]:
            return AssertionOutcome(_TYPE, "passed")
        if found is ABSENT:
            return _failed(nothing_there(source, pointer, found, seen))
        actual = _masked(found, pointer, seen)
        return _failed(f"expected nothing at {shown_place(source, pointer)}, got {actual}")
    if found is ABSENT or isinstance(found, NotExtracted):
        return _failed(nothing_there(source, pointer, found, seen))
    condition = "equals" if "equals" in given else "contains"
    wanted = given[condition]
    if equal(wanted, found) if condition == "equals" else _contains(found, wanted):
        return AssertionOutcome(_TYPE, "passed")
    return _failed(
        f"{shown_place(source, pointer)}: expected {_WORDS[condition]} "
        f"{_masked(wanted, pointer, seen)}, got {_masked(found, pointer, seen)}"
    )


_WORDS = {"equals": "the value", "contains": "something that contains"}


def _failed(message: str) -> AssertionOutcome:
    return AssertionOutcome(_TYPE, "failed", VALUE_MISMATCH, message)


def _contains(found: Any, wanted: Any) -> bool:
    """A string contains a part of it, an array an element; nothing else contains anything."""
    if isinstance(found, str):
        return isinstance(wanted, str) and wanted in found
    return isinstance(found, list) and any(equal(wanted, item) for item in found)


def _masked(value: Any, pointer: str, seen: Seen) -> str:
    if any(is_sensitive(step) for step in pointer.split("/")):
        return MASK
    return quoted(value, seen.secrets)


def _validate(given: Mapping[str, Any], path: Path, issues: Issues) -> None:
    validate_place(given, path, issues)
    named = [name for name in _CONDITIONS if name in given]
    if len(named) != 1:
        issues.add(
            IssueCode.INVALID_VALUE,
            path,
            f"expects exactly one of {', '.join(_CONDITIONS)}, got {' and '.join(named) or 'none'}",
        )
    if "equals" in given:
        validate_json(given["equals"], path.field("equals"), issues)
    if "contains" in given:
        validate_json(given["contains"], path.field("contains"), issues)
        if given["contains"] == "":
            issues.wrong_value(path.field("contains"), "something to find", "")
    if not isinstance(given.get("absent", True), bool):
        issues.wrong_type(path.field("absent"), "true or false", given["absent"])


VALUE_AT = Kind(
    type=_TYPE,
    operations=EVERY_OPERATION,
    members={
        "in": SOURCE,
        "pointer": POINTER,
        "equals": {},
        "contains": {"not": {"const": ""}},
        "absent": {"type": "boolean"},
    },
    required={"pointer": POINTER_EXPECTS},
    one_of=_CONDITIONS,
    judge=_judge,
    validate=_validate,
    variables_in=("equals", "contains"),
)
