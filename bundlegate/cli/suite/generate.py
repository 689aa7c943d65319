"""`bundlegate suite generate`: a suite from the tools of a server or a snapshot."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bundlegate.cli.output import Exit, emit, emit_json, format_option, say, shows_refusals
from bundlegate.cli.target import TARGET_NOT_NAMED, endpoint_of, target_options
from bundlegate.cli.tools import check_listed
from bundles.errors import Invalid, Refused
from bundles.reasons import reason

if TYPE_CHECKING:
    from bundles.mcp.tools import Tool
    from bundles.suite.generate import Generated
    from bundles.suite.report import SuiteRun
    from workers.endpoints import Endpoint

SUITE_NOT_WRITTEN = reason(
    "SUITE_NOT_WRITTEN",
    "A suite cannot be written to disk, or another one is there already.",
    "name a new file, then compare: a suite that somebody may have edited is never overwritten",
)


@click.command()
@click.option(
    "--snapshot",
    type=click.Path(path_type=Path),
    help="Take the tools from this file instead: a tools/list result or an array of tools.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write the suite to this new file.")
@click.option("--id", "suite_id", default="generated", show_default=True, help="Id of the suite.")
@click.option("--name", "suite_name", default="Generated suite", show_default=True)
@click.option(
    "--policy",
    type=click.Choice(["schema-baseline-v3", "schema-baseline-v2"]),
    default="schema-baseline-v3",
    show_default=True,
    help="Which cases to make; v2 are those of the tool the format comes from.",
)
@click.option(
    "--fixtures",
    type=click.Path(path_type=Path),
    help="Values that exist on the server, by tool and field, to call with.",
)
@click.option(
    "--safe",
    multiple=True,
    metavar="TOOL",
    help="Also run the cases of this tool on the server. No other tool is called.",
)
@target_options
@format_option
@shows_refusals
def generate(
    *,
    snapshot: Path | None,
    out: Path | None,
    suite_id: str,
    suite_name: str,
    policy: str,
    fixtures: Path | None,
    safe: tuple[str, ...],
    output: str,
    **target: Any,
) -> None:
    """Generate a suite from the tools at --url, of -- CMD…, or in a --snapshot.

    The suite goes to stdout, or to --out. Tools whose schema cannot be followed are named with the
    reason. No tool is called, except for those named by --safe: then exit 1 when one of their cases
    fails, 3 when one got no answer or has no cases to run.
    """
    from bundlegate.cli.suite.files import read_file
    from bundlegate.cli.suite.run import exit_of_run
    from bundles.suite.generate import generate_suite, read_fixtures

    values = None
    if fixtures is not None:
        values = read_fixtures(read_file(fixtures)[1], path=str(fixtures))
    tools, endpoint = _tools(snapshot, target)
    if safe and endpoint is None:
        raise Invalid(TARGET_NOT_NAMED, "--safe runs cases on a server: name one, not a snapshot")
    check_listed(safe, tools)
    generated = generate_suite(
        tools, suite_id=suite_id, suite_name=suite_name, policy=policy, fixtures=values
    )
    if out is not None:
        write_new(out, generated.written())
    with_cases = {case["operation"]["tool"] for case in generated.suite["cases"]}
    tried = tuple(tool for tool in safe if tool in with_cases)
    ran = _run(generated, endpoint, tried) if tried and endpoint is not None else None
    if output == "json":
        emit_json(generated.to_dict() | ({"run": ran.report.to_dict()} if ran else {}))
    else:
        emit(generated.written() if out is None else f"{out}\n")
        for line in notes_on(generated, len(tools)):
            say(line)
        _show(ran)
    told = Exit.YES if ran is None else exit_of_run(ran)
    untried = [tool for tool in safe if tool not in with_cases]
    if untried:
        say(f"not run, for there are no cases: {', '.join(untried)}; write some by hand")
    # whoever asks for a tool's cases to be run is not answered by those of another
    raise SystemExit(Exit.NOT_YET if untried and told is Exit.YES else told)


def _tools(
    snapshot: Path | None, target: dict[str, Any]
) -> "tuple[tuple[Tool, ...], Endpoint | None]":
    """The tools, and the server they come from unless they come from a file."""
    import asyncio

    from bundlegate.cli.snapshot import read_snapshot
    from workers.probes.listing import list_tools

    if snapshot is None:
        endpoint = endpoint_of(**target)
        return asyncio.run(list_tools(endpoint))[0], endpoint
    if any(target.values()):
        raise Invalid(TARGET_NOT_NAMED, "name a snapshot or a server, not both")
    return read_snapshot(snapshot).tools, None


def _run(generated: "Generated", endpoint: "Endpoint", safe: tuple[str, ...]) -> "SuiteRun":
    """The cases of the tools that may be called, on the server."""
    import asyncio
    from dataclasses import replace

    from bundles.suite.model import load_suite
    from bundles.suite.report import SuiteRun
    from workers.probes.suite.live import run_live

    suite = load_suite(generated.suite)
    cases = tuple(case for case in suite.cases if case.operation.tool in safe)
    return SuiteRun(asyncio.run(run_live(endpoint, replace(suite, cases=cases))))


def _show(ran: "SuiteRun | None") -> None:
    from bundles.suite.report import render_text

    if ran is not None:
        say(render_text(ran).rstrip("\n"))


def write_new(file: Path, text: str) -> None:
    """Write a file that is not there yet, or has this content already.

    Raises:
        Refused: SUITE_NOT_WRITTEN.
    """
    content = text.encode("utf-8")
    try:
        try:
            with file.open("xb") as sink:
                sink.write(content)
        except FileExistsError as error:
            if file.read_bytes() != content:
                why = "another suite is there"
                raise Refused(SUITE_NOT_WRITTEN, why, path=str(file)) from error
    except OSError as error:
        why = error.strerror or str(error)
        raise Refused(SUITE_NOT_WRITTEN, f"cannot write it: {why}", path=str(file)) from error


def notes_on(generated: "Generated", tools: int) -> list[str]:
    """What was generated in a line, then a line for everything that was not."""
    from bundles.report.cut import escaped

    covered = generated.coverage
    cases, followed = len(generated.suite["cases"]), tools - len(generated.skipped)
    axes = f"{covered.covered} of {covered.total} contract axes covered"
    lines = [f"{cases} cases for {followed} of {tools} tools; {axes}"]
    for title, left in (
        ("no cases for", generated.skipped),
        ("output not checked of", generated.uncovered_outputs),
        ("not tried of", generated.uncovered_fields),
    ):
        lines += [escaped(f"{title} {one.tool}: {one.path}: {one.message}") for one in left]
    return lines
