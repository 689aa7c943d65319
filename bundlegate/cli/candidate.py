"""`bundlegate candidate`: put builds forward, and see where they stand."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bundlegate.cli.given_file import content_of
from bundlegate.cli.output import emit_json, emit_line, format_option, say
from bundlegate.cli.service import members, safe, table, talks_to_service

if TYPE_CHECKING:
    from bundlegate.client import Client

_SHOWN = (
    "id",
    "state",
    "contract_id",
    "version",
    "producer",
    "bundle_digest",
    "artifact_digest",
    "policy",
    "route_enabled",
    "needs_reverification",
    "created_by",
    "created_at",
    "updated_at",
)


@click.group()
def candidate() -> None:
    """Put builds forward, and see where they stand."""


@candidate.command()
@click.option("--bundle", "bundle_digest", required=True, metavar="DIGEST", help="The contract.")
@click.option("--version", required=True, help="Version of the build.")
@click.option("--artifact", "artifact_digest", required=True, metavar="DIGEST", help="The build.")
@click.option("--policy", default="default", show_default=True, help="Policy that decides.")
@click.option("--target-url", metavar="URL", help="Where the server listens (MCP over HTTP).")
@click.option("--launcher", metavar="NAME", help="Operator's launcher that starts it (stdio).")
@click.option("--profile", help="Profile of that target.  [default: default]")
@click.option("--revision", help="MCP revision it speaks.  [default: 2026-07-28]")
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="NAME=REF",
    help="Header by reference, env:NAME or file:PATH, read by the worker. Repeatable.",
)
@click.option(
    "--targets",
    "targets_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Several targets: a JSON array of them, instead of the options above.",
)
@format_option
@talks_to_service
def register(
    client: "Client",
    /,
    *,
    bundle_digest: str,
    version: str,
    artifact_digest: str,
    policy: str,
    targets_file: Path | None,
    output: str,
    **target: Any,
) -> None:
    """Register a build against a bundle; its static evidence is recorded at once."""
    made = client.register(
        bundle_digest=bundle_digest,
        version=version,
        artifact_digest=artifact_digest,
        targets=_targets(targets_file, target),
        policy=policy,
    )
    if output == "json":
        emit_json(made)
        return
    _candidate(made["candidate"])
    if not made["created"]:
        say("it was registered before, with the same content")


def _candidate(found: Mapping[str, Any]) -> None:
    """A candidate for people, with each of its targets on a line."""
    members(found, _SHOWN)
    reached = (
        f"{t['name']}: {t['url'] or t['launcher']} ({t['kind']}, {t['revision']}, {t['profile']})"
        for t in found["targets"]
    )
    for line in reached:
        emit_line(f"{'target'.ljust(max(map(len, _SHOWN)))}  {safe(line)}")


def _targets(file: Path | None, options: dict[str, Any]) -> list[dict[str, Any]]:
    if file is None:
        return [_from_options(**options)]
    if any(options.values()):
        msg = "--targets stands for --target-url, --launcher, --profile, --revision and --header"
        raise click.UsageError(f"{msg}: give the file or the options, not both")
    return _from_file(file)


def _from_file(path: Path) -> list[dict[str, Any]]:
    from bundles.canonical import parse_json

    found = parse_json(content_of(path), path=str(path))
    if not isinstance(found, list):
        raise click.UsageError(f"{path} holds no JSON array of targets")
    return found


def _from_options(
    *,
    target_url: str | None,
    launcher: str | None,
    profile: str | None,
    revision: str | None,
    headers: tuple[str, ...],
) -> dict[str, Any]:
    if bool(target_url) == bool(launcher):
        raise click.UsageError("name one of --target-url, --launcher and --targets")
    told: dict[str, str] = {}
    for header in headers:
        name, given, reference = header.partition("=")
        if not given or not name:
            raise click.UsageError("--header is NAME=env:VARIABLE or NAME=file:PATH")
        told[name] = reference
    reach = (
        {"kind": "mcp+http", "url": target_url}
        if target_url
        else {
            "kind": "mcp+stdio",
            "launcher": launcher,
        }
    )
    return {
        "name": launcher or "server",
        **reach,
        "headers": told,
        "profile": profile or "default",
        "revision": revision or "2026-07-28",
    }


@candidate.command()
@click.argument("candidate_id")
@format_option
@talks_to_service
def show(client: "Client", candidate_id: str, output: str) -> None:
    """Show a candidate, what was verified about it, and how it came to its state."""
    found = client.candidate(candidate_id)
    verified = client.verification(candidate_id)
    history = list(client.transitions(candidate_id))
    if output == "json":
        emit_json({"candidate": found, "verification": verified, "transitions": history})
        return
    _candidate(found)
    members(
        {**verified, "profiles_passed": ", ".join(verified["profiles_passed"])},
        ("profiles_passed", "verified_at", "expires_at"),
    )
    emit_line()
    table(history, ("at", "event", "from_state", "to_state", "actor", "reason"))


@candidate.command("list")
@click.option("--producer", help="Only candidates of this producer.")
@click.option("--state", help="Only candidates in this state.")
@click.option("--digest", help="Only candidates with this bundle or artifact digest.")
@click.option("--contract", "contract_id", help="Only candidates of this contract.")
@click.option("--version", help="Only candidates of this version.")
@format_option
@talks_to_service
def list_(client: "Client", /, *, output: str, **filters: str | None) -> None:
    """List candidates, newest first."""
    found = list(client.candidates(**filters))
    if output == "json":
        emit_json(found)
        return
    table(found, ("id", "state", "contract_id", "version", "artifact_digest"))
