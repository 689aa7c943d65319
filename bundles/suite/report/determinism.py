"""Two runs of a suite compared, in the text report: what differs, and what it looks like."""

from collections.abc import Iterator

from bundles.report.cut import cut, escaped
from bundles.suite.determinism import NO_RESPONSE, CaseDifference, Conclusion, Determinism
from bundles.suite.determinism import DifferenceKind as Kind
from bundles.suite.difference import ABSENT, ROOT, ValueDifference
from bundles.suite.language import Words
from bundles.suite.report.sentences import said


def determinism_lines(found: Determinism, words: Words) -> Iterator[str]:
    """What two runs showed, then each case that came out different."""
    yield words(
        f"determinism.{found.conclusion.value}",
        compared=found.compared,
        count=len(found.differences),
        why=said(found.why),
    )
    for difference in found.differences:
        yield from _difference(difference, words)
    if found.conclusion is Conclusion.NOT_COMPARED:
        return
    if found.why:
        yield f"  {words('determinism.cut_short', why=said(found.why))}"
    if found.skipped:
        yield f"  {words('determinism.skipped', skipped=found.skipped)}"


def _difference(difference: CaseDifference, words: Words) -> Iterator[str]:
    named = f"{difference.case_name} ({difference.case_id})"
    head = f"{difference.tool} / {named}" if difference.tool else named
    yield f"  {escaped(cut(head))}"
    value = difference.value
    if difference.kind is Kind.STATUS:
        told = words("determinism.status", first=value.first, second=value.second)
        yield f"  → {told}"
        return
    yield from _values(value, "where", words)
    if value.inside is not None:
        yield from _values(value.inside, "inside", words)
    if difference.hint is not None:
        yield f"  → {words(f'determinism.{difference.hint.value}')}"


def _values(value: ValueDifference, key: str, words: Words) -> Iterator[str]:
    path = {"": words("determinism.answer"), ROOT: words("determinism.root")}.get(
        value.path, value.path
    )
    yield f"  → {words(f'determinism.{key}', path=escaped(cut(path)))}"
    stand_ins = {
        ABSENT: words("determinism.absent"),
        NO_RESPONSE: words("determinism.no_response"),
    }
    for name, held in (("first", value.first), ("second", value.second)):
        text = escaped(cut(stand_ins.get(held, held), 300))
        yield f"     {words(f'determinism.{name}', value=text)}"
