"""`bundlegate suite`: check suite files, compare a value with a schema, run a suite on a server."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bundlegate.cli.output import (
    Exit,
    emit_json,
    exit_of,
    format_option,
    progress,
    say,
    shows_refusals,
)
from bundlegate.cli.reports import report_options, write_reports
from bundlegate.cli.target import endpoint_of, target_options

if TYPE_CHECKING:
    from bundles.suite.judge import SuiteReport
    from bundles.suite.model import Case, Suite
    from bundles.transcript import Exchange
    from workers.endpoints import Endpoint


@click.group()
def suite() -> None:
    """Check suite files and run them on a server."""


@suite.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@format_option
def lint(files: tuple[Path, ...], output: str) -> None:
    """Check suite FILES: every issue, with its place.

    With --format json one line a file: {"file", "valid", "issues": [{"code", "path", "message"}]}.
    Exit 0 when all are valid, 1 when one is not, 2 when one cannot be read.
    """
    from bundles.report.cut import escaped

    worst = Exit.YES
    for file in files:
        code, issues = _linted(file)
        worst = max(worst, code)
        if output == "json":
            line = {"file": str(file), "valid": not issues, "issues": issues}
            click.echo(json.dumps(line, ensure_ascii=True))
            continue
        click.echo(f"{'✗' if issues else '✓'} {escaped(str(file))}")
        for issue in issues:
            click.echo(
                f"    {issue['code']}  {escaped(issue['path'])}  {escaped(issue['message'])}"
            )
    raise SystemExit(worst)


def _linted(file: Path) -> tuple[Exit, list[dict[str, Any]]]:
    """Exit code and issues of a file; a file that is no JSON has one issue, the reason for it."""
    from bundles.errors import Refused
    from bundles.suite.reading import repeated_names
    from bundles.suite.validate import validate_suite

    try:
        text, document = _read(file)
    except Refused as refusal:
        line = f" (line {refusal.line})" if refusal.line else ""
        issue = {"code": refusal.reason_code, "path": "$", "message": f"{refusal.detail}{line}"}
        return Exit.USAGE, [issue]
    for name in repeated_names(text):
        say(f"{file}: {name!r} is given twice; the last one counts. A bundle refuses this file.")
    issues = [issue.to_dict() for issue in validate_suite(document)]
    return (Exit.NO if issues else Exit.YES), issues


def _read(file: Path) -> tuple[str, Any]:
    from bundles.errors import Refused
    from bundles.suite.reading import SUITE_READ_FAILED, read_json

    try:
        data = file.read_bytes()
    except OSError as error:
        why = error.strerror or str(error)
        raise Refused(SUITE_READ_FAILED, f"cannot read it: {why}", path=str(file)) from error
    document = read_json(data, path=str(file))
    return data.decode("utf-8-sig"), document


@suite.command()
@click.option("--schema", "schema_file", required=True, type=click.Path(path_type=Path))
@click.option("--value", "value_file", required=True, type=click.Path(path_type=Path))
@format_option
@shows_refusals
def match(schema_file: Path, value_file: Path, output: str) -> None:
    """Compare a JSON value with a response schema of the suite format.

    Prints how many violations there are and the first ten. Exit 0 when there is none, 1 otherwise.
    """
    from bundles.errors import Refused
    from bundles.report.cut import compact, escaped
    from bundles.suite.diagnostics import counted, describe, in_json
    from bundles.suite.issues import Issues
    from bundles.suite.model import SUITE_VALIDATION_FAILED
    from bundles.suite.paths import Path as Place
    from bundles.suite.schema import match as compare
    from bundles.suite.validate_schema import validate_schema

    schema = _read(schema_file)[1]
    issues = Issues()
    validate_schema(schema, Place("schema"), issues)
    if issues.found:
        raise Refused(
            SUITE_VALIDATION_FAILED,
            f"the schema has {len(issues.found)} issue(s)",
            path=str(schema_file),
            seen=[issue.to_dict() for issue in issues.found],
        )
    found = compare(schema, _read(value_file)[1])
    if output == "json":
        document = {"total": found.total, "violations": [in_json(v) for v in found.violations]}
        click.echo(escaped(compact(document)))
    else:
        for violation in found.violations:
            click.echo(describe(violation)["message"])
        click.echo(counted(found.total) if found.total else "matches")
    raise SystemExit(Exit.NO if found.total else Exit.YES)


@suite.command()
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

    loaded = load_suite(_read(file)[1], path=str(file))
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
