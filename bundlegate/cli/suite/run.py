"""`bundlegate suite run`: drive a suite on a server and show how it went."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bundlegate.cli.output import emit_json, exit_of, format_option, progress, shows_refusals
from bundlegate.cli.reports import report_options, write_reports
from bundlegate.cli.suite.files import read_file
from bundlegate.cli.target import endpoint_of, target_options

if TYPE_CHECKING:
    from bundles.suite.judge import SuiteReport
    from bundles.suite.model import Case, Suite
    from bundles.transcript import Exchange
    from workers.endpoints import Endpoint


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--concurrency",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    help="Calls in flight at once. The report keeps the order of the file.",
)
@target_options
@report_options
@format_option
@shows_refusals
def run(
    file: Path,
    concurrency: int,
    junit: Path | None,
    sarif: Path | None,
    output: str,
    **target: Any,
) -> None:
    """Run the suite in FILE on the server at --url, or on the one started by -- CMD…

    Exit 0 when every case passes, 1 when one fails, 3 when one got no answer, 4 when the server
    cannot be reached.
    """
    import asyncio

    from bundles.suite.model import load_suite
    from bundles.suite.report import common_report, render_text

    loaded = load_suite(read_file(file)[1], path=str(file))
    endpoint = endpoint_of(**target)
    report, revision = asyncio.run(_observed(loaded, endpoint, concurrency))
    common = common_report(report, title="suite run", subject=_subject(target), path=str(file))
    write_reports(common, junit=junit, sarif=sarif)
    if output == "json":
        facts = {"target": common.subject, "revision": revision, "verdict": common.verdict}
        emit_json(report.to_dict() | facts)
    else:
        click.echo(render_text(report), nl=False)
    raise SystemExit(exit_of(common.verdict))


def _subject(target: dict[str, Any]) -> str:
    return str(target["url"] or " ".join(target["command"]))


async def _observed(
    loaded: "Suite", endpoint: "Endpoint", concurrency: int
) -> "tuple[SuiteReport, str]":
    """Drive the suite and judge what came back; also the revision that was spoken."""
    from bundles.suite.judge import judge_suite
    from workers.budget import Budget
    from workers.probes.opening import open_conversation
    from workers.probes.suite import run_suite

    done = 0

    def on_case(case: "Case", _exchanges: "list[Exchange]") -> None:
        nonlocal done
        done += 1
        progress(f"{done}/{len(loaded.cases)} {case.id}")

    budget = Budget()
    async with open_conversation(endpoint, budget) as session:
        exchanges = await run_suite(
            session, loaded, budget, concurrency=concurrency, on_case=on_case
        )
        return judge_suite(loaded, exchanges), session.terms.revision
