"""Validation of what a version-2 case expects."""

from collections.abc import Mapping
from typing import Any

from bundles.suite.assertions.kind import Kind
from bundles.suite.assertions.latency import MAX_LATENCY_MS
from bundles.suite.assertions.place import validate_source
from bundles.suite.assertions.protocol_error import PROTOCOL_ERROR
from bundles.suite.assertions.registry import KINDS, assertions_of
from bundles.suite.issues import IssueCode, Issues
from bundles.suite.javascript import is_safe_integer
from bundles.suite.nearest import did_you_mean
from bundles.suite.paths import Path
from bundles.suite.v2.scope import Scope

_TYPES = ", ".join(KINDS)


def validate_assertions(
    case: Mapping[str, Any], operation: str | None, path: Path, scope: Scope, issues: Issues
) -> bool:
    """Add the issues of a case's assertions; whether the case expects a protocol error."""
    if "assertions" not in case:
        issues.missing(path, "an array of assertions")
        return False
    assertions = case["assertions"]
    if not isinstance(assertions, list):
        issues.wrong_type(path, "an array of assertions", assertions)
        return False
    if not assertions:
        issues.add(
            IssueCode.EMPTY_ASSERTIONS, path, "a case without assertions would check nothing"
        )
    expects_error = any(
        isinstance(each, dict) and each.get("type") == PROTOCOL_ERROR.type for each in assertions
    )
    for index, assertion in enumerate(assertions):
        place = path.item(index)
        if not isinstance(assertion, dict):
            issues.wrong_type(place, "an assertion object", assertion)
            continue
        kind = _kind(assertion, operation, place, issues)
        if kind is None:
            continue
        if expects_error and not kind.without_result:
            why = "a case that expects a protocol error has no result to compare"
            issues.add(IssueCode.INCOMPATIBLE_ASSERTION, place, why)
            continue
        _members(kind, assertion, place, scope, issues)
        if "in" in kind.members:
            validate_source(assertion, operation, place, issues)
    return expects_error


def _kind(
    assertion: Mapping[str, Any], operation: str | None, path: Path, issues: Issues
) -> Kind | None:
    """The type of an assertion, or None when it has none or may not stand here, which is said."""
    asserted = assertion.get("type")
    known = asserted if isinstance(asserted, str) else ""
    if operation is not None and known not in assertions_of(operation):
        issues.add(IssueCode.INCOMPATIBLE_ASSERTION, path, _takes(operation, known))
        return None
    if known not in KINDS:
        if "type" not in assertion:
            issues.missing(path.field("type"), _TYPES)
        elif isinstance(asserted, str):
            issues.wrong_choice(path.field("type"), tuple(KINDS), asserted)
        else:
            issues.wrong_type(path.field("type"), _TYPES, asserted)
        issues.unknown(assertion, ("type",), path)
        return None
    return KINDS[known]


def _takes(operation: str, asserted: str) -> str:
    takes = assertions_of(operation)
    if not takes:
        return "an operation of an unknown type takes no assertion"
    return f"operation {operation!r} takes {', '.join(takes)}{did_you_mean(asserted, takes)}"


def _members(
    kind: Kind,
    assertion: Mapping[str, Any],
    path: Path,
    scope: Scope,
    issues: Issues,
) -> None:
    for name, expects in kind.required.items():
        if name not in assertion:
            issues.missing(path.field(name), expects)
    kind.validate(assertion, path, issues)
    if kind is MAX_LATENCY_MS:
        _below_timeout(assertion.get("ms"), path.field("ms"), scope, issues)
    for name in kind.variables_in:
        if name in assertion:
            scope.check(assertion[name], path.field(name), issues)
    issues.unknown(assertion, ("type", *kind.members), path)


def _below_timeout(limit: object, path: Path, scope: Scope, issues: Issues) -> None:
    """A case that takes longer than its timeout has no answer whose time could be judged."""
    timeout = scope.timeout_ms
    if is_safe_integer(limit) and is_safe_integer(timeout) and limit >= timeout > 0:
        expects = f"less than the timeout of the case, {timeout:.0f}, or it would check nothing"
        issues.wrong_value(path, expects, limit)
