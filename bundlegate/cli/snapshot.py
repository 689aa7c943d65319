"""`bundlegate snapshot`: take a snapshot of a server's tools, compare two."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bundlegate.cli.diffing import DiffOptions, diff_options
from bundlegate.cli.given_file import content_of
from bundlegate.cli.output import emit_json, emit_line, format_option, shows_refusals
from bundlegate.cli.profile_file import profile_option, read_profile
from bundlegate.cli.target import endpoint_of, target_options
from bundles.errors import Refused
from bundles.reasons import reason

if TYPE_CHECKING:
    from bundles.mcp.snapshot import Snapshot

SNAPSHOT_READ_FAILED = reason(
    "SNAPSHOT_READ_FAILED",
    "A snapshot file cannot be read.",
    "check the path and its permissions",
)


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
@diff_options
@format_option
@shows_refusals
def diff_command(old: Path, new: Path, output: str, asked: DiffOptions) -> None:
    """Compare two snapshots of one profile: tools/list results, arrays of tools, or taken ones.

    Exit 0 when identical or compatible, 1 when breaking: a call of today is refused, an answer of
    tomorrow cannot be read, a tool is gone. 3 when it depends on consumers (conditional), or when
    somebody has to look (risk): an annotation, a text that tells models something new, hidden
    characters.
    """
    from bundles.mcp.snapshot_diff import compare
    from service.containment import Comparisons

    before, after = read_snapshot(old), read_snapshot(new)
    overrides = asked.overrides()
    with Comparisons() as comparisons:
        found = compare(before, after, comparisons.compare, overrides)
    asked.show(found, "snapshot diff", f"{old} → {new}", as_json=output == "json")


def read_snapshot(path: Path) -> "Snapshot":
    """The snapshot in a file.

    Raises:
        Refused: SNAPSHOT_READ_FAILED, SNAPSHOT_SHAPE, or what is wrong with its JSON.
    """
    from bundles.json_reader import read_json
    from bundles.mcp.snapshot import read_snapshot as read

    try:
        content = content_of(path)
    except OSError as error:
        why = error.strerror or "unreadable"
        raise Refused(SNAPSHOT_READ_FAILED, why, path=str(path)) from error
    document = read_json(content, path=str(path))
    return read(document, content.decode("utf-8"), path=str(path))
