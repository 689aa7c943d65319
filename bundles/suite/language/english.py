"""The report of a suite in English, the default."""

from collections.abc import Mapping

ENGLISH: Mapping[str, str] = {
    # one violation of a response schema, after its path
    "violation.TYPE_MISMATCH": "wrong type. Expected: {expected}, actual: {kind}{actual}",
    "violation.CONST_MISMATCH": "wrong value. Expected: {expected}, actual: {actual}",
    "violation.ENUM_MISMATCH": (
        "not one of the expected values. Expected: {expected}, actual: {actual}"
    ),
    "violation.REQUIRED_MISSING": "required field is missing. Found fields: {keys}",
    "violation.ADDITIONAL_PROPERTY": "field is not in the schema.",
    "violation.MIN_ITEMS": "too few items. Expected: at least {expected}, actual: {actual}",
    "violation.MIN_LENGTH": (
        "string is too short. Expected: at least {expected} characters, actual: {actual}"
    ),
    "violation.MAX_LENGTH": (
        "string is too long. Expected: at most {expected} characters, actual: {actual}"
    ),
    "violation.STRING_CONTAINS": (
        "string does not contain what was expected. Expected: contains {expected}, actual: {actual}"
    ),
    "violation.MINIMUM": "value is out of range. Expected: at least {expected}, actual: {actual}",
    "violation.MAXIMUM": "value is out of range. Expected: at most {expected}, actual: {actual}",
    "size.object": "({size} keys)",
    "size.array": "({size} items)",
    "none": "none",
    "more": " and {more} more",
    "cut": "… ({characters} characters)",
    # around the cases
    "head.one": "{name}  (1 case)",
    "head.many": "{name}  ({total} cases)",
    "fix": "fix: {step}",
    "skipped": "(skipped) {message}",
    "attempts": "passed at attempt {attempts}: {reason}",
    "failed_cases": "Failed cases",
    "stopped": "stopped: {why}",
    "stopped.at": "stopped: {why} Last case: '{case}'",
    "summary.passed": "{count} passed",
    "summary.failed": "{count} failed",
    "summary.timedOut": "{count} timed out",
    "summary.operationFailed": "{count} without a result",
    "summary.notRun": "{count} not run",
    "summary": "{counts}  ({total} total)",
    # what a green run does not prove
    "rejections.one": "The basis of the rejection in 1 case that expects one is not verified.",
    "rejections.many": (
        "The basis of the rejection in {count} cases that expect one is not verified."
    ),
    "rejections.why": (
        "Whether the server rejected the input or failed for another reason cannot be told."
    ),
    "rejections.next": "check: the answers of these cases: {cases}",
    "approval.current": "Suite: as approved ({computed})",
    "approval.none": "Suite: no approval recorded",
    "approval.none.next": "record one with `bundlegate suite approve`.",
    "approval.drifted": "Suite: changed since its approval",
    "approval.drifted.prints": "approved {recorded}   now {computed}",
    "approval.drifted.next": (
        "A change of the suite cannot be ruled out as the cause of a failure. "
        "Look at its diff first."
    ),
    "approval.server_defect": (
        "note: when the suite was approved, this case was marked as a defect of the server, "
        "which is not mended yet."
    ),
    # the server's process
    "process": "Server process",
    "process.exit": "exit code: {code}  signal: {signal}",
    "process.none": "none",
    "process.stderr.empty": "stderr: (empty)",
    "process.stderr": "stderr ({extent}):",
    "process.stderr.whole": "whole",
    "process.stderr.last": "the last {shown} lines, {above} more above",
    "process.stderr.cut": "its beginning was not kept",
}
