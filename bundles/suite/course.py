"""The course of a suite: what the cases so far mean for those to come.

The driver asks it while the cases run, the judge of a transcript while it reads them again: both
replace the same variables and leave out the same cases.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from bundles.suite.assertions import judge_case, not_run
from bundles.suite.model import Case, Suite
from bundles.suite.outcomes import CaseOutcome, CaseStatus, Part, Stopped
from bundles.suite.v2.variables import Unresolved, resolved
from bundles.transcript import Exchange


def parts(suite: Suite) -> Iterator[tuple[Part, tuple[Case, ...]]]:
    """Setup, cases and teardown, in the order in which they run and are reported."""
    yield "setup", suite.setup
    yield "cases", suite.cases
    yield "teardown", suite.teardown


class Course:
    """Variables that have a value so far, and whether setup went well."""

    def __init__(self) -> None:
        self._variables: dict[str, Any] = {}
        self._failed_setup: CaseOutcome | None = None

    @property
    def stopped(self) -> Stopped | None:
        """Why the cases were not run where setup did not go well."""
        if self._failed_setup is None:
            return None
        return Stopped(self._setup_failed, self._failed_setup.id, "setupFailed")

    @property
    def _setup_failed(self) -> str:
        return "" if self._failed_setup is None else f"setup did not pass: {self._failed_setup.id}"

    def ready(self, part: Part, case: Case) -> Case | CaseOutcome:
        """A case with its variables replaced, or the outcome of one that cannot be run."""
        if self._failed_setup is not None and part != "teardown":
            return replace(not_run(case, self._setup_failed), part=part)
        made = resolved(case, self._variables)
        if isinstance(made, Unresolved):
            return replace(not_run(case, made.why), part=part)
        return made

    def ended(self, outcome: CaseOutcome) -> None:
        """Take what a case means for later ones."""
        self._variables.update(outcome.captured)
        passed = outcome.status is CaseStatus.PASSED
        if outcome.part == "setup" and not passed and self._failed_setup is None:
            self._failed_setup = outcome


def another_attempt(case: Case, attempts: Sequence[CaseOutcome]) -> bool:
    """Whether a case is to be tried once more, after these attempts."""
    if case.retries is None or not attempts or len(attempts) >= case.retries.attempts:
        return False
    return attempts[-1].status not in (CaseStatus.PASSED, CaseStatus.NOT_RUN)


def of_attempts(part: Part, case: Case, attempts: Sequence[CaseOutcome]) -> CaseOutcome:
    """The outcome of a case: of its last attempt, with the time and the captures of all of them.

    An attempt that could not be made says nothing about those that were.
    """
    if len(attempts) == 1 and attempts[0].part == part:
        return attempts[0]
    made = [each for each in attempts if each.status is not CaseStatus.NOT_RUN] or attempts[-1:]
    captured = {name: value for each in made for name, value in each.captured.items()}
    again = case.retries.reason if case.retries is not None and len(made) > 1 else ""
    return replace(
        made[-1],
        part=part,
        attempts=len(made),
        retry_reason=again,
        elapsed_us=sum(each.elapsed_us for each in made),
        captured=captured,
    )


def judge_attempts(
    part: Part, case: Case, attempts: Sequence[Sequence[Exchange]], secrets: Sequence[str] = ()
) -> CaseOutcome:
    """Judge a case, its variables replaced, by the exchanges of each attempt at it.

    `attempts` is empty where the case was never begun.
    """
    judged = [judge_case(case, *exchanges, secrets=secrets) for exchanges in attempts or ((),)]
    return of_attempts(part, case, judged)
