"""Suites for programs: read and check one, compare a value with a schema, judge what came back.

from bundlegate.suite import load_suite, validate_suite

issues = validate_suite(document)     # every issue: .code .path .message
suite = load_suite(document)          # refuses an invalid one with its first issue
"""

from bundles.suite.assertions import judge_case
from bundles.suite.issues import Issue, IssueCode
from bundles.suite.judge import SuiteReport, judge_suite
from bundles.suite.model import Assertion, Case, Operation, Suite, load_suite
from bundles.suite.outcomes import CaseOutcome, CaseStatus
from bundles.suite.reading import read_json
from bundles.suite.schema import Match, SchemaViolation, ViolationCode, match
from bundles.suite.validate import validate_suite

__all__ = [
    "Assertion",
    "Case",
    "CaseOutcome",
    "CaseStatus",
    "Issue",
    "IssueCode",
    "Match",
    "Operation",
    "SchemaViolation",
    "Suite",
    "SuiteReport",
    "ViolationCode",
    "judge_case",
    "judge_suite",
    "load_suite",
    "match",
    "read_json",
    "validate_suite",
]
