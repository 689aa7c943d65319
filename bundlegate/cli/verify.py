"""`bundlegate verify`: start a verification and follow it to its verdict."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bundlegate.cli.output import Exit, emit, exit_of, progress, say
from bundlegate.cli.reports import write_report
from bundlegate.cli.service import safe, talks_to_service

if TYPE_CHECKING:
    from bundlegate.client import Client


@click.command()
@click.argument("candidate_id", required=False)
@click.option("--run", "run_id", help="Follow this run instead of starting one.")
@click.option("--stage", "stages", multiple=True, help="Only this stage. Repeatable.")
@click.option("--profile", "profiles", multiple=True, help="Only this profile. Repeatable.")
@click.option(
    "--wait",
    type=click.IntRange(min=0),
    default=900,
    show_default=True,
    help="Seconds to follow; the run goes on afterwards.",
)
@click.option("--key", metavar="KEY", help="Idempotency-Key: the same key starts one run.")
@click.option("--junit", type=click.Path(path_type=Path), help="Write a JUnit report there.")
@click.option("--sarif", type=click.Path(path_type=Path), help="Write a SARIF report there.")
@click.option("--html", type=click.Path(path_type=Path), help="Write a page of HTML there.")
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json", "junit", "sarif", "html"]),
    default="text",
    show_default=True,
    help="Form of the report on stdout.",
)
@talks_to_service
def verify(
    client: "Client",
    *,
    candidate_id: str | None,
    run_id: str | None,
    stages: tuple[str, ...],
    profiles: tuple[str, ...],
    wait: int,
    key: str | None,
    junit: Path | None,
    sarif: Path | None,
    html: Path | None,
    output: str,
) -> None:
    """Verify a candidate live: start a run, follow it, and print its report.

    Exit 0 passed, 1 failed, 3 inconclusive or not over yet, 4 the candidate never answered. Ctrl-C
    leaves the run going.
    """
    if bool(candidate_id) == bool(run_id):
        raise click.UsageError("name a candidate to verify, or a run to follow with --run")
    if candidate_id:
        run_id = client.start_run(candidate_id, stages=stages, profiles=profiles, key=key)["id"]
        progress(f"run {run_id} is queued")
    run = str(run_id)
    try:
        for event in client.follow(run, wait_s=wait):
            progress(_line(event))
    except KeyboardInterrupt:
        say(f"the run goes on; follow it with `bundlegate verify --run {run}`")
        sys.exit(Exit.NOT_YET)
    ended = client.run(run)
    verdict = ended["verdict"]
    for path, form in ((junit, "junit"), (sarif, "sarif"), (html, "html")):
        if path is not None:
            write_report(path, client.report(run, form))
    emit(client.report(run, output) + ("\n" if output == "json" else ""))
    if verdict is None:
        say(f"not over yet; follow it with `bundlegate verify --run {run}`")
    unreachable = ended["reason_code"] == "CANDIDATE_UNREACHABLE"
    sys.exit(Exit.UNREACHABLE if unreachable else exit_of(verdict or ""))


def _line(event: dict[str, Any]) -> str:
    """One step of progress as one line."""
    words = [f"{name}={_brief(value)}" for name, value in event["body"].items()]
    return " ".join([f"{event['seq']:>4}", safe(event["kind"]), *words])


def _brief(value: object) -> str:
    return safe(value if isinstance(value, str) else json.dumps(value))
