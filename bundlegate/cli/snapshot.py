"""`bundlegate snapshot`: take a snapshot of a server's tools, compare two."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bundlegate.cli.output import Exit, emit_json, emit_line, format_option, shows_refusals
from bundlegate.cli.profile_file import profile_option, read_profile
from bundlegate.cli.target import endpoint_of, target_options
from bundles.errors import Refused
from bundles.reasons import reason

if TYPE_CHECKING:
    from bundles.mcp.changes import SnapshotDiff
    from bundles.mcp.snapshot import Snapshot

SNAPSHOT_READ_FAILED = reason(
    "SNAPSHOT_READ_FAILED",
    "A snapshot file cannot be read.",
    "check the path and its permissions",
)

_EXIT = {
    "identical": Exit.YES,
    "compatible": Exit.YES,
    "conditional": Exit.NOT_YET,
    "risk": Exit.NOT_YET,
    "breaking": Exit.NO,
}


@click.group()
def snapshot() -> None:
    """Take a snapshot of a server's tools, compare two."""


@snapshot.command()
@click.option(
    "--revision",
    type=click.Choice(["2026-07-28", "2025-11-25"]),
    help="Speak this MCP revision; by default the newest the server speaks.",
)
@profile_option
@target_options
@format_option
@shows_refusals
def take(revision: str | None, profile: Path | None, output: str, **target: Any) -> None:
    """List the tools of the server at --url, or of the one started by -- CMD…

    With --format json the document can be kept, put into a bundle as it is, and given to `diff`.
    Exit 4 when the server cannot be reached or does not list its tools to the end.
    """
    import asyncio

    from bundles.mcp.client import read_client
    from bundles.mcp.snapshot import snapshot_document
    from bundles.mcp.taken import facts_of
    from workers.probes.listing import list_pages

    conditions = read_profile(profile)
    endpoint = endpoint_of(**conditions.target(target))
    client = read_client(conditions.client)
    listing = asyncio.run(list_pages(endpoint, conditions.spoken(revision), client))
    tools, spoken = listing.tools, listing.revision
    now = datetime.now(UTC).isoformat(timespec="seconds")
    document = snapshot_document(
        tools,
        profile=conditions.name,
        revision=spoken,
        fetched_at=now,
        **facts_of(listing.pages, listing.greeting),
    )
    if output == "json":
        emit_json(document)
        return
    from bundles.report.cut import escaped

    emit_line(f"{document['digest']}  {len(tools)} tools, MCP {spoken}")
    for name, digest in document["tool_digests"].items():
        emit_line(f"  {digest}  {escaped(name)}")


@snapshot.command("diff")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--fail-on",
    type=click.Choice(["conditional", "risk"]),
    help="Exit 1 instead of 3 for this verdict.",
)
@format_option
@shows_refusals
def diff_command(old: Path, new: Path, fail_on: str | None, output: str) -> None:
    """Compare two snapshots of one profile: tools/list results, arrays of tools, or taken ones.

    Exit 0 when identical or compatible (tools added, texts changed cosmetically, another order), 1
    when breaking (removed or renamed), 3 when a risk: an annotation, a schema, a text that tells
    models something new, hidden characters.
    """
    from bundles.mcp.snapshot_diff import compare

    found = compare(read_snapshot(old), read_snapshot(new))
    verdict = found.verdict.word
    if output == "json":
        emit_json(found.to_dict())
    else:
        _show(found)
    raise SystemExit(Exit.NO if verdict == fail_on else _EXIT[verdict])


def _show(found: "SnapshotDiff") -> None:
    from bundles.report.cut import escaped, shown

    emit_line(found.verdict.word)
    for change in found.changes:
        where = f"{escaped(change.tool)} {escaped(change.path)}".strip()
        emit_line(f"  {change.verdict.word:<10}  {change.kind:<10}  {where}  {change.reason_code}")
        if change.witness is not None and change.witness != {"class": "cosmetic"}:
            emit_line(f"    {shown(dict(change.witness))}")
    for what, count in found.normalised.items():
        emit_line(f"  no change   {what}: {count} tools spelled differently")


def read_snapshot(path: Path) -> "Snapshot":
    """The snapshot in a file.

    Raises:
        Refused: SNAPSHOT_READ_FAILED, SNAPSHOT_SHAPE, or what is wrong with its JSON.
    """
    from bundles.json_reader import read_json
    from bundles.mcp.snapshot import read_snapshot as read

    try:
        content = path.read_bytes()
    except OSError as error:
        why = error.strerror or "unreadable"
        raise Refused(SNAPSHOT_READ_FAILED, why, path=str(path)) from error
    document = read_json(content, path=str(path))
    return read(document, content.decode("utf-8"), path=str(path))
