"""A report for people: every check with its verdict, every finding with what to do."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import fill
from typing import Any

from bundles.report.cut import cut, escaped, shown
from bundles.report.model import Place, Report, place_of
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
_ALIKE = 3
"""So many checks that could not tell for the same reason become one line."""
_INDENTED: Mapping[str, Any] = {
    "initial_indent": "    ",
    "subsequent_indent": "    ",
    "break_on_hyphens": False,
    "break_long_words": False,
}


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
    by_check: dict[Place, list[Mapping[str, Any]]] = defaultdict(list)
    for finding in report.findings:
        by_check[place_of(finding, check="check_id")].append(finding)
    yield ""
    staged = groupby(report.outcomes, key=lambda outcome: place_of(outcome, check="id")[1:])
    for stage, outcomes in staged:
        if any(stage):
            yield sentence(" ".join(stage).strip())
        yield from _stage(list(outcomes), by_check)
    # A stored run may hold findings of checks whose outcome it does not list.
    for place, findings in by_check.items():
        yield sentence(" ".join([MARKS[Verdict.FAIL], *place]).rstrip())
        yield from _findings(findings)
    for absent in report.not_covered:
        yield f"  not covered: {sentence(absent)}"
    yield ""
    yield summary(report.outcomes)
    yield f"verdict: {report.verdict}"


def _stage(
    outcomes: Sequence[Mapping[str, Any]], by_check: dict[Place, list[Mapping[str, Any]]]
) -> Iterator[str]:
    """The outcomes of a stage; what kept several checks from telling is said once for all."""
    unknown: dict[str, list[str]] = defaultdict(list)
    for outcome in outcomes:
        if outcome["verdict"] == Verdict.INCONCLUSIVE:
            unknown[str(outcome.get("message", ""))].append(str(outcome["id"]))
    for outcome in outcomes:
        alike = unknown.get(str(outcome.get("message", "")), [])
        if outcome["verdict"] != Verdict.INCONCLUSIVE or len(alike) < _ALIKE:
            yield _outcome(outcome)
        elif outcome["id"] == alike[0]:
            mark, why = MARKS[Verdict.INCONCLUSIVE], sentence(outcome["message"])
            yield f"{mark} {len(alike)} checks  {why}"
            yield fill(", ".join(map(sentence, alike)), 100, **_INDENTED)
        yield from _findings(by_check.pop(place_of(outcome, check="id"), ()))


def _outcome(outcome: Mapping[str, Any]) -> str:
    verdict = str(outcome["verdict"])
    line = f"{MARKS.get(verdict, '?')} {sentence(outcome['id'])}"
    if outcome.get("reason_code"):
        return f"{line}  {outcome['reason_code']}"
    return line if verdict == Verdict.PASS else f"{line}  {sentence(outcome.get('message', ''))}"


def _findings(findings: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The findings of one check, then what to do about them, each step once."""
    steps: dict[str, None] = {}
    for finding in findings:
        yield from _finding(finding)
        steps.setdefault(str(finding.get("next_step") or ""))
    yield from (f"      next: {sentence(step)}" for step in steps if step)


def _finding(finding: Mapping[str, Any]) -> Iterator[str]:
    yield f"    {sentence(finding['message'])}"
    place = where(finding)
    if place:
        yield f"      where: {sentence(place)}"
    for name in ("seen", "expected", "witness"):
        if finding.get(name) is not None:
            yield f"      {name}: {shown(finding[name])}"
