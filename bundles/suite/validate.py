"""Validation of version-1 suite documents: every issue, in the documented order.

Order: schemaVersion, id, name, defaultTimeoutMs, approval, unknown fields (sorted), cases; in a
case id, name, duplicate id, timeout, unknown fields, operation, assertions.
"""

import re
from collections.abc import Mapping
from typing import Any

from bundles.suite.issues import NOT_BLANK, Issue, IssueCode, Issues
from bundles.suite.javascript import as_double, is_filled, is_number, is_safe_integer
from bundles.suite.nearest import did_you_mean
from bundles.suite.paths import Path
from bundles.suite.validate_schema import validate_json, validate_schema

MAX_TIMEOUT_MS = 2**31 - 1

FORMAT = "bundlegate"
"""The `format` that a version-2 document names beside `schemaVersion`."""

ASSERTIONS_OF: Mapping[str, tuple[str, ...]] = {
    "listTools": ("toolExists",),
    "callTool": ("isError", "bodyMatchesSchema", "structuredContentMatchesSchema"),
}
"""The assertions an operation takes."""

APPROVED_STATUSES = ("passed", "serverDefect")

_ASSERTIONS = tuple(name for names in ASSERTIONS_OF.values() for name in names)
_OPERATIONS = " or ".join(ASSERTIONS_OF)
_VERSIONS = f'expects 1, or 2 together with "format": "{FORMAT}"'
_FINGERPRINT = re.compile(r"[0-9a-f]{64}")
_ROOT = Path("")


def validate_suite(document: object) -> list[Issue]:
    """Every issue of a parsed suite document of either version; an empty list means it is valid.

    Args:
        document: plain JSON, as parsed. Numbers that overflow a double are issues, not errors.
    """
    issues = Issues()
    if not isinstance(document, dict):
        issues.wrong_type(Path("$"), "a suite object", document)
        return issues.found
    if is_version_2(document):
        # version 2 builds on this module, and a version-1 suite never needs it
        from bundles.suite.v2.validate import validate_version_2  # noqa: PLC0415 - see above

        return validate_version_2(document)
    _version(document, issues)
    issues.required_name(document, "id", _ROOT, NOT_BLANK)
    issues.required_name(document, "name", _ROOT, NOT_BLANK)
    validate_timeout(document, "defaultTimeoutMs", _ROOT, issues)
    if "approval" in document:
        validate_approval(document["approval"], issues)
    issues.unknown(
        document, ("schemaVersion", "id", "name", "defaultTimeoutMs", "approval", "cases"), _ROOT
    )
    _cases(document, issues)
    return issues.found


def is_version_2(document: Mapping[str, Any]) -> bool:
    """Whether a document is to be read as version 2.

    `schemaVersion` 2 alone is not enough: the number belongs to the tool the format comes from,
    which refuses it today and may give it a meaning of its own. `format` says whose version 2.
    """
    version = document.get("schemaVersion")
    return is_number(version) and version == 2 and document.get("format") == FORMAT


def _version(document: Mapping[str, Any], issues: Issues) -> None:
    path = Path("schemaVersion")
    if "schemaVersion" not in document:
        issues.missing(path, "1")
        return
    version = document["schemaVersion"]
    if not (is_number(version) and as_double(version) == 1):
        issues.add(IssueCode.UNSUPPORTED_SCHEMA_VERSION, path, _VERSIONS)


def validate_timeout(owner: Mapping[str, Any], name: str, path: Path, issues: Issues) -> None:
    """Unless a member is absent or a number of milliseconds, say so."""
    if name not in owner:
        return
    value = owner[name]
    if not (is_safe_integer(value) and 1 <= value <= MAX_TIMEOUT_MS):
        issues.add(
            IssueCode.INVALID_TIMEOUT,
            path.field(name),
            f"expects whole milliseconds from 1 to {MAX_TIMEOUT_MS}",
        )


def validate_approval(approval: object, issues: Issues) -> None:
    """Add the issues of the `approval` of either version."""
    path = Path("approval")
    if not isinstance(approval, dict):
        issues.wrong_type(path, "an object", approval)
        return
    expects = "64 lower-case hexadecimal digits (SHA-256)"
    place = path.field("fingerprint")
    if "fingerprint" not in approval:
        issues.missing(place, expects)
    elif not isinstance(approval["fingerprint"], str):
        issues.wrong_type(place, expects, approval["fingerprint"])
    elif not _FINGERPRINT.fullmatch(approval["fingerprint"]):
        issues.wrong_value(place, expects, approval["fingerprint"])
    if "cases" in approval:
        _approved_cases(approval["cases"], path.field("cases"), issues)
    issues.unknown(approval, ("fingerprint", "cases"), path)


def _approved_cases(entries: object, path: Path, issues: Issues) -> None:
    """Whatever is wrong here is INVALID_VALUE; the ids need not be cases of the suite."""
    if not isinstance(entries, list):
        issues.wrong_value(path, "an array of {id, status}", entries)
        return
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        place = path.item(index)
        if not isinstance(entry, dict):
            issues.wrong_value(place, "an object with id and status", entry)
            continue
        name = entry.get("id")
        if not is_filled(name):
            issues.wrong_value(place.field("id"), NOT_BLANK, name)
        elif name in seen:
            issues.wrong_value(place.field("id"), "each id once", name)
        else:
            seen.add(name)
        if entry.get("status") not in APPROVED_STATUSES:
            issues.wrong_choice(place.field("status"), APPROVED_STATUSES, entry.get("status"))
        issues.unknown(entry, ("id", "status"), place)


def _cases(document: Mapping[str, Any], issues: Issues) -> None:
    path = Path("cases")
    if "cases" not in document:
        issues.missing(path, "an array of cases")
        return
    cases = document["cases"]
    if not isinstance(cases, list):
        issues.wrong_type(path, "an array of cases", cases)
        return
    if not cases:
        issues.add(IssueCode.EMPTY_CASES, path, "a suite without cases would check nothing")
    seen: set[str] = set()
    for index, case in enumerate(cases):
        _case(case, path.item(index), seen, issues)


def _case(case: object, path: Path, seen: set[str], issues: Issues) -> None:
    if not isinstance(case, dict):
        issues.wrong_type(path, "a case object", case)
        return
    issues.required_name(case, "id", path, NOT_BLANK)
    issues.required_name(case, "name", path, NOT_BLANK)
    name = case.get("id")
    if is_filled(name):
        if name in seen:
            issues.add(IssueCode.DUPLICATE_CASE_ID, path.field("id"), "an earlier case has this id")
        seen.add(name)
    validate_timeout(case, "timeoutMs", path, issues)
    issues.unknown(case, ("id", "name", "timeoutMs", "operation", "assertions"), path)
    kind = _operation(case, path.field("operation"), issues)
    _assertions(case, kind, path.field("assertions"), issues)


def _operation(case: Mapping[str, Any], path: Path, issues: Issues) -> str | None:
    """Validate the operation and return its type, known or not; None when it names none."""
    if "operation" not in case:
        issues.missing(path, f"{_OPERATIONS} operation")
        return None
    operation = case["operation"]
    if not isinstance(operation, dict):
        issues.wrong_type(path, "an operation object", operation)
        return None
    if "type" not in operation:
        issues.missing(path.field("type"), _OPERATIONS)
        return None
    kind = operation["type"]
    if not isinstance(kind, str) or kind not in ASSERTIONS_OF:
        issues.wrong_choice(path.field("type"), tuple(ASSERTIONS_OF), kind)
        issues.unknown(operation, ("type",), path)
        return kind if isinstance(kind, str) else None
    if kind == "callTool":
        validate_call(operation, path, issues)
    allowed = ("type", "tool", "input") if kind == "callTool" else ("type",)
    issues.unknown(operation, allowed, path)
    return kind


def validate_call(operation: Mapping[str, Any], path: Path, issues: Issues) -> None:
    """Add the issues of callTool's `tool` and `input`."""
    # What is absent is said before what is wrong: that is the documented order.
    if "tool" not in operation:
        issues.missing(path.field("tool"), "the name of a tool")
    if "input" not in operation:
        issues.missing(path.field("input"), "an object of arguments ({} for none)")
    if "tool" in operation:
        issues.filled(path.field("tool"), "the name of a tool", operation["tool"])
    if "input" in operation:
        given = operation["input"]
        if isinstance(given, dict):
            validate_json(given, path.field("input"), issues)
        else:
            issues.add(
                IssueCode.INVALID_JSON_VALUE, path.field("input"), "expects an object of arguments"
            )


def _assertions(case: Mapping[str, Any], kind: str | None, path: Path, issues: Issues) -> None:
    if "assertions" not in case:
        issues.missing(path, "an array of assertions")
        return
    assertions = case["assertions"]
    if not isinstance(assertions, list):
        issues.wrong_type(path, "an array of assertions", assertions)
        return
    if not assertions:
        issues.add(
            IssueCode.EMPTY_ASSERTIONS, path, "a case without assertions would check nothing"
        )
    for index, assertion in enumerate(assertions):
        _assertion(assertion, kind, path.item(index), issues)


def _assertion(assertion: object, kind: str | None, path: Path, issues: Issues) -> None:
    if not isinstance(assertion, dict):
        issues.wrong_type(path, "an assertion object", assertion)
        return
    asserted = assertion.get("type")
    if kind is not None and asserted not in ASSERTIONS_OF.get(kind, ()):
        issues.add(IssueCode.INCOMPATIBLE_ASSERTION, path, _incompatible(kind, asserted))
        return
    if asserted not in _ASSERTIONS:
        expects = ", ".join(_ASSERTIONS)
        if "type" not in assertion:
            issues.missing(path.field("type"), expects)
        elif isinstance(asserted, str):
            issues.wrong_choice(path.field("type"), _ASSERTIONS, asserted)
        else:
            issues.wrong_type(path.field("type"), expects, asserted)
        issues.unknown(assertion, ("type",), path)
        return
    _known_assertion(assertion, path, issues)


def _incompatible(kind: str, asserted: object) -> str:
    takes = ASSERTIONS_OF.get(kind, ())
    if not takes:
        return "an operation of an unknown type takes no assertion"
    return f"operation {kind!r} takes {', '.join(takes)}{did_you_mean(asserted, takes)}"


def _known_assertion(assertion: Mapping[str, Any], path: Path, issues: Issues) -> None:
    if assertion["type"] == "toolExists":
        member, expects = "tool", "the name of a tool"
        issues.required_name(assertion, member, path, expects)
    elif assertion["type"] == "isError":
        member, expects = "expected", "true or false"
        if member not in assertion:
            issues.missing(path.field(member), expects)
        elif not isinstance(assertion[member], bool):
            issues.wrong_type(path.field(member), expects, assertion[member])
    else:
        member, expects = "schema", "a response schema"
        if member not in assertion:
            issues.missing(path.field(member), expects)
        else:
            validate_schema(assertion[member], path.field(member), issues)
    issues.unknown(assertion, ("type", member), path)
