"""Schema violations as a report shows them: masked, cut, one sentence each, in any language."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from bundles.report.cut import compact, counted, cut, escaped, json_string, shown
from bundles.suite.javascript import is_finite_number, type_name
from bundles.suite.language import ENGLISH, Words
from bundles.suite.redaction import MASK, is_sensitive_path, masked_json, masked_text
from bundles.suite.schema import SchemaViolation, ViolationCode

SHOWN_KEYS = 20
SHOWN = 200

KEYWORD_VIOLATED = "KEYWORD_VIOLATED"
"""A keyword of JSON Schema 2020-12 does not hold: what jsonMatchesSchema says of each place."""

_COMPARED_WHOLE = (ViolationCode.CONST_MISMATCH, ViolationCode.ENUM_MISMATCH)


def located(violation: SchemaViolation) -> str:
    """Where a reader should look: for a missing field, the place where it should have been."""
    if violation.code is ViolationCode.REQUIRED_MISSING:
        return f"{violation.path}.{violation.expected}"
    return violation.path


def describe(violation: SchemaViolation, secrets: Iterable[str] = ()) -> dict[str, Any]:
    """A violation as plain JSON for a report.

    {"code", "path", "expected", "expectedTotal"?, "actual", "actualChars"?, "actualType"?,
    "observedKeys"?, "observedKeysTotal"?, "message"}. Objects and arrays are summed up by their
    size ({"kind": "object", "keys"} or {"kind": "array", "items"}), except where the value itself
    is compared. Credentials are masked first; then a value is cut at 200 code points, which
    "actualChars" says, a list of names or candidates at 20, which the totals say. "actualType" is
    there where what is shown has another type: a masked number, or Infinity, shown as null.
    """
    secrets = tuple(secrets)
    described: dict[str, Any] = {
        "code": violation.code.value,
        "path": located(violation),
        "expected": _expected(violation),
    }
    if violation.code is ViolationCode.ENUM_MISMATCH and len(violation.expected) > SHOWN_KEYS:
        described["expectedTotal"] = len(violation.expected)
    described["actual"], characters = _actual(violation, secrets)
    if characters:
        described["actualChars"] = characters
    if _kind(described) != type_name(violation.actual):
        described["actualType"] = type_name(violation.actual)
    keys = violation.observed_keys
    if keys is not None:
        described["observedKeys"] = [_clipped(masked_text(k, secrets)) for k in keys[:SHOWN_KEYS]]
        if len(keys) > SHOWN_KEYS:
            described["observedKeysTotal"] = len(keys)
    described["message"] = sentence(described)
    return described


def sentence(described: Mapping[str, Any], words: Words = ENGLISH) -> str:
    """One safe line about a violation that `describe` made, in the words of a language.

    Or about a keyword of JSON Schema that does not hold (code `KEYWORD_VIOLATED`): {"code", "path",
    "keyword", "expected", "actual"}, all of them text that is safe to show.
    """
    code = described["code"]
    if code == KEYWORD_VIOLATED:
        place = escaped(cut(described["path"])) or words("violation.whole")
        values = {name: described[name] for name in ("keyword", "expected", "actual")}
        return f"{place}: {words(f'violation.{code}', **values)}"
    told = words(
        f"violation.{code}",
        expected=_candidates(described, words),
        kind=f"{_kind(described)} " if code == ViolationCode.TYPE_MISMATCH else "",
        actual=_told(described, words),
        keys=_keys(described, words),
    )
    return f"{escaped(cut(described['path']))}: {told}"


def extent(total: int, listed: int) -> str:
    """`2 violations`; `12 violations, the first 10 listed`."""
    told = counted(total, "violation")
    return told if listed == total else f"{told}, the first {listed} listed"


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


def _clipped(text: str) -> str:
    """The first 200 code points, an ellipsis where there were more."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _expected(violation: SchemaViolation) -> Any:
    expected = violation.expected
    if violation.code is ViolationCode.ENUM_MISMATCH:
        return [_whole(candidate) for candidate in expected[:SHOWN_KEYS]]
    if violation.code is ViolationCode.CONST_MISMATCH:
        return _whole(expected)
    return _clipped(expected) if isinstance(expected, str) else expected


def _actual(violation: SchemaViolation, secrets: tuple[str, ...]) -> tuple[Any, int]:
    """The value found, and its length where it was cut."""
    value = violation.actual
    if value is not None and is_sensitive_path(violation.path):
        return MASK, 0
    if isinstance(value, str):
        text = masked_text(value, secrets)
        return text[:SHOWN], len(text) if len(text) > SHOWN else 0
    if not isinstance(value, dict | list):
        return _plain(value), 0
    if violation.code in _COMPARED_WHOLE:
        return _whole(value, secrets), 0
    if isinstance(value, dict):
        return {"kind": "object", "keys": len(value)}, 0
    return {"kind": "array", "items": len(value)}, 0


def _plain(value: object) -> Any:
    """A value as JSON can hold it: Infinity is null, as JavaScript writes it."""
    if isinstance(value, float) and not is_finite_number(value):
        return None
    return value


def _whole(value: object, secrets: tuple[str, ...] = ()) -> Any:
    """A value that is compared as a whole: itself while short, else the start of its JSON."""
    if isinstance(value, str):
        return _clipped(value)
    if not isinstance(value, dict | list):
        return _plain(value)
    plain = compact(value, limit=SHOWN)
    masked = masked_text(masked_json(value, secrets, limit=SHOWN), secrets)
    if plain.endswith("…"):
        return masked
    if masked == plain:
        return value
    try:
        return json.loads(masked)
    except ValueError:  # a secret that is punctuation of JSON itself
        return masked


def _kind(described: Mapping[str, Any]) -> str:
    """The JSON type of the value found."""
    actual = described["actual"]
    if "actualType" in described:
        return str(described["actualType"])
    summed_up = isinstance(actual, dict) and described["code"] not in _COMPARED_WHOLE
    return str(actual["kind"]) if summed_up else type_name(actual)


def _told(described: Mapping[str, Any], words: Words) -> str:
    """The value found, as its sentence shows it."""
    code, actual = described["code"], described["actual"]
    if code not in _COMPARED_WHOLE and isinstance(actual, dict):
        size = actual["keys"] if actual["kind"] == "object" else actual["items"]
        return words(f"size.{actual['kind']}", size=size)
    text = _literal(actual)
    if "actualChars" in described:
        text += words("cut", characters=described["actualChars"])
    return f"({text})" if code == ViolationCode.TYPE_MISMATCH else text


def _candidates(described: Mapping[str, Any], words: Words) -> str:
    """What was expected, as its sentence shows it."""
    code, expected = described["code"], described["expected"]
    if code == ViolationCode.TYPE_MISMATCH:
        return str(expected)
    if code != ViolationCode.ENUM_MISMATCH:
        return _literal(expected)
    beyond = described.get("expectedTotal", len(expected)) - len(expected)
    more = words("more", more=beyond) if beyond else ""
    return " | ".join(map(_literal, expected)) + more


def _keys(described: Mapping[str, Any], words: Words) -> str:
    keys = described.get("observedKeys", ())
    beyond = described.get("observedKeysTotal", len(keys)) - len(keys)
    more = words("more", more=beyond) if beyond else ""
    return (", ".join(f"'{escaped(key)}'" for key in keys) or words("none")) + more


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
