"""Schema violations as a report shows them: masked, cut, one sentence each."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from bundles.report.cut import compact, cut, escaped, json_string, shown
from bundles.suite.javascript import is_finite_number, type_name
from bundles.suite.redaction import MASK, is_sensitive_path, masked_json, masked_text
from bundles.suite.schema import SchemaViolation, ViolationCode

SHOWN_KEYS = 20
SHOWN = 200

_COMPARED_WHOLE = (ViolationCode.CONST_MISMATCH, ViolationCode.ENUM_MISMATCH)

_SENTENCES: Mapping[ViolationCode, str] = {
    ViolationCode.TYPE_MISMATCH: "wrong type. Expected: {expected}, actual: {kind}{actual}",
    ViolationCode.CONST_MISMATCH: "wrong value. Expected: {expected}, actual: {actual}",
    ViolationCode.ENUM_MISMATCH: "not one of the expected values. Expected: {expected}, "
    "actual: {actual}",
    ViolationCode.REQUIRED_MISSING: "required field is missing. Found fields: {keys}",
    ViolationCode.ADDITIONAL_PROPERTY: "field is not in the schema.",
    ViolationCode.MIN_ITEMS: "too few items. Expected: at least {expected}, actual: {actual}",
    ViolationCode.MIN_LENGTH: "string is too short. Expected: at least {expected} characters, "
    "actual: {actual}",
    ViolationCode.MAX_LENGTH: "string is too long. Expected: at most {expected} characters, "
    "actual: {actual}",
    ViolationCode.STRING_CONTAINS: "string does not contain what was expected. Expected: "
    "contains {expected}, actual: {actual}",
    ViolationCode.MINIMUM: "value is out of range. Expected: at least {expected}, actual: {actual}",
    ViolationCode.MAXIMUM: "value is out of range. Expected: at most {expected}, actual: {actual}",
}


def located(violation: SchemaViolation) -> str:
    """Where a reader should look: for a missing field, the place where it should have been."""
    if violation.code is ViolationCode.REQUIRED_MISSING:
        return f"{violation.path}.{violation.expected}"
    return violation.path


def describe(violation: SchemaViolation, secrets: Iterable[str] = ()) -> dict[str, Any]:
    """{"code", "path", "expected", "actual", "observedKeys"?, "observedKeysTotal"?, "message"}.

    Objects and arrays are summed up by their size, except where the value itself is compared;
    strings are cut at 200 code points and credentials masked first.
    """
    secrets = tuple(secrets)
    whole = violation.code in _COMPARED_WHOLE
    described: dict[str, Any] = {
        "code": violation.code.value,
        "path": located(violation),
        "expected": _expected(violation),
        "actual": _actual(violation, secrets, whole=whole),
    }
    keys = violation.observed_keys
    if keys is not None:
        described["observedKeys"] = list(keys[:SHOWN_KEYS])
        if len(keys) > SHOWN_KEYS:
            described["observedKeysTotal"] = len(keys)
    described["message"] = _sentence(violation, described)
    return described


def counted(total: int) -> str:
    """`1 violation`, `2 violations`."""
    return f"{total} violation{'' if total == 1 else 's'}"


def in_json(violation: SchemaViolation) -> dict[str, Any]:
    """{"code", "path", "expected", "actual", "observedKeys"?}: as matched, nothing masked or cut.

    For a person who compares files of their own. Write it with `bundles.report.cut.compact`: the
    values may be nested deeper than `json` can write.
    """
    listed: dict[str, Any] = {
        "code": violation.code.value,
        "path": violation.path,
        "expected": violation.expected,
        "actual": violation.actual,
    }
    if violation.observed_keys is not None:
        listed["observedKeys"] = list(violation.observed_keys)
    return listed


def _plain_actual(value: object) -> Any:
    """A value as JSON can hold it: Infinity is null, as JavaScript writes it."""
    if isinstance(value, float) and not is_finite_number(value):
        return None
    return value


def _expected(violation: SchemaViolation) -> Any:
    expected = violation.expected
    if violation.code is ViolationCode.ENUM_MISMATCH:
        return [_structural(candidate) for candidate in expected]
    if violation.code is ViolationCode.CONST_MISMATCH:
        return _structural(expected)
    return cut(expected) if isinstance(expected, str) else expected


def _actual(violation: SchemaViolation, secrets: tuple[str, ...], *, whole: bool) -> Any:
    value = violation.actual
    if value is not None and is_sensitive_path(violation.path):
        return MASK
    if isinstance(value, str):
        return cut(MASK if value in secrets else value)
    if isinstance(value, dict | list):
        if whole:
            return _structural(value, secrets)
        return (
            {"kind": "object", "keys": len(value)}
            if isinstance(value, dict)
            else {"kind": "array", "items": len(value)}
        )
    return _plain_actual(value)


def _structural(value: object, secrets: tuple[str, ...] = ()) -> Any:
    """A value that is compared as a whole: itself while short, else the start of its JSON."""
    if isinstance(value, str):
        return cut(value)
    if not isinstance(value, dict | list):
        return _plain_actual(value)
    text = compact(value, limit=SHOWN)
    if text.endswith("…"):
        return masked_json(value, secrets, limit=SHOWN)
    masked = masked_json(value, secrets)
    return value if masked == text else json.loads(masked)


def _sentence(violation: SchemaViolation, described: Mapping[str, Any]) -> str:
    actual = described["actual"]
    kind = type_name(violation.actual)
    summed_up = isinstance(actual, dict) and actual.get("kind") == kind
    size = next(iter(list(actual.values())[1:]), 0) if summed_up else 0
    keys = ", ".join(f"'{escaped(key)}'" for key in described.get("observedKeys", ()))
    beyond = described.get("observedKeysTotal", 0) - SHOWN_KEYS
    text = _SENTENCES[violation.code].format(
        expected=_words(violation, described["expected"]),
        kind=f"{kind} " if violation.code is ViolationCode.TYPE_MISMATCH else "",
        actual=f"({_counted(size, kind)})" if summed_up else _in_brackets(violation, actual),
        keys=(keys or "none") + (f" and {beyond} more" if beyond > 0 else ""),
    )
    return f"{escaped(cut(described['path']))}: {text}"


def _counted(size: int, kind: str) -> str:
    return f"{size} {'items' if kind == 'array' else 'keys'}"


def _in_brackets(violation: SchemaViolation, actual: object) -> str:
    text = _literal(actual)
    return f"({text})" if violation.code is ViolationCode.TYPE_MISMATCH else text


def _words(violation: SchemaViolation, expected: Any) -> str:
    if violation.code is ViolationCode.TYPE_MISMATCH:
        return str(expected)
    if violation.code is ViolationCode.ENUM_MISMATCH:
        return " | ".join(_literal(candidate) for candidate in expected)
    return _literal(expected)


def _literal(value: object) -> str:
    return json_string(value) if isinstance(value, str) else shown(value)


def body_lines(value: Any, form: str, secrets: Iterable[str] = ()) -> list[str]:
    """What the server answered, for the reader of a failed isError: masked, then cut.

    JSON is one compact line; text keeps its lines, blank ones left out.
    """
    secrets = tuple(secrets)
    if form == "json":
        return [escaped(cut(masked_text(masked_json(value, secrets), secrets)))]
    lines = cut(masked_text(value, secrets)).splitlines()
    return [escaped(line) for line in lines if line.strip()]
