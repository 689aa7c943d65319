"""Does a suite come out the same twice? Two runs of it compared, case by case.

A suite whose answers depend on time, chance or what an earlier run left behind fails tomorrow
without anybody having changed the server. Of every case the status is compared, then the status of
each assertion, then the raw answer, and the first that differs is said.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bundles.suite.difference import Hint, ValueDifference, first_difference, shown_value
from bundles.suite.model import Case
from bundles.suite.outcomes import CaseOutcome, CaseStatus
from bundles.transcript import Exchange

NO_RESPONSE = "(no response)"
"""Stands for the answer where only one run got one."""


class Conclusion(StrEnum):
    """What two runs show.

    CONSISTENT says less than DETERMINISTIC: nothing put the server's outer state back between the
    runs. NOT_COMPARED: a run did not get through, and as far as it got nothing differs.
    """

    DETERMINISTIC = "deterministic"
    CONSISTENT = "consistentWithoutReset"
    NONDETERMINISTIC = "nondeterministic"
    NOT_COMPARED = "notCompared"


class DifferenceKind(StrEnum):
    """What of a case differs: the first of these that does."""

    STATUS = "status"
    ASSERTION = "assertion"
    RESPONSE = "response"


class _NoResponse:
    """A case that got no answer."""


_NONE = _NoResponse()


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """What one run saw of one case.

    Attributes:
        case_id, case_name: of the case.
        tool: the tool it calls, "" for the other operations.
        status: how it ended.
        assertions: status of each assertion, in order.
        response: the raw answer: the JSON-RPC result (of several rounds the list of them), of a
            list its entries over all pages, or {"error": …}; a value of its own kind where there
            was no answer.
    """

    case_id: str
    case_name: str
    tool: str
    status: str
    assertions: tuple[str, ...] = ()
    response: Any = _NONE

    @property
    def answered(self) -> bool:
        """Whether there was an answer."""
        return self.response is not _NONE


def record_of(case: Case, outcome: CaseOutcome, exchanges: Sequence[Exchange]) -> CaseRecord:
    """What a run saw of a case: its outcome with the answer it was judged by."""
    return CaseRecord(
        case.id,
        case.name,
        case.operation.tool,
        outcome.status.value,
        tuple(assertion.status for assertion in outcome.assertions),
        _answer(case, exchanges),
    )


def _answer(case: Case, exchanges: Sequence[Exchange]) -> Any:
    """The answer to compare. Of a list its entries: cursors and cache hints are no part of it."""
    answered = [e for e in exchanges if e.failure is None and e.message is not None]
    if not answered:
        return _NONE
    for exchange in answered:
        if exchange.error is not None:
            return {"error": exchange.error}
    entries = case.operation.listed
    if not entries or not all(isinstance(e.result, dict) for e in answered):
        results = [exchange.result for exchange in answered]
        return results if len(results) > 1 else results[0]
    pages = [exchange.result.get(entries) for exchange in answered]
    return [entry for page in pages for entry in (page if isinstance(page, list) else [page])]


@dataclass(frozen=True, slots=True)
class CaseDifference:
    """How one case differs between the runs.

    Attributes:
        case_id, case_name, tool: of the case.
        kind: what differs.
        value: the values; `value.path` is "" for a status, and for an answer that only one run
            got (the other side then is NO_RESPONSE).
    """

    case_id: str
    case_name: str
    tool: str
    kind: DifferenceKind
    value: ValueDifference

    @property
    def hint(self) -> Hint | None:
        """What the difference looks like."""
        return self.value.hint

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, absent members left out."""
        members: dict[str, Any] = {
            "caseId": self.case_id,
            "caseName": self.case_name,
            "toolName": self.tool or None,
            "kind": self.kind.value,
            **self.value.to_dict(),
        }
        return {name: value for name, value in members.items() if value != ""}


@dataclass(frozen=True, slots=True)
class Determinism:
    """What comparing two runs showed.

    Attributes:
        conclusion: see there.
        compared: number of cases compared.
        skipped: number of cases that neither run made, or that one that ended early got no answer
            for.
        differences: at most one a case, in the order of the suite.
        why: what kept a run from its end, "" when nothing did.
    """

    conclusion: Conclusion
    compared: int = 0
    skipped: int = 0
    differences: tuple[CaseDifference, ...] = ()
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, `why` left out where there is none."""
        members: dict[str, Any] = {
            "conclusion": self.conclusion.value,
            "compared": self.compared,
            "skipped": self.skipped,
            "differences": [difference.to_dict() for difference in self.differences],
        }
        return members | ({"why": self.why} if self.why else {})


def compare_runs(
    first: Iterable[CaseRecord],
    second: Iterable[CaseRecord],
    *,
    state_restored: bool,
    incomplete: str = "",
    secrets: Iterable[str] = (),
) -> Determinism:
    """Compare two runs of the same suite.

    Args:
        first: what the first run saw, cases in order.
        second: what the second run saw, the same cases in the same order.
        state_restored: whether the server's outer state was put back before each run.
        incomplete: why a run ended early, "" when neither did. A case that got an answer in only
            one of them then says nothing, and what is left cannot show that all is the same.
        secrets: values masked where they are shown.

    Raises:
        ValueError: the runs are not of the same cases.
    """
    masked = frozenset(secrets)
    compared = skipped = 0
    differences = []
    for one, other in zip(first, second, strict=True):
        if one.case_id != other.case_id:
            msg = f"these are runs of other cases: {one.case_id!r} beside {other.case_id!r}"
            raise ValueError(msg)
        unmade = one.status == other.status == CaseStatus.NOT_RUN
        if unmade or (incomplete and _NONE in (one.response, other.response)):
            skipped += 1
            continue
        compared += 1
        difference = _difference(one, other, masked)
        if difference is not None:
            differences.append(difference)
    if differences:
        conclusion = Conclusion.NONDETERMINISTIC
    elif incomplete:
        conclusion = Conclusion.NOT_COMPARED
    else:
        conclusion = Conclusion.DETERMINISTIC if state_restored else Conclusion.CONSISTENT
    return Determinism(conclusion, compared, skipped, tuple(differences), incomplete)


def not_compared(why: str) -> Determinism:
    """Nothing is known, and why."""
    return Determinism(Conclusion.NOT_COMPARED, why=why)


def _difference(
    one: CaseRecord, other: CaseRecord, secrets: frozenset[str]
) -> CaseDifference | None:
    if one.status != other.status:
        found = ValueDifference("", one.status, other.status)
        return _of(one, DifferenceKind.STATUS, found)
    for at, (left, right) in enumerate(zip(one.assertions, other.assertions, strict=True)):
        if left != right:
            found = ValueDifference(f"assertions[{at}]", left, right)
            return _of(one, DifferenceKind.ASSERTION, found)
    response = _of_responses(one.response, other.response, secrets)
    return None if response is None else _of(one, DifferenceKind.RESPONSE, response)


def _of(record: CaseRecord, kind: DifferenceKind, value: ValueDifference) -> CaseDifference:
    return CaseDifference(record.case_id, record.case_name, record.tool, kind, value)


def _of_responses(one: Any, other: Any, secrets: frozenset[str]) -> ValueDifference | None:
    if one is _NONE or other is _NONE:
        if one is other:
            return None
        return ValueDifference("", _shown(one, secrets), _shown(other, secrets))
    return first_difference(one, other, secrets)


def _shown(response: Any, secrets: frozenset[str]) -> str:
    return NO_RESPONSE if response is _NONE else shown_value(response, secrets)
