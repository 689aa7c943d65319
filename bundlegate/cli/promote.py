"""`bundlegate promote`: move a candidate, if the gate says yes at this moment."""

import sys
from typing import TYPE_CHECKING

import click

from bundlegate.cli.output import emit_json, emit_line, exit_of, format_option
from bundlegate.cli.service import decision_lines, safe, talks_to_service

if TYPE_CHECKING:
    from bundlegate.client import Client


@click.command()
@click.argument("candidate_id")
@click.option("--to", required=True, metavar="STATE", help="Where to move it.")
@click.option(
    "--from",
    "expected_state",
    required=True,
    metavar="STATE",
    help="The state it is in now; another one is refused, so that nobody moves it twice.",
)
@click.option("--reason", required=True, help="Why; kept for ever.")
@click.option("--environment", default="default", show_default=True, help="Where it is to run.")
@format_option
@talks_to_service
def promote(
    client: "Client",
    *,
    candidate_id: str,
    to: str,
    expected_state: str,
    reason: str,
    environment: str,
    output: str,
) -> None:
    """Ask for a transition: exit 0 moved, 1 refused or in another state, 3 not yet."""
    from bundlegate.client import GateSaid

    try:
        made = client.transition(
            candidate_id,
            to=to,
            expected_state=expected_state,
            reason=reason,
            environment=environment,
        )
    except GateSaid as said:
        if output == "json":
            emit_json({"error": said.to_dict(), "decision": said.decision})
        else:
            emit_line("\n".join(decision_lines(said.decision)))
        sys.exit(exit_of(said.decision["verdict"]))
    if output == "json":
        emit_json(made)
        return
    moved = made["transition"]
    emit_line(f"{safe(moved['from_state'])} → {safe(moved['to_state'])}  {safe(candidate_id)}")
