"""What a report says after the summary: how far a green run can be believed, and what else to see.

None of it changes a verdict here; a pipeline gates on it with options and policies.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from bundles.report.cut import cut, escaped
from bundles.report.text import MARKS
from bundles.suite.language import Words
from bundles.suite.outcomes import CaseOutcome, CaseStatus, ServerWords
from bundles.suite.report.model import Gate, SuiteRun
from bundles.suite.report.sentences import listed, said, step_for

if TYPE_CHECKING:
    from bundles.suite.fingerprint import Approval
    from bundles.suite.input_contract import InputFinding

STDERR_LINES = 20
"""So many of the last lines of a server's stderr are shown."""

_FINGERPRINT = 12
_NO_FAILURE = (CaseStatus.PASSED, CaseStatus.NOT_RUN)


def blocks(run: SuiteRun, words: Words) -> Iterator[Iterable[str]]:
    """The blocks that have something to say, in their order."""
    made = (
        _rejections(run.report.unverified_rejections, words),
        _findings(run, words),
        _approval(run, words),
        _more(run, words),
        _gates(run.gates, words),
        _server(run.report.server, words, quiet=run.all_passed),
    )
    return (block for block in map(list, made) if block)


def _rejections(cases: tuple[CaseOutcome, ...], words: Words) -> Iterator[str]:
    if cases:
        yield f"  → {words.counted('rejections', len(cases))}"
        yield f"    {words('rejections.why')}"
        names = listed([escaped(cut(case.id)) for case in cases], words)
        yield f"    {words('rejections.next', cases=names)}"


def _findings(run: SuiteRun, words: Words) -> Iterator[str]:
    """The findings on inputs of cases that were run and did not pass: they may be the cause."""
    concerned = [
        (case.id, run.findings_by_case[case.id])
        for case in run.report.cases
        if case.status not in _NO_FAILURE and case.id in run.findings_by_case
    ]
    if not concerned:
        return
    yield words("findings")
    for case_id, findings in concerned:
        yield f"  {escaped(cut(case_id))}"
        yield from (f"    → {said_of_finding(finding, words)}" for finding in findings)
    total = run.findings.total if run.findings else 0
    shown_here = sum(len(findings) for _, findings in concerned)
    if shown_here < total:
        yield f"  {words('findings.total', total=total, listed=shown_here)}"


def said_of_finding(finding: "InputFinding", words: Words) -> str:
    """One line about a finding on an input, its severity first."""
    return f"{words(f'finding.{finding.severity.value}')}: {finding.sentence(words)}"


def _approval(run: SuiteRun, words: Words) -> Iterator[str]:
    """The approval where it may explain a failure, and a drift even under a green run."""
    approval = run.approval
    if approval is None or (run.all_passed and approval.state != "drifted"):
        return
    yield from approval_lines(approval, words)


def approval_lines(approval: "Approval", words: Words) -> Iterator[str]:
    """Whether the suite is the one that was approved."""
    computed, recorded = _print(approval.computed), _print(approval.recorded)
    yield words(f"approval.{approval.state}", computed=computed)
    if approval.state == "none":
        yield f"  → {words('approval.none.next')}"
    if approval.state == "drifted":
        yield f"  → {words('approval.drifted.prints', recorded=recorded, computed=computed)}"
        yield f"  → {words('approval.drifted.next')}"


def _print(fingerprint: str) -> str:
    return f"{fingerprint[:_FINGERPRINT]}…"


def _more(run: SuiteRun, words: Words) -> Iterator[str]:
    """What had to be asked for: most runs end without its modules."""
    if run.coverage:
        from bundles.suite.report.coverage import coverage_lines  # noqa: PLC0415 - start-up

        yield from coverage_lines(run.coverage, words)
    if run.coverage and run.determinism:
        yield ""
    if run.determinism:
        from bundles.suite.report.determinism import determinism_lines  # noqa: PLC0415 - start-up

        yield from determinism_lines(run.determinism, words)


def _gates(gates: tuple[Gate, ...], words: Words) -> Iterator[str]:
    for gate in gates:
        told = words("gate", name=gate.id, message=said_of_gate(gate, words))
        yield f"{MARKS[gate.verdict]} {told}"
        if not gate.passed:
            yield f"    {words('fix', step=step_for(gate.reason_code, words))}"


def said_of_gate(gate: Gate, words: Words) -> str:
    """What a gate asked and found; in another language led by the sentence of its reason."""
    message = said(gate.message)
    template = words.outcomes.get(gate.reason_code)
    return message if template is None else template.format(message=message)


def _server(server: ServerWords, words: Words, *, quiet: bool) -> Iterator[str]:
    """How the server ended and what it wrote to stderr: often the reason why a case failed.

    Under a green run only what is wrong of itself: an abnormal end, or lines on stdout that are no
    messages, over which another client may stumble.
    """
    wrong = server.ended_abnormally or bool(server.noise)
    if not wrong and (quiet or not server.stderr):
        return
    yield words("process")
    if server.exit_code is not None:
        ended = words("process.exit", code=server.exit_code, signal=server.signal or words("none"))
        yield f"  {ended}"
    written = server.stderr.splitlines()
    if written:
        above = len(written) - STDERR_LINES
        extent = (
            words("process.stderr.last", shown=STDERR_LINES, above=above)
            if above > 0
            else words("process.stderr.whole")
        )
        yield f"  {words('process.stderr', extent=extent)}"
        # The sign at their head keeps a server from writing lines that read as the report's own.
        yield from (f"    · {_line(line)}" for line in written[-STDERR_LINES:])
    if server.noise:
        yield f"  {words('process.noise')}"
        yield from (f"    · {_line(line)}" for line in server.noise[:STDERR_LINES])


def _line(text: str) -> str:
    """A line of the server's; tabs indent the traces of many languages and move nothing else."""
    return "\t".join(escaped(piece) for piece in cut(text, 1000).split("\t"))
