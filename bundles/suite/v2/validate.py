"""Validation of version-2 suites: every issue, in the documented order.

Order: id, name, description, defaultTimeoutMs, concurrency, approval, unknown fields (sorted),
setup, cases, teardown; in a case id, name, duplicate id, tags, profiles, independent, timeout,
retries, unknown fields, operation, answers, assertions, capture. A variable that is used where no
case before can have set it is an issue at the place of its use.
"""

from collections.abc import Mapping
from typing import Any

from bundles.suite.issues import NOT_BLANK, Issue, IssueCode, Issues
from bundles.suite.javascript import is_safe_integer
from bundles.suite.model import DEFAULT_TIMEOUT_MS, MAX_CONCURRENCY
from bundles.suite.paths import Path
from bundles.suite.v2.scope import Scope
from bundles.suite.v2.validate_case import validate_case
from bundles.suite.validate import validate_approval, validate_timeout

ROOT_FIELDS = (
    "schemaVersion",
    "format",
    "id",
    "name",
    "description",
    "defaultTimeoutMs",
    "concurrency",
    "approval",
    "setup",
    "cases",
    "teardown",
)

_ROOT = Path("")


def validate_version_2(document: Mapping[str, Any]) -> list[Issue]:
    """Every issue of a document that says it is version 2; an empty list means it is valid."""
    issues = Issues()
    issues.required_name(document, "id", _ROOT, NOT_BLANK)
    issues.required_name(document, "name", _ROOT, NOT_BLANK)
    if "description" in document:
        issues.filled(Path("description"), NOT_BLANK, document["description"])
    validate_timeout(document, "defaultTimeoutMs", _ROOT, issues)
    _concurrency(document, issues)
    if "approval" in document:
        validate_approval(document["approval"], issues)
    issues.unknown(document, ROOT_FIELDS, _ROOT)
    scope = Scope(document.get("defaultTimeoutMs", DEFAULT_TIMEOUT_MS))
    for part in ("setup", "cases", "teardown"):
        _part(document, part, scope, issues)
    return issues.found


def _concurrency(document: Mapping[str, Any], issues: Issues) -> None:
    given = document.get("concurrency", 1)
    if not (is_safe_integer(given) and 1 <= given <= MAX_CONCURRENCY):
        expects = f"a whole number from 1 to {MAX_CONCURRENCY}"
        issues.wrong_value(Path("concurrency"), expects, given)


def _part(document: Mapping[str, Any], part: str, scope: Scope, issues: Issues) -> None:
    path = Path(part)
    if part not in document:
        if part == "cases":
            issues.missing(path, "an array of cases")
        return
    cases = document[part]
    if not isinstance(cases, list):
        issues.wrong_type(path, "an array of cases", cases)
        return
    if not cases:
        issues.add(IssueCode.EMPTY_CASES, path, f"{part} without cases would do nothing")
    scope.enter(part)
    for index, case in enumerate(cases):
        if isinstance(case, dict):
            validate_case(case, path.item(index), scope, issues)
        else:
            issues.wrong_type(path.item(index), "a case object", case)
