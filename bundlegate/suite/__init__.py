"""Suites for programs: build one, read and check one, run it, judge what came back.

from bundlegate.suite import call_tool, case, is_error, run_suite, suite

oslo = case("oslo", call_tool("get_weather", city="Oslo"), is_error(expected=False))
report = run_suite(suite("weather", oslo), url="http://127.0.0.1:8000/mcp")

Version 2 has its builders in `bundlegate.suite.v2`; `bundlegate.suite.reporting` writes reports.
"""

from bundlegate.suite.building import (
    body_matches,
    call_tool,
    case,
    is_error,
    list_tools,
    structured_content_matches,
    suite,
    tool_exists,
)
from bundlegate.suite.document import Document
from bundlegate.suite.running import read_suite, run_suite, run_suite_async
from bundlegate.suite.server import Server
from bundles.suite.assertions import judge_case
from bundles.suite.fingerprint import Approval, approval_of, fingerprint
from bundles.suite.issues import Issue, IssueCode
from bundles.suite.judge import SuiteReport, judge_suite
from bundles.suite.model import Assertion, Case, Operation, Suite, load_suite
from bundles.suite.outcomes import CaseOutcome, CaseStatus
from bundles.suite.reading import read_json
from bundles.suite.schema import Match, SchemaViolation, ViolationCode, match
from bundles.suite.validate import validate_suite
from bundles.verdict import Verdict

__all__ = [
    "Approval",
    "Assertion",
    "Case",
    "CaseOutcome",
    "CaseStatus",
    "Document",
    "Issue",
    "IssueCode",
    "Match",
    "Operation",
    "SchemaViolation",
    "Server",
    "Suite",
    "SuiteReport",
    "Verdict",
    "ViolationCode",
    "approval_of",
    "body_matches",
    "call_tool",
    "case",
    "fingerprint",
    "is_error",
    "judge_case",
    "judge_suite",
    "list_tools",
    "load_suite",
    "match",
    "read_json",
    "read_suite",
    "run_suite",
    "run_suite_async",
    "structured_content_matches",
    "suite",
    "tool_exists",
    "validate_suite",
]
