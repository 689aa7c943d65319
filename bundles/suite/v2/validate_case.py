"""Validation of one version-2 case."""

from collections.abc import Mapping
from typing import Any

from bundles.key_order import key_order
from bundles.suite.assertions.place import POINTER_EXPECTS, validate_place, validate_source
from bundles.suite.issues import NOT_BLANK, IssueCode, Issues
from bundles.suite.javascript import is_safe_integer
from bundles.suite.paths import Path
from bundles.suite.v2.scope import Scope
from bundles.suite.v2.validate_assertions import validate_assertions
from bundles.suite.v2.validate_operation import validate_operation
from bundles.suite.v2.variables import NAME
from bundles.suite.validate import validate_timeout
from bundles.suite.validate_schema import validate_json

CASE_FIELDS = (
    "id",
    "name",
    "tags",
    "profiles",
    "independent",
    "timeoutMs",
    "retries",
    "operation",
    "answers",
    "assertions",
    "capture",
)
ONLY_IN_CASES = ("tags", "independent")
"""Fields that setup and teardown do not have: these run in order, whatever is chosen."""

MAX_ATTEMPTS = 10

ASKS_BACK = ("callTool", "getPrompt", "readResource")
"""Operations that a server may answer with a question."""

_VARIABLE = "a name of letters, digits and _ that begins with no digit, at most 64 characters"


def validate_case(case: Mapping[str, Any], path: Path, scope: Scope, issues: Issues) -> None:
    """Add every issue of a case to the others."""
    scope.begin(case)
    issues.required_name(case, "id", path, NOT_BLANK)
    issues.required_name(case, "name", path, NOT_BLANK)
    if not scope.takes_id(case.get("id")):
        issues.add(IssueCode.DUPLICATE_CASE_ID, path.field("id"), "an earlier case has this id")
    fields = [f for f in CASE_FIELDS if scope.part == "cases" or f not in ONLY_IN_CASES]
    if "tags" in fields:
        _names(case, "tags", path, issues)
    _names(case, "profiles", path, issues)
    if "independent" in fields and not isinstance(case.get("independent", True), bool):
        issues.wrong_type(path.field("independent"), "true or false", case["independent"])
    validate_timeout(case, "timeoutMs", path, issues)
    if "retries" in case:
        _retries(case["retries"], path.field("retries"), issues)
    issues.unknown(case, fields, path)
    kind = validate_operation(case, path.field("operation"), scope, issues)
    if "answers" in case:
        _answers(case["answers"], kind, path.field("answers"), scope, issues)
    expects_error = validate_assertions(case, kind, path.field("assertions"), scope, issues)
    if "capture" in case:
        place = path.field("capture")
        if expects_error:
            why = "a case that expects a protocol error has no result to capture from"
            issues.add(IssueCode.INVALID_VALUE, place, why)
        _captures(case["capture"], kind, place, scope, issues)


def _names(case: Mapping[str, Any], member: str, path: Path, issues: Issues) -> None:
    """An array of different names that is not empty: empty, it would choose nothing."""
    if member not in case:
        return
    place, names = path.field(member), case[member]
    if not isinstance(names, list):
        issues.wrong_type(place, "an array of names", names)
        return
    if not names:
        issues.wrong_value(place, "at least one name", names)
    seen: set[str] = set()
    for index, name in enumerate(names):
        issues.filled(place.item(index), NOT_BLANK, name)
        if isinstance(name, str):
            if name in seen:
                issues.wrong_value(place.item(index), "each name once", name)
            seen.add(name)


def _retries(retries: object, path: Path, issues: Issues) -> None:
    if not isinstance(retries, dict):
        issues.wrong_type(path, "an object with attempts and reason", retries)
        return
    place, expects = path.field("attempts"), f"a whole number from 2 to {MAX_ATTEMPTS}"
    if "attempts" not in retries:
        issues.missing(place, expects)
    elif not (is_safe_integer(retries["attempts"]) and 2 <= retries["attempts"] <= MAX_ATTEMPTS):
        issues.wrong_value(place, expects, retries["attempts"])
    issues.required_name(retries, "reason", path, "why the case may fail at first")
    issues.unknown(retries, ("attempts", "reason"), path)


def _answers(
    answers: object, operation: str | None, path: Path, scope: Scope, issues: Issues
) -> None:
    """One entry a round, each an object of responses that are objects."""
    if operation is not None and operation not in ASKS_BACK:
        issues.add(IssueCode.INVALID_VALUE, path, f"operation {operation!r} never asks for input")
        return
    if not isinstance(answers, list):
        issues.wrong_type(path, "an array with the responses of each round", answers)
        return
    if not answers:
        issues.wrong_value(path, "the responses of at least one round", answers)
    for index, given in enumerate(answers):
        place = path.item(index)
        if not isinstance(given, dict):
            issues.wrong_type(place, "an object: responses by request key or method", given)
            continue
        for name in key_order(given):
            if not isinstance(given[name], dict):
                issues.wrong_type(place.field(name), "a response object", given[name])
        validate_json(given, place, issues)
        scope.check(given, place, issues)


def _captures(
    captures: object, operation: str | None, path: Path, scope: Scope, issues: Issues
) -> None:
    if not isinstance(captures, list):
        issues.wrong_type(path, "an array of {name, pointer}", captures)
        return
    if not captures:
        issues.wrong_value(path, "at least one variable", captures)
    for index, capture in enumerate(captures):
        place = path.item(index)
        if isinstance(capture, dict):
            _capture(capture, operation, place, scope, issues)
        else:
            issues.wrong_type(place, "an object with name and pointer", capture)


def _capture(
    capture: Mapping[str, Any], operation: str | None, path: Path, scope: Scope, issues: Issues
) -> None:
    place, name = path.field("name"), capture.get("name")
    if "name" not in capture:
        issues.missing(place, _VARIABLE)
    elif not isinstance(name, str):
        issues.wrong_type(place, _VARIABLE, name)
    elif not NAME.fullmatch(name):
        issues.wrong_value(place, _VARIABLE, name)
    elif not scope.sets(name):
        issues.wrong_value(place, "a variable that no other case captures", name)
    if "pointer" not in capture:
        issues.missing(path.field("pointer"), POINTER_EXPECTS)
    validate_place(capture, path, issues)
    validate_source(capture, operation, path, issues)
    issues.unknown(capture, ("name", "in", "pointer"), path)
