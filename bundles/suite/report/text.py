"""A suite's run as the text people know from the format. No colour, no clock, no locale."""

from collections.abc import Iterable, Iterator, Mapping

from bundles.report.cut import cut, escaped
from bundles.suite.language import ENGLISH, Words
from bundles.suite.outcomes import CaseOutcome, CaseStatus, Stopped
from bundles.suite.report.around import blocks
from bundles.suite.report.model import SuiteRun
from bundles.suite.report.sentences import (
    details_of,
    listed,
    said,
    said_of_assertion,
    said_of_operation,
    step_for,
)

MARKS: Mapping[CaseStatus, str] = {
    CaseStatus.PASSED: "✓",
    CaseStatus.FAILED: "✗",
    CaseStatus.TIMED_OUT: "⧖",
    CaseStatus.OPERATION_FAILED: "⊘",
    CaseStatus.NOT_RUN: "·",
}
"""The sign of each status, the same everywhere."""

_INDENT = "    "


def render_text(run: SuiteRun, words: Words = ENGLISH) -> str:
    """The run as text that ends in a newline."""
    return "\n".join(lines(run, words)) + "\n"


def lines(run: SuiteRun, words: Words = ENGLISH) -> Iterator[str]:
    """The lines of the report, made as they are read."""
    report = run.report
    total = len(report.cases)
    key = "head.one" if total == 1 else "head.many"
    yield words(key, name=_safe(report.name), total=total)
    yield ""
    width = max((len(_safe(case.id)) for case in report.cases), default=0)
    unsaid = ""
    for case in report.cases:
        yield f"{MARKS[case.status]} {_safe(case.id):<{width}}  {_named(case, words)}"
        if case.status is CaseStatus.NOT_RUN and case.operation.why == unsaid:
            continue  # said once for all the cases that it kept from running
        unsaid = case.operation.why
        yield from case_lines(case, words)
        if case.status is not CaseStatus.PASSED and case.id in run.known_defects:
            yield f"{_INDENT}{words('approval.server_defect')}"
    yield ""
    yield from _digest(report.cases, words)
    if report.stopped:
        yield _stop(report.stopped, words)
        yield ""
    yield summary(report.summary, words)
    if report.left_out:
        names = listed([_safe(each.id) for each in report.left_out], words)
        yield words.counted("left_out", len(report.left_out), cases=names)
    for block in blocks(run, words):
        yield ""
        yield from block


def _named(case: CaseOutcome, words: Words) -> str:
    name = _safe(case.name)
    return name if case.part == "cases" else words(f"part.{case.part}", name=name)


def case_lines(case: CaseOutcome, words: Words = ENGLISH) -> Iterator[str]:
    """Why a case did not pass, or that it took several attempts, indented under its line."""
    passed = case.status is CaseStatus.PASSED
    if case.attempts > 1:
        key = "attempts" if passed else "attempts.failed"
        reason = _safe(case.retry_reason)
        yield f"{_INDENT}{words(key, attempts=case.attempts, reason=reason)}"
    if passed:
        return
    if case.operation.why:
        yield f"{_INDENT}{said_of_operation(case.operation, words)}"
        if case.status is not CaseStatus.NOT_RUN:
            yield f"{_INDENT}{words('fix', step=step_for(case.operation.code, words))}"
    drawn = [each for each in case.assertions if each.status in {"failed", "skipped"}]
    width = max((len(each.type) for each in drawn), default=0)
    for assertion in drawn:
        said = said_of_assertion(assertion, words)
        if assertion.status == "skipped":
            yield f"{_INDENT}{assertion.type:<{width}}  {words('skipped', message=said)}"
            continue
        yield f"{_INDENT}{assertion.type:<{width}}  {said}"
        yield from (f"{_INDENT}→ {line}" for line in details_of(assertion, words))
        yield f"{_INDENT}{words('fix', step=step_for(assertion.code, words))}"


def summary(counts: Mapping[str, int], words: Words = ENGLISH) -> str:
    """`6 passed, 2 failed  (8 total)`, zero counts left out."""
    told = [words(f"summary.{s.value}", count=counts[s.value]) for s in MARKS if counts[s.value]]
    return words("summary", counts=", ".join(told) or words("none"), total=counts["total"])


def _digest(cases: Iterable[CaseOutcome], words: Words) -> Iterator[str]:
    """The cases to look at again, each with the first thing said of it."""
    settled = (CaseStatus.PASSED, CaseStatus.NOT_RUN)
    again = [case for case in cases if case.status not in settled]
    if not again:
        return
    yield words("failed_cases")
    width = max(len(_safe(case.id)) for case in again)
    for case in again:
        yield f"  {MARKS[case.status]} {_safe(case.id):<{width}}  → {_short(case, words)}"
    yield ""


def _short(case: CaseOutcome, words: Words) -> str:
    if not case.failures:
        return said_of_operation(case.operation, words)
    first = case.failures[0]
    return next(iter(details_of(first, words)), said_of_assertion(first, words))


def _stop(stopped: Stopped, words: Words) -> str:
    why = said(stopped.why).rstrip(".")
    told = words(f"stopped.{stopped.kind}", why=why)
    return words("stopped.case", stopped=told, case=_safe(stopped.case)) if stopped.case else told


def _safe(text: str) -> str:
    return escaped(cut(text))
