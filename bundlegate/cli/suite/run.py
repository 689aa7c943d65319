"""`bundlegate suite run`: drive a suite on a server and show how it went."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bundlegate.cli.output import Exit, exit_of, format_option, progress, shows_refusals
from bundlegate.cli.reports import ReportFiles, report_options
from bundlegate.cli.suite.choosing import Choosing, choosing_options
from bundlegate.cli.suite.demanding import Demands, demanding_options
from bundlegate.cli.suite.files import read_file
from bundlegate.cli.suite.showing import language_option, show_run, with_approval, write_reports
from bundlegate.cli.target import endpoint_of, target_options

if TYPE_CHECKING:
    from bundles.suite.model import Case, Suite
    from bundles.suite.outcomes import CaseOutcome
    from bundles.suite.report import SuiteRun
    from bundles.transcript import Exchange
    from workers.probes.suite.judged import OnOutcome


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--concurrency",
    type=click.IntRange(1, 100),
    help="Calls in flight at once, instead of what the suite says. A version-1 suite says 1; with "
    "more, all its cases count as independent. The report keeps the order of the file.",
)
@choosing_options
@demanding_options
@target_options
@report_options
@language_option
@format_option
@shows_refusals
def run(
    file: Path,
    *,
    concurrency: int | None,
    choosing: Choosing,
    demands: Demands,
    reports: ReportFiles,
    output: str,
    lang: str,
    **target: Any,
) -> None:
    """Run the suite in FILE on the server at --url, or on the one started by -- CMD…

    Exit 0 when every case passes, 1 when one fails for certain, 3 when one got no answer, 4 when
    the server cannot be reached or is lost on the way: the cases left are not run then. Exit 5 when
    it lets nobody in without other credentials. Ctrl-C tears down what was set up, reports the
    cases that ended, and exits 130.
    """
    from bundlegate.cli.suite.observing import observe
    from bundles.suite.model import load_suite

    text, document = read_file(file)
    chosen = choosing.of(load_suite(document, path=str(file)))
    endpoint = endpoint_of(**target)
    on_outcome = _progress(chosen.suite)
    seen = observe(endpoint, chosen.suite, demands, concurrency=concurrency, on_outcome=on_outcome)
    from bundles.suite.report import SuiteRun

    made = SuiteRun(
        replace(seen.report, left_out=chosen.left_out),
        _subject(target),
        findings=seen.findings,
        coverage=seen.coverage,
        determinism=seen.determinism,
    )
    made = with_approval(made, document, as_json=output == "json")
    made = demands.judged(made)
    write_reports(made, path=file, text=text, reports=reports)
    show_run(made, as_json=output == "json", lang=lang)
    raise SystemExit(Exit.INTERRUPTED if seen.interrupted else exit_of_run(made))


def _subject(target: dict[str, Any]) -> str:
    return str(target["url"] or " ".join(target["command"]))


def exit_of_run(made: "SuiteRun") -> Exit:
    """A certain failure outweighs a lost server, and that outweighs what nobody could tell."""
    told = exit_of(made.verdict)
    stopped = made.report.stopped
    lost = stopped is not None and stopped.infrastructure
    return Exit.UNREACHABLE if lost and told is not Exit.NO else told


def _progress(chosen: "Suite") -> "OnOutcome":
    done, total = count(1), len(chosen.everything)

    def tell(case: "Case", _exchanges: "Sequence[Exchange]", _outcome: "CaseOutcome") -> None:
        progress(f"{next(done)}/{total} {case.id}")

    return tell
