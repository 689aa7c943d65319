"""What is said of a case: how its call went, how each assertion went, and in which words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from bundles.reasons import reason

TOOL_NOT_FOUND = reason(
    "TOOL_NOT_FOUND",
    "A tool that a suite expects is not in the server's tools/list.",
    "check the server's tools/list and the suite",
)
IS_ERROR_MISMATCH = reason(
    "IS_ERROR_MISMATCH",
    "A tool answered with an error where a suite expects none, or the other way round.",
    "check the input of the tool and the server's error answer",
)
BODY_EXTRACTION_FAILED = reason(
    "BODY_EXTRACTION_FAILED",
    "A result has no body that a suite's schema could be compared with.",
    "bodyMatchesSchema is for results with exactly one text block",
)
BODY_SCHEMA_MISMATCH = reason(
    "BODY_SCHEMA_MISMATCH",
    "The body of a result differs from the schema in a suite.",
    "correct the answer; if the change is intended, update the suite",
)
STRUCTURED_CONTENT_EXTRACTION_FAILED = reason(
    "STRUCTURED_CONTENT_EXTRACTION_FAILED",
    "A result has no structuredContent that a suite's schema could be compared with.",
    "return structuredContent; text does not stand in for it",
)
STRUCTURED_CONTENT_SCHEMA_MISMATCH = reason(
    "STRUCTURED_CONTENT_SCHEMA_MISMATCH",
    "The structuredContent of a result differs from the schema in a suite.",
    "correct the answer; if the change is intended, update the suite",
)
PROMPT_NOT_FOUND = reason(
    "PROMPT_NOT_FOUND",
    "A prompt that a suite expects is not in the server's prompts/list.",
    "check the server's prompts/list and the suite",
)
RESOURCE_NOT_FOUND = reason(
    "RESOURCE_NOT_FOUND",
    "A resource that a suite expects is not in the server's resources/list.",
    "check the server's resources/list and the suite",
)
RESOURCE_TEMPLATE_NOT_FOUND = reason(
    "RESOURCE_TEMPLATE_NOT_FOUND",
    "A template that a suite expects is not in the server's resources/templates/list.",
    "check the server's resources/templates/list and the suite",
)
JSON_SCHEMA_MISMATCH = reason(
    "JSON_SCHEMA_MISMATCH",
    "What a server answered differs from the JSON Schema in a suite.",
    "correct the answer; if the change is intended, update the suite",
)
VALUE_MISMATCH = reason(
    "VALUE_MISMATCH",
    "The value at a place of an answer is not the one a suite expects there.",
    "correct the answer; if the change is intended, update the suite",
)
PROTOCOL_ERROR_MISMATCH = reason(
    "PROTOCOL_ERROR_MISMATCH",
    "A suite expects a JSON-RPC error, and the server answered with a result or another error.",
    "answer with the error the contract names; if the change is intended, update the suite",
)
LATENCY_EXCEEDED = reason(
    "LATENCY_EXCEEDED",
    "A server took longer over a case than its suite allows.",
    "see why the server is slow; a limit is for a machine that does nothing else meanwhile",
)
CAPTURE_NOT_FOUND = reason(
    "CAPTURE_NOT_FOUND",
    "A case captures a value that the server's answer does not hold.",
    "correct the answer, or the pointer of the capture",
)
CAPTURE_MASKED = reason(
    "CAPTURE_MASKED",
    "A case captures what has the shape of a credential, which is masked wherever it is recorded.",
    "capture something else: no credential that a server hands out is kept or passed on",
)
ANSWERS_UNUSED = reason(
    "ANSWERS_UNUSED",
    "A case has answers to questions that the server did not ask.",
    "make the server ask, or remove the answers it does not need",
)
OPERATION_FAILED = reason(
    "OPERATION_FAILED",
    "The call of a suite's case got no result.",
    "see why the server gave none; a failing tool answers with a result that has isError",
)
CASE_TIMEOUT = reason(
    "CASE_TIMEOUT",
    "The call of a suite's case was not answered within its timeout.",
    "see why the server is slow, or give the case a longer timeoutMs",
)
CASE_NOT_RUN = reason(
    "CASE_NOT_RUN",
    "A case of a suite was not run.",
    "see the case before it: the server was gone, or the run out of time",
)


Part = Literal["setup", "cases", "teardown"]
"""Where in a suite a case stands."""


class CaseStatus(StrEnum):
    """How a case ended."""

    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timedOut"
    OPERATION_FAILED = "operationFailed"
    NOT_RUN = "notRun"


@dataclass(frozen=True, slots=True)
class OperationOutcome:
    """How the call of a case went.

    Attributes:
        status: completed, failed, timedOut or notRun.
        why: one sentence where it did not complete.
        error: the JSON-RPC error object where the server answered with one: a protocol error,
            which no isError assertion can ask for.
        certain: whether the server answered, wrongly. A call that was cut short proves nothing.
    """

    status: str
    why: str = ""
    error: Mapping[str, Any] | None = None
    certain: bool = False

    @property
    def code(self) -> str:
        """Reason code of a call that did not complete, "" of one that did."""
        return _OPERATION_CODES.get(self.status, "")


@dataclass(frozen=True, slots=True)
class AssertionOutcome:
    """How one assertion went: passed, failed or skipped, with plain JSON about a failure.

    `cause` tells apart what one code has several causes of, as the code of an extraction.
    """

    type: str
    status: str
    code: str = ""
    message: str = ""
    expected: Any = None
    actual: Any = None
    violations: tuple[Mapping[str, Any], ...] = ()
    total_violations: int = 0
    notes: tuple[str, ...] = ()
    cause: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON in the format's own member names, absent members left out."""
        members: dict[str, Any] = {"type": self.type, "status": self.status}
        if self.code:
            members |= {"code": self.code, "message": self.message}
        if self.cause:
            members["cause"] = self.cause
        if self.status == "failed":
            members |= {
                name: value
                for name, value in (("expected", self.expected), ("actual", self.actual))
                if value is not None
            }
        if self.violations:
            members["totalViolations"] = self.total_violations
            members["violations"] = list(self.violations)
        if self.notes:
            members["notes"] = list(self.notes)
        return members


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """How one case went.

    Attributes:
        id: id of the case.
        name: name of the case.
        status: how it ended.
        operation: how its call went.
        assertions: how each assertion went, in the order written.
        elapsed_us: microseconds from the first call of the case to its last answer.
        rejection: whether a rejection that was expected is one of the input: verified, unverified,
            or notApplicable where none was expected. It never changes the status.
        attempts: how often the case was tried; more than once only where it asks for retries.
        retry_reason: why the case says it may be tried again, where it was.
        part: the part of the suite the case stands in.
        captured: the variables it sets for other cases; not for reports, which would repeat
            credentials.
    """

    id: str
    name: str
    status: CaseStatus
    operation: OperationOutcome
    assertions: tuple[AssertionOutcome, ...]
    elapsed_us: int = 0
    rejection: str = "notApplicable"
    attempts: int = 1
    retry_reason: str = ""
    part: Part = "cases"
    captured: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def failures(self) -> tuple[AssertionOutcome, ...]:
        """The assertions that failed."""
        return tuple(a for a in self.assertions if a.status == "failed")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON as the format reports it.

        A failed operation is a failed case there; `operation.status` tells the two apart.
        """
        operation: dict[str, Any] = {"status": self.operation.status}
        if self.operation.why:
            operation |= {"code": self.operation.code}
            operation |= {"message": self.operation.why}
        if self.operation.error is not None:
            operation["error"] = dict(self.operation.error)
        operation_failed = self.status is CaseStatus.OPERATION_FAILED
        retried = {"attempts": self.attempts, "retryReason": self.retry_reason}
        part = {} if self.part == "cases" else {"part": self.part}
        return {
            "id": self.id,
            "name": self.name,
            **part,
            "status": (CaseStatus.FAILED if operation_failed else self.status).value,
            "operation": operation,
            "assertions": [assertion.to_dict() for assertion in self.assertions],
            "rejectionBasis": self.rejection,
            "durationMs": self.elapsed_us / 1000,
        } | (retried if self.attempts > 1 else {})


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why a run ended before its last case.

    Attributes:
        why: one sentence.
        case: id of the last case that was run, "" where none was.
        kind: serverGone, budget, setupFailed or interrupted.
    """

    why: str
    case: str = ""
    kind: str = "serverGone"

    @property
    def infrastructure(self) -> bool:
        """True when it says nothing of any case: the server was gone."""
        return self.kind == "serverGone"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: {"type", "message", "caseId"?}."""
        return {"type": self.kind, "message": self.why} | (
            {"caseId": self.case} if self.case else {}
        )


@dataclass(frozen=True, slots=True)
class ServerWords:
    """What a launched server said besides its answers, credentials masked; empty over HTTP.

    Attributes:
        stderr: the last 64 KiB of its stderr.
        noise: lines on stdout that are no messages, the first ones, each cut.
        exit_code: with which it ended, 128 + n by signal n; None where nobody saw it end.
    """

    stderr: str = ""
    noise: tuple[str, ...] = ()
    exit_code: int | None = None

    @property
    def signal(self) -> str:
        """The signal that ended it, "" where none did."""
        return _SIGNALS.get(self.exit_code or 0, "")

    @property
    def ended_abnormally(self) -> bool:
        """Whether it ended in a way that is its own doing: TERM and KILL are how it is closed."""
        return self.exit_code not in {None, 0, *_CLOSING}

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: {"stderr", "noise", "exitCode"}."""
        return {"stderr": self.stderr, "noise": list(self.noise), "exitCode": self.exit_code}


_SIGNALS = {
    128 + number: f"SIG{name}"
    for number, name in ((4, "ILL"), (6, "ABRT"), (7, "BUS"), (8, "FPE"), (9, "KILL"), (11, "SEGV"))
} | {143: "SIGTERM"}
_CLOSING = (128 + 9, 128 + 15)


_OPERATION_CODES = {
    "failed": OPERATION_FAILED,
    "timedOut": CASE_TIMEOUT,
    "notRun": CASE_NOT_RUN,
}
