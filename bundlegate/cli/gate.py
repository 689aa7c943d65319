"""`bundlegate gate`: the release question."""

import sys
from typing import TYPE_CHECKING

import click

from bundlegate.cli.output import emit_json, emit_line, exit_of, format_option
from bundlegate.cli.service import decision_lines, talks_to_service

if TYPE_CHECKING:
    from bundlegate.client import Client


@click.group()
def gate() -> None:
    """Ask whether a candidate may go somewhere now."""


@gate.command()
@click.argument("candidate_id")
@click.option("--to", required=True, metavar="STATE", help="The state it is to reach.")
@click.option("--environment", default="default", show_default=True, help="Where it is to run.")
@click.option(
    "--wait",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seconds to wait while the gate is undecided.",
)
@format_option
@talks_to_service
def check(
    client: "Client", *, candidate_id: str, to: str, environment: str, wait: int, output: str
) -> None:
    """Ask the gate: exit 0 yes, 1 no, 3 not yet, with reasons and next steps."""
    decision = client.gate(candidate_id, to=to, environment=environment, wait_s=wait)
    if output == "json":
        emit_json(decision)
    else:
        emit_line("\n".join(decision_lines(decision)))
    sys.exit(exit_of(decision["verdict"]))
