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
    "violation.KEYWORD_VIOLATED": "{keyword} {expected} does not hold of {actual}",
    "violation.whole": "the value",
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
    "part.setup": "{name}  [setup]",
    "part.teardown": "{name}  [teardown]",
    "left_out.one": "1 case left out: {cases}",
    "left_out.many": "{count} cases left out: {cases}",
    "fix": "fix: {step}",
    "skipped": "(skipped) {message}",
    "attempts": "passed at attempt {attempts}: {reason}",
    "attempts.failed": "failed {attempts} attempts: {reason}",
    "failed_cases": "Failed cases",
    "stopped.serverGone": "stopped: the server is gone: {why}.",
    "stopped.budget": "stopped: the run is out of time: {why}.",
    "stopped.setupFailed": "stopped: the setup did not pass: {why}.",
    "stopped.interrupted": "stopped: {why}.",
    "stopped.case": "{stopped} Last case: '{case}'",
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
    # what the suites' inputs and the tools' declarations say of each other
    "findings": "Inputs of failed cases that do not fit what the tools declare",
    "findings.total": "{total} in the whole suite, {listed} listed here",
    "finding.TOOL_NOT_DECLARED": "the server does not declare the tool {actual}",
    "finding.SCHEMA_NOT_ANALYZABLE": (
        "the input schema of {actual} cannot be read ({reason}), so the inputs of this tool are "
        "not looked at"
    ),
    "finding.REQUIRED_MISSING": "the required field {expected} is missing from the input",
    "finding.UNDECLARED_FIELD": "the field {actual} is not declared, and others are forbidden",
    "finding.TYPE_MISMATCH": (
        "{path} has another type. Declared: {expected}, in the suite: {actual}"
    ),
    "finding.ENUM_MISMATCH": (
        "{path} has the value {actual}, which is not declared. Allowed: {expected}"
    ),
    "finding.RANGE_MISMATCH": (
        "{path} has the value {actual}, which is out of the declared range {expected}"
    ),
    "finding.REJECTION_WITHOUT_VIOLATION": (
        "a rejection is expected, but the input breaks nothing that the tool declares"
    ),
    "finding.suggestion": "{message}. Did you mean {suggestion}?",
    "finding.blocking": "blocking",
    "finding.advisory": "advisory",
    # of the rules that tools declare, those that a case checks
    "coverage": "Coverage of contract axes: {covered} of {total} ({percent})",
    "coverage.nothing": "Coverage of contract axes: no tool declares anything that can be read",
    "coverage.tool": "{tool}  {covered}/{total}",
    "coverage.tool.unreadable": "{tool}  not counted: its input schema cannot be read ({why})",
    "coverage.missing": "not checked: {axes}",
    "coverage.unread": "not counted, cannot be read: {fields}",
    # two runs compared
    "determinism.deterministic": "Determinism: both runs came out the same ({compared} compared)",
    "determinism.consistentWithoutReset": (
        "Determinism: both runs came out the same ({compared} compared); nothing put the server's "
        "state back between them"
    ),
    "determinism.nondeterministic": ("Determinism: {count} of {compared} cases came out different"),
    "determinism.notCompared": "Determinism: not compared: {why}",
    "determinism.cut_short": "compared as far as both runs got: {why}",
    "determinism.skipped": "not compared, for they were not run: {skipped}",
    "determinism.status": "another verdict: first {first}, then {second}",
    "determinism.where": "differs at {path}",
    "determinism.inside": "JSON inside that text differs at {path}",
    "determinism.first": "first:  {value}",
    "determinism.second": "second: {value}",
    "determinism.timestamp": (
        "it looks like a time: it changes from run to run and cannot be asserted"
    ),
    "determinism.randomId": (
        "it looks like an id that is made anew each time: it cannot be asserted"
    ),
    "determinism.numericDrift": "it looks like a measured number: it cannot be asserted",
    "determinism.answer": "whether there was an answer",
    "determinism.root": "the whole answer",
    "determinism.absent": "(absent)",
    "determinism.no_response": "(no response)",
    # the server's process
    "process": "Server process",
    "process.exit": "exit code: {code}  signal: {signal}",
    "process.stderr": "stderr ({extent}):",
    "process.stderr.whole": "whole",
    "process.stderr.last": "the last {shown} lines, {above} more above",
    "process.noise": "not messages, on stdout:",
    # conditions on the whole run
    "gate": "{name}: {message}",
}

STEPS: Mapping[str, str] = {
    # of codes that belong to checks, whose own step is for a bundle
    "SUITE_COVERAGE_TOO_LOW": (
        "add a case for each axis that is named as not checked: input that breaks it, isError true"
    ),
    "SUITE_NONDETERMINISTIC": (
        "assert nothing of what changes; restore what the first run changed with --reset-cmd"
    ),
    "SUITE_INPUT_UNDECLARED": (
        "correct the input; where it breaks the declaration on purpose, expect isError true"
    ),
    "SUITE_APPROVAL_DRIFTED": (
        "look at the suite's diff; then run `bundlegate suite approve` on it, or take it back"
    ),
}
