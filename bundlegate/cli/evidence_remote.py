"""`bundlegate evidence list|show`: what the service holds."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bundlegate.cli.output import emit_json, format_option
from bundlegate.cli.service import members, table, talks_to_service

if TYPE_CHECKING:
    from bundlegate.client import Client

_SHOWN = (
    "id",
    "verdict",
    "kind",
    "stage",
    "profile",
    "binding",
    "candidate_id",
    "run_id",
    "artifact_digest",
    "bundle_digest",
    "snapshot_digest",
    "transcript_digest",
    "harness_version",
    "verified_at",
    "expires_at",
    "key_id",
    "envelope_digest",
)


@click.command("list")
@click.option("--candidate", "candidate_id", help="Only evidence about this candidate.")
@click.option("--digest", help="Only evidence bound to this digest, of whatever.")
@click.option("--producer", help="Only evidence about candidates of this producer.")
@click.option("--stage", help="Only evidence of this stage.")
@click.option("--profile", help="Only evidence of this profile.")
@click.option("--verdict", help="Only PASS, FAIL or INCONCLUSIVE.")
@click.option("--fresh/--expired", "fresh", default=None, help="Only what still counts, or not.")
@format_option
@talks_to_service
def list_(client: "Client", /, *, fresh: bool | None, output: str, **filters: str | None) -> None:
    """List evidence, newest first."""
    told = None if fresh is None else str(fresh).lower()
    found = list(client.evidence_list(**filters, fresh=told))
    if output == "json":
        emit_json(found)
        return
    table(found, ("id", "verdict", "stage", "profile", "binding", "verified_at", "candidate_id"))


@click.command()
@click.argument("evidence_id")
@click.option(
    "--envelope",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the signed DSSE envelope there, byte for byte.",
)
@format_option
@talks_to_service
def show(client: "Client", *, evidence_id: str, envelope: Path | None, output: str) -> None:
    """Show evidence; with --envelope also take the signed original home."""
    found = client.evidence(evidence_id)
    if envelope is not None:
        envelope.write_bytes(client.envelope(evidence_id))
    if output == "json":
        emit_json(found)
        return
    members(found, _SHOWN)
    for claim in found["summary"].get("unverified_claims", ()):
        members({"not verified": f"{claim['claim']}: {claim['why']}"}, ("not verified",))
    for absent in found["summary"].get("not_covered", ()):
        members({"not covered": absent}, ("not covered",))
