"""A report for people: every check with its verdict, every finding with what to do."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bundles.report.cut import cut, escaped, shown
from bundles.report.model import Report
from bundles.verdict import Verdict

MARKS: Mapping[str, str] = {
    Verdict.PASS: "✓",
    Verdict.FAIL: "✗",
    Verdict.WARN: "!",
    Verdict.INCONCLUSIVE: "?",
    Verdict.NOT_APPLICABLE: "–",
    Verdict.NOT_RUN: "·",
}
"""The sign of each verdict, the same in every text report."""

_WORDS: Mapping[str, str] = {
    Verdict.PASS: "passed",
    Verdict.FAIL: "failed",
    Verdict.WARN: "warned",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.NOT_APPLICABLE: "not applicable",
    Verdict.NOT_RUN: "not run",
}

_SENTENCE = 1000


def render(report: Report) -> str:
    """The report as text, ending in a newline. No colour, no clock, no locale."""
    return "\n".join(_lines(report)) + "\n"


def where(finding: Mapping[str, Any]) -> str:
    """path:line pointer, whatever of it is known."""
    place = ":".join(str(finding[name]) for name in ("path", "line") if finding.get(name))
    return " ".join(piece for piece in (place, str(finding.get("pointer", ""))) if piece)


def sentence(text: object) -> str:
    """One safe line of a text of any length."""
    return escaped(cut(str(text), _SENTENCE))


def summary(outcomes: Iterable[Mapping[str, Any]]) -> str:
    """Counts as `3 passed, 1 failed (4 checks)`, zero counts left out."""
    counted = Counter(str(outcome["verdict"]) for outcome in outcomes)
    parts = [f"{counted[verdict]} {word}" for verdict, word in _WORDS.items() if counted[verdict]]
    return f"{', '.join(parts) or 'nothing checked'} ({counted.total()} checks)"


def _lines(report: Report) -> Iterator[str]:
    yield f"{sentence(report.title)}  {sentence(report.subject)}"
    for name, value in report.facts.items():
        yield f"  {sentence(name)}: {sentence(value) if isinstance(value, str) else shown(value)}"
    by_check: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for finding in report.findings:
        by_check[str(finding["check_id"])].append(finding)
    yield ""
    for outcome in report.outcomes:
        yield _outcome(outcome)
        for finding in by_check.pop(str(outcome["id"]), ()):
            yield from _finding(finding)
    # A stored run may hold findings of checks whose outcome it does not list.
    for check_id, findings in by_check.items():
        yield f"{MARKS[Verdict.FAIL]} {sentence(check_id)}"
        for finding in findings:
            yield from _finding(finding)
    for absent in report.not_covered:
        yield f"  not covered: {sentence(absent)}"
    yield ""
    yield summary(report.outcomes)
    yield f"verdict: {report.verdict}"


def _outcome(outcome: Mapping[str, Any]) -> str:
    verdict = str(outcome["verdict"])
    line = f"{MARKS.get(verdict, '?')} {sentence(outcome['id'])}"
    if outcome.get("reason_code"):
        return f"{line}  {outcome['reason_code']}"
    return line if verdict == Verdict.PASS else f"{line}  {sentence(outcome.get('message', ''))}"


def _finding(finding: Mapping[str, Any]) -> Iterator[str]:
    yield f"    {sentence(finding['message'])}"
    place = where(finding)
    if place:
        yield f"      where: {sentence(place)}"
    for name in ("seen", "expected", "witness"):
        if finding.get(name) is not None:
            yield f"      {name}: {shown(finding[name])}"
    if finding.get("next_step"):
        yield f"      next: {sentence(finding['next_step'])}"
