"""Check, Finding, @check and the registry.

A check is one pure function with an id over one kind of subject. It yields what it has to say;
silence passes. `accepts` and `rejects` are small subjects: they ARE its unit test.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from inspect import cleandoc
from itertools import islice
from types import MappingProxyType
from typing import Any

from bundles.verdict import Layer, Severity, Stage, Verdict

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)+")
_CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")


class Subject(StrEnum):
    """What a check looks at."""

    BUNDLE = "bundle"  # bundles.contract.Contract
    TRANSCRIPT = "transcript"  # bundles.transcript.Transcript


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation.

    Attributes:
        check_id, reason_code, layer, severity: of the check that found it.
        path: file in the bundle, or probe id in the transcript; "" for the whole subject.
        pointer: JSON pointer inside that document or message.
        line: 1-based line, where one is known.
        message: one sentence.
        seen, expected: plain JSON values, already redacted and cut.
        witness: a concrete value that shows the violation, where there is one.
        next_step: what the producer can do; the check's own `fix` where the violation says none.
    """

    check_id: str
    reason_code: str
    layer: Layer
    severity: Severity
    message: str
    path: str = ""
    pointer: str = ""
    line: int | None = None
    seen: Any = None
    expected: Any = None
    witness: Any = None
    next_step: str = ""

    @property
    def blocks(self) -> str:
        """The gate a failure of this finding's layer blocks."""
        return self.layer.blocks

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, absent members left out."""
        members: dict[str, Any] = {
            "check_id": self.check_id,
            "reason_code": self.reason_code,
            "layer": self.layer.value,
            "severity": self.severity.value,
            "blocks": self.blocks,
            "message": self.message,
            "path": self.path or None,
            "pointer": self.pointer or None,
            "line": self.line,
            "seen": self.seen,
            "expected": self.expected,
            "witness": self.witness,
            "next_step": self.next_step or None,
        }
        return {name: value for name, value in members.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Violation:
    """What a check function yields for a violation; the registry makes it a `Finding`."""

    message: str
    path: str = ""
    pointer: str = ""
    line: int | None = None
    seen: Any = None
    expected: Any = None
    witness: Any = None
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """Yielded alone: the check does not apply, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class Inconclusive:
    """Yielded when the harness could not tell, and why. A violation beside it still fails."""

    why: str


@dataclass(frozen=True, slots=True)
class NotVerified:
    """Yielded when a claim was made and nobody watched it, and why.

    The outcome is NOT_RUN with the check's `claim`: shown in evidence, and policy decides whether
    the claim may stand. Only checks registered with a `claim` may yield it.
    """

    why: str


MOST_FINDINGS = 500
"""Of one check over one subject: a hostile subject must not fill the store with findings."""

_LONGEST_MESSAGE = 2_000
_LONGEST_POINTER = 2_000


def _cut_pointer(pointer: str) -> str:
    """The pointer, or the nearest parent whose pointer has a bearable length."""
    if len(pointer) <= _LONGEST_POINTER:
        return pointer
    return pointer[: _LONGEST_POINTER + 1].rpartition("/")[0]


Said = Violation | NotApplicable | Inconclusive | NotVerified
CheckFunction = Callable[[Any], Iterable[Said]]


@dataclass(frozen=True, slots=True)
class Check:
    """A registered check. See `check` for the meaning of the fields."""

    id: str
    reason_code: str
    subject: Subject
    stages: tuple[Stage, ...]
    layer: Layer
    severity: Severity
    spec: str
    function: CheckFunction
    accepts: tuple[Any, ...] = field(repr=False)
    rejects: tuple[Any, ...] = field(repr=False)
    claim: str = ""

    @property
    def title(self) -> str:
        """First line of the docstring: the rule."""
        return cleandoc(self.function.__doc__ or "").partition("\n")[0]

    @property
    def explanation(self) -> str:
        """The rest of the docstring: why, and how to fix."""
        return cleandoc(self.function.__doc__ or "").partition("\n")[2].strip()

    @property
    def fix(self) -> str:
        """What the producer can do: what the docstring says after "Fix:", as one line."""
        return " ".join(self.explanation.partition("Fix:")[2].split())

    def judge(self, subject: object) -> "Outcome":
        """Run the check over a subject of its kind."""
        saying = iter(self.function(subject))
        said = list(islice(saying, MOST_FINDINGS))
        if next(saying, None) is not None:
            said.append(Violation(f"there are more than {MOST_FINDINGS}; correct these first"))
        findings = tuple(self._finding(s) for s in said if isinstance(s, Violation))
        unknown = next((s.why for s in said if isinstance(s, Inconclusive)), "")
        unwatched = next((s.why for s in said if isinstance(s, NotVerified)), "")
        absent = next((s.why for s in said if isinstance(s, NotApplicable)), "")
        if findings:
            worst = Verdict.FAIL if self.severity is Severity.MUST else Verdict.WARN
            return Outcome(self, worst, findings, unknown)
        if unknown:
            return Outcome(self, Verdict.INCONCLUSIVE, (), unknown)
        if unwatched:
            return Outcome(self, Verdict.NOT_RUN, (), unwatched)
        if absent:
            return Outcome(self, Verdict.NOT_APPLICABLE, (), absent)
        return Outcome(self, Verdict.PASS, (), "")

    def _finding(self, said: Violation) -> Finding:
        return Finding(
            check_id=self.id,
            reason_code=self.reason_code,
            layer=self.layer,
            severity=self.severity,
            message=said.message[:_LONGEST_MESSAGE],
            path=said.path,
            pointer=_cut_pointer(said.pointer),
            line=said.line,
            seen=said.seen,
            expected=said.expected,
            witness=said.witness,
            next_step=said.next_step or self.fix,
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one check concluded over one subject. The same id whether it passes or fails."""

    check: Check
    verdict: Verdict
    findings: tuple[Finding, ...]
    why: str

    @property
    def unverified_claim(self) -> str:
        """The claim that nobody watched, "" for every other outcome."""
        return self.check.claim if self.verdict is Verdict.NOT_RUN else ""

    def to_dict(self) -> dict[str, Any]:
        """{"id", "verdict", "reason_code", "message"}; the code only where something is wrong."""
        message = self.findings[0].message if self.findings else (self.why or self.check.title)
        entry: dict[str, Any] = {"id": self.check.id, "verdict": self.verdict.value}
        if self.findings:
            entry["reason_code"] = self.check.reason_code
        entry["message"] = message
        return entry


_CHECKS: dict[str, Check] = {}


def check(
    *,
    id: str,  # noqa: A002 - the field's word
    reason_code: str,
    subject: Subject,
    stages: Sequence[Stage],
    layer: Layer,
    severity: Severity,
    spec: str,
    accepts: Sequence[Any],
    rejects: Sequence[Any],
    claim: str = "",
) -> Callable[[CheckFunction], CheckFunction]:
    """Register a check.

    Args:
        id: dotted, lower case, stable for ever.
        reason_code: one per check, stable for ever.
        subject: what the function takes.
        stages: the stages that run it.
        layer: the layer its findings belong to.
        severity: MUST fails, SHOULD and POLICY warn unless policy says more.
        spec: where the rule comes from.
        accepts: subjects it must not object to (non-empty).
        rejects: subjects it must object to (non-empty).
        claim: for checks that prove a claim by watching, the name of the claim (`NotVerified`).

    Raises:
        ValueError: a duplicate id or code, a malformed one, no docstring, or no examples.
    """

    def register(function: CheckFunction) -> CheckFunction:
        made = Check(
            id=id,
            reason_code=reason_code,
            subject=subject,
            stages=tuple(stages),
            layer=layer,
            severity=severity,
            spec=spec,
            function=function,
            accepts=tuple(accepts),
            rejects=tuple(rejects),
            claim=claim,
        )
        _refuse_malformed(made)
        _CHECKS[id] = made
        return function

    return register


def _refuse_malformed(made: Check) -> None:
    problems = {
        "id is not dotted lower case": not _ID.fullmatch(made.id),
        "reason code is not UPPER_SNAKE": not _CODE.fullmatch(made.reason_code),
        "id is registered twice": made.id in _CHECKS,
        "reason code is registered twice": any(
            made.reason_code == other.reason_code for other in _CHECKS.values()
        ),
        "has no docstring": not made.title,
        "has no accepted example": not made.accepts,
        "has no rejected example": not made.rejects,
        "has no stage": not made.stages,
    }
    for problem, holds in problems.items():
        if holds:
            msg = f"check {made.id}: {problem}"
            raise ValueError(msg)


def registry() -> Mapping[str, Check]:
    """All checks by id, in id order. Importing `bundles.checks` fills it."""
    import bundles.checks  # noqa: F401, PLC0415 - filled on first use; the modules import us

    return MappingProxyType(dict(sorted(_CHECKS.items())))


def checks_for(subject: Subject, stage: Stage) -> Iterator[Check]:
    """The checks of a stage over a kind of subject, in id order."""
    return (c for c in registry().values() if c.subject is subject and stage in c.stages)
