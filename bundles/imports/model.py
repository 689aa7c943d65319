"""What a report of another tool comes to: its outcomes in this product's verdicts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bundles.errors import LimitExceeded, Refused
from bundles.mcp.leaks import credentials
from bundles.reasons import next_step, reason
from bundles.report.cut import cut
from bundles.verdict import Layer, Severity, Verdict, of_run

IMPORT_UNREADABLE = reason(
    "IMPORT_UNREADABLE",
    "A file is no report of the tool it is said to come from.",
    "give the tool's own output, unchanged: checks.json trees of the conformance suite, what the "
    "Inspector's command prints, or JUnit XML",
)
IMPORT_TOO_LARGE = reason(
    "IMPORT_TOO_LARGE",
    "A report holds more outcomes than are imported at once.",
    "import the parts of it one by one",
)
IMPORTED_FAILED = reason(
    "IMPORTED_CHECK_FAILED",
    "A check of another tool failed.",
    "read what that tool says about it; a verification by this service decides",
)
IMPORTED_WARNED = reason(
    "IMPORTED_CHECK_WARNED",
    "A check of another tool warned.",
    "read what that tool says about it; a verification by this service decides",
)
IMPORTED_WAIVED = reason(
    "IMPORTED_FAILURE_EXPECTED",
    "A check of another tool failed, and the expected-failures file names it.",
    "correct it and remove the entry",
)
EXPECTED_FAILURE_STALE = reason(
    "EXPECTED_FAILURE_STALE",
    "An entry of the expected-failures file excuses nothing that failed.",
    "remove the entry, or correct its spelling",
)

MOST_OUTCOMES = 5_000
_LONGEST_ID = 300
_LONGEST_MESSAGE = 500
_MASKED = "[redacted: it held a credential]"

WORST_FIRST = (
    Verdict.FAIL,
    Verdict.INCONCLUSIVE,
    Verdict.WARN,
    Verdict.NOT_RUN,
    Verdict.PASS,
    Verdict.NOT_APPLICABLE,
)
"""Of several outcomes with one id the first of these stands."""

_CODES = {Verdict.FAIL: IMPORTED_FAILED, Verdict.WARN: IMPORTED_WARNED}


class Source(StrEnum):
    """The tools whose reports are read."""

    CONFORMANCE = "mcp-conformance"
    INSPECTOR = "mcp-inspector"
    JUNIT = "junit"


@dataclass(frozen=True, slots=True)
class ImportedOutcome:
    """What one check of another tool said.

    Attributes:
        id: "<where>:<check>", as that tool tells its checks apart.
        verdict: in this product's words; what could not be told is never a pass.
        message: its sentence, cut, and masked where it holds a credential.
        path: the file it was read from.
        spec: where that tool says the rule comes from, "" where it does not.
        reason_code: "" for what is not wrong.
    """

    id: str
    verdict: Verdict
    message: str
    path: str
    spec: str = ""
    reason_code: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As `bundles.check.Outcome.to_dict`."""
        entry: dict[str, Any] = {"id": self.id, "verdict": self.verdict.value}
        if self.reason_code:
            entry["reason_code"] = self.reason_code
        return entry | {"message": self.message}

    def finding(self) -> dict[str, Any] | None:
        """As `bundles.check.Finding.to_dict`, None for what is not wrong."""
        if not self.reason_code:
            return None
        severity = Severity.MUST if self.verdict is Verdict.FAIL else Severity.SHOULD
        return {
            "check_id": self.id,
            "reason_code": self.reason_code,
            "layer": Layer.PROTOCOL.value,
            "severity": severity.value,
            "blocks": "nothing",
            "message": self.message,
            "path": self.path,
            "next_step": next_step(self.reason_code),
        }


def outcome(
    id: str,  # noqa: A002 - the field's word
    verdict: Verdict,
    message: str,
    path: str,
    *,
    spec: str = "",
    reason_code: str = "",
) -> ImportedOutcome:
    """An outcome with everything that came from outside cut to size and masked."""
    said = cut(message, _LONGEST_MESSAGE)
    return ImportedOutcome(
        id=cut(id, _LONGEST_ID),
        verdict=verdict,
        message=_MASKED if credentials(message) else said,
        path=path,
        spec=cut(spec),
        reason_code=reason_code or _CODES.get(verdict, ""),
    )


@dataclass(frozen=True, slots=True)
class Imported:
    """A whole report.

    Attributes:
        source: the tool it came from.
        digests: path → "sha256:…" of every file that was read.
        outcomes: one an id, in the order of the report.
    """

    source: Source
    digests: Mapping[str, str]
    outcomes: tuple[ImportedOutcome, ...]

    @property
    def verdict(self) -> Verdict:
        """PASS, FAIL or INCONCLUSIVE, by the rule of `bundles.verdict.of_run`."""
        return of_run(entry.verdict for entry in self.outcomes)


def collapsed(outcomes: Iterable[ImportedOutcome]) -> tuple[ImportedOutcome, ...]:
    """One outcome an id, the worst of them, in order of first appearance.

    Raises:
        LimitExceeded: IMPORT_TOO_LARGE.
    """
    worst: dict[str, ImportedOutcome] = {}
    for entry in outcomes:
        other = worst.setdefault(entry.id, entry)
        if WORST_FIRST.index(entry.verdict) < WORST_FIRST.index(other.verdict):
            worst[entry.id] = entry
        if len(worst) > MOST_OUTCOMES:
            raise LimitExceeded(
                IMPORT_TOO_LARGE,
                f"more than {MOST_OUTCOMES} outcomes",
                path=entry.path,
                expected=MOST_OUTCOMES,
            )
    return tuple(worst.values())


def unreadable(path: str, what: str, **more: Any) -> Refused:
    """The refusal of a file that is not what it should be."""
    return Refused(IMPORT_UNREADABLE, what, path=path, **more)
