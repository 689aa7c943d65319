"""A report as one HTML page: for people, and to keep beside a release.

The page stands alone and runs nothing: no script, no font, no image, no request. Whatever it quotes
was written by servers and strangers, so everything is escaped, control and bidirectional characters
are written out, and a content security policy says the same again. It reads well without colour,
with a screen reader, on paper and in the dark.
"""

import html
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from bundles.report.cut import shown
from bundles.report.html_style import STYLE
from bundles.report.model import Place, Report, place_of
from bundles.report.text import MARKS, sentence, where
from bundles.verdict import Verdict

_WORDS: Mapping[str, str] = {
    Verdict.FAIL: "failed",
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.WARN: "warned",
    Verdict.NOT_RUN: "not run",
    Verdict.NOT_APPLICABLE: "not applicable",
    Verdict.PASS: "passed",
}
_SETTLED = (Verdict.PASS, Verdict.NOT_APPLICABLE)
"""Verdicts that leave nothing to look at."""
_VALUES = ("seen", "expected", "witness")
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Content security policy of a page: its own style and nothing else."""


def render(report: Report) -> str:
    """The report as a page of HTML, ending in a newline. No clock, no locale."""
    return "\n".join(_page(report)) + "\n"


def _page(report: Report) -> Iterator[str]:
    title = f"{_text(report.title)} {_text(report.subject)}"
    yield "<!doctype html>"
    yield '<html lang="en">'
    yield '<head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{_text(report.verdict)}: {title}</title>"
    yield f"<style>{STYLE}</style></head>"
    yield "<body>"
    yield from _head(report)
    yield "<main>"
    by_check: dict[Place, list[Mapping[str, Any]]] = defaultdict(list)
    for finding in report.findings:
        by_check[place_of(finding, check="check_id")].append(finding)
    yield from _to_look_at(report, dict(by_check))
    yield from _all_checks(report)
    yield from _not_covered(report.not_covered)
    yield "</main>"
    yield "</body></html>"


def _head(report: Report) -> Iterator[str]:
    yield "<header>"
    yield f"<h1>{_text(report.title)} <span>{_text(report.subject)}</span></h1>"
    yield f'<p class="verdict">Verdict: {_badge(report.verdict, str(report.verdict))}</p>'
    counted = Counter(str(outcome["verdict"]) for outcome in report.outcomes)
    known = [(word, counted[verdict]) for verdict, word in _WORDS.items()]
    other = [(verdict, number) for verdict, number in counted.items() if verdict not in _WORDS]
    counts = [f"{number} {_text(word)}" for word, number in [*known, *other] if number]
    yield f"<p>{', '.join(counts) or 'nothing checked'} ({counted.total()} checks)</p>"
    if report.facts:
        yield "<dl>"
        for name, value in report.facts.items():
            yield f"<dt>{_text(name)}</dt><dd>{_value(value)}</dd>"
        yield "</dl>"
    yield "</header>"


def _to_look_at(report: Report, by_check: dict[Place, list[Mapping[str, Any]]]) -> Iterator[str]:
    """Everything that is not settled, and every finding, also one whose outcome is not listed."""
    articles: list[str] = []
    for number, outcome in enumerate(report.outcomes):
        place = place_of(outcome, check="id")
        findings = by_check.pop(place, [])
        if findings or outcome["verdict"] not in _SETTLED:
            articles += _article(
                f"look-{number}", str(outcome["verdict"]), place, outcome, findings
            )
    for number, (place, findings) in enumerate(by_check.items()):
        articles += _article(f"lost-{number}", Verdict.FAIL, place, {}, findings)
    if articles:
        yield '<section aria-labelledby="look"><h2 id="look">To look at</h2>'
        yield from articles
        yield "</section>"


def _article(
    anchor: str,
    verdict: str,
    place: Place,
    outcome: Mapping[str, Any],
    findings: Sequence[Mapping[str, Any]],
) -> Iterator[str]:
    yield f'<article id="{anchor}">'
    yield f"<h3>{_badge(verdict)} <code>{_text(place[0])}</code></h3>"
    stage = " ".join(piece for piece in place[1:] if piece)
    code = str(outcome.get("reason_code") or "")
    aside = " · ".join(_text(piece) for piece in (stage, code) if piece)
    if aside:
        yield f'<p class="aside">{aside}</p>'
    if not findings:
        yield f"<p>{_text(outcome.get('message', ''))}</p>"
    for finding in findings:
        yield f"<p>{_text(finding['message'])}</p>"
        details = list(_details(finding))
        if details:
            yield "<dl>"
            yield from details
            yield "</dl>"
    for step in dict.fromkeys(str(finding.get("next_step") or "") for finding in findings):
        if step:
            yield f'<p class="next">Next: {_text(step)}</p>'
    yield "</article>"


def _details(finding: Mapping[str, Any]) -> Iterator[str]:
    place = where(finding)
    if place:
        yield f"<dt>where</dt><dd><code>{_text(place)}</code></dd>"
    for name in _VALUES:
        if finding.get(name) is not None:
            yield f"<dt>{name}</dt><dd><code>{html.escape(shown(finding[name]))}</code></dd>"


def _all_checks(report: Report) -> Iterator[str]:
    if not report.outcomes:
        return
    yield '<section aria-labelledby="all"><h2 id="all">All checks</h2>'
    looked_at = {place_of(finding, check="check_id") for finding in report.findings}
    numbered = enumerate(report.outcomes)
    for stage, outcomes in groupby(numbered, key=lambda each: place_of(each[1], check="id")[1:]):
        named = " ".join(piece for piece in stage if piece)
        yield "<table>"
        if named:
            yield f"<caption>{_text(named)}</caption>"
        yield (
            '<thead><tr><th scope="col">Verdict</th><th scope="col">Check</th>'
            '<th scope="col">Seconds</th><th scope="col">What it says</th></tr></thead><tbody>'
        )
        for number, outcome in outcomes:
            yield _row(number, outcome, linked=place_of(outcome, check="id") in looked_at)
        yield "</tbody></table>"
    yield "</section>"


def _row(number: int, outcome: Mapping[str, Any], *, linked: bool) -> str:
    verdict = str(outcome["verdict"])
    name = f"<code>{_text(outcome['id'])}</code>"
    if linked or verdict not in _SETTLED:
        name = f'<a href="#look-{number}">{name}</a>'
    seconds = f"{float(outcome['seconds']):.3f}" if "seconds" in outcome else ""
    says = _text(outcome.get("message", ""))
    return (
        f'<tr><td>{_badge(verdict)}</td><th scope="row">{name}</th>'
        f'<td class="number">{seconds}</td><td>{says}</td></tr>'
    )


def _not_covered(absent: Sequence[str]) -> Iterator[str]:
    if absent:
        yield '<section aria-labelledby="absent"><h2 id="absent">Not covered</h2><ul>'
        yield from (f"<li>{_text(each)}</li>" for each in absent)
        yield "</ul></section>"


def _badge(verdict: str, word: str = "") -> str:
    """The verdict as sign and word; colour only says it a third time."""
    kind = verdict.lower().replace("_", "-") if verdict in _WORDS else "unknown"
    mark = MARKS.get(verdict, "?")
    said = _text(word or _WORDS.get(verdict, verdict))
    return f'<strong class="{kind}"><span aria-hidden="true">{mark}</span> {said}</strong>'


def _value(value: object) -> str:
    return _text(value) if isinstance(value, str) else html.escape(shown(value))


def _text(value: object) -> str:
    return html.escape(sentence(value))
