"""A diff for people: lines for a terminal, Markdown for a pull request, a report for machines."""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.compat.change import Change, Compatibility, Diff, worst
from bundles.compat.rule import rules
from bundles.compat.verdict import NOTHING
from bundles.reasons import next_step
from bundles.report import Report
from bundles.report.cut import counted, cut, escaped, shown
from bundles.verdict import Layer, Severity, Verdict

_MEANING: Mapping[Compatibility, str] = {
    Compatibility.IDENTICAL: "nothing changed",
    Compatibility.COMPATIBLE: "whoever uses the old version can use the new one",
    Compatibility.RISK: "nothing is known to break; somebody has to look at what models and "
    "hosts act on",
    Compatibility.CONDITIONAL: "it depends on how the consumers use it",
    Compatibility.BREAKING: "consumers of the old version break",
}
_OUTCOMES: Mapping[Compatibility, Verdict] = {
    Compatibility.IDENTICAL: Verdict.PASS,
    Compatibility.COMPATIBLE: Verdict.PASS,
    Compatibility.RISK: Verdict.INCONCLUSIVE,
    Compatibility.CONDITIONAL: Verdict.INCONCLUSIVE,
    Compatibility.BREAKING: Verdict.FAIL,
}
_MOST_IN_MARKDOWN = 200
"""Changes in one comment: hosts of pull requests refuse longer ones."""


def text_lines(diff: Diff) -> Iterator[str]:
    """The verdict alone, what it means, then each change, gravest first, with its value."""
    yield diff.verdict.word
    yield f"  {_MEANING[diff.verdict]}"
    for change in _by_gravity(diff):
        yield f"  {change.verdict.word:<11}  {_where(change)}  {change.reason_code}"
        yield f"    {_sentence(change)}"
        if change.witness is not NOTHING and change.witness != {"class": "cosmetic"}:
            yield f"    {_role(change)}: {shown(change.witness)}"
        if change.overridden is not None:
            yield f"    {escaped(_override(change))}"
    for what, count in diff.normalised.items():
        yield f"  no change    {what}: {count} tools spelled differently"


def markdown(diff: Diff, title: str) -> str:
    """The diff as a comment on a pull request."""
    lines = [
        f"### {_plain(title)}: {diff.verdict.word}",
        "",
        f"{_MEANING[diff.verdict]}.".capitalize(),
    ]
    changes = _by_gravity(diff)
    if changes:
        lines += ["", "| verdict | where | what | shown by |", "|---|---|---|---|"]
    for change in changes[:_MOST_IN_MARKDOWN]:
        witness = "" if change.witness is NOTHING else _code(shown(change.witness))
        what = f"{_plain(_sentence(change))} {_code(change.reason_code)}"
        if change.overridden is not None:
            what += f" ({_plain(_override(change))})"
        lines.append(f"| {change.verdict.word} | {_code(_where(change))} | {what} | {witness} |")
    if len(changes) > _MOST_IN_MARKDOWN:
        lines += ["", f"and {counted(len(changes) - _MOST_IN_MARKDOWN, 'change')} more"]
    steps = dict.fromkeys(next_step(c.reason_code) for c in changes if _is_open(c))
    if steps:
        lines += ["", "Next:", *(f"- {step}" for step in steps)]
    return "\n".join(lines) + "\n"


def report(diff: Diff, title: str, subject: str) -> Report:
    """The diff as a report: one outcome for each rule, one finding for what is not compatible."""
    said: dict[str, list[Change]] = {}
    for change in diff.changes:
        said.setdefault(change.rule, []).append(change)
    return Report(
        title=title,
        subject=subject,
        verdict=_OUTCOMES[diff.verdict].value,
        outcomes=[_outcome(rule_id, tuple(said.get(rule_id, ()))) for rule_id in rules()],
        findings=[_finding(change) for change in _by_gravity(diff) if _is_open(change)],
        facts={"compatibility": diff.verdict.word, "changes": len(diff.changes)},
    )


def _outcome(rule_id: str, changes: tuple[Change, ...]) -> dict[str, Any]:
    verdict = worst(changes)
    entry = {"id": rule_id, "verdict": _OUTCOMES[verdict].value, "message": ""}
    if verdict > Compatibility.COMPATIBLE:
        grave = next(change for change in changes if change.verdict is verdict)
        message = f"{counted(len(changes), 'change')}: {rules()[rule_id].title}"
        entry |= {"message": message, "reason_code": grave.reason_code}
    return entry


def _finding(change: Change) -> dict[str, Any]:
    breaking = change.verdict is Compatibility.BREAKING
    finding: dict[str, Any] = {
        "check_id": change.rule,
        "reason_code": change.reason_code,
        "layer": Layer.DECLARATION.value,
        "severity": (Severity.MUST if breaking else Severity.SHOULD).value,
        "message": f"{change.verdict.word}: {_where(change)}: {_sentence(change)}",
        "path": change.file or change.tool,
        "pointer": change.path,
        "next_step": next_step(change.reason_code),
    }
    return finding if change.witness is NOTHING else finding | {"witness": change.witness}


def _by_gravity(diff: Diff) -> list[Change]:
    return sorted(diff.changes, key=lambda change: -change.verdict)


def _is_open(change: Change) -> bool:
    return change.verdict > Compatibility.COMPATIBLE


def _where(change: Change) -> str:
    profile = f"profile {change.profile}" if change.profile else ""
    pieces = (change.file, profile, change.tool, change.path)
    return escaped(" ".join(cut(piece) for piece in pieces if piece)) or "the list"


def _sentence(change: Change) -> str:
    said = rules()[change.rule]
    return f"{said.title} {said.why}"


def _role(change: Change) -> str:
    """What the witness is to the change."""
    if not change.direction or change.verdict is not Compatibility.BREAKING:
        return "shown by"
    return "breaks" if change.kind != "schema-removed" else "shown by"


def _override(change: Change) -> str:
    assert change.overridden is not None  # noqa: S101 - asked by the callers
    return f"by itself {change.overridden['verdict']}; policy: {cut(change.overridden['reason'])}"


def _plain(text: str) -> str:
    """Text that no Markdown reads as a sign, in one cell of a table."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#~@" else sign for sign in escaped(text))


def _code(text: str) -> str:
    """Text as code in one cell of a table, fenced by more back quotes than it holds."""
    longest = max((len(run) for run in _runs_of_quotes(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|")


def _runs_of_quotes(text: str) -> list[str]:
    return "".join(sign if sign == "`" else " " for sign in text).split()
