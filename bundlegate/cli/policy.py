"""`bundlegate policy`: read and replace policies."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bundlegate.cli.given_file import content_of
from bundlegate.cli.output import emit_json, emit_line, format_option
from bundlegate.cli.service import safe, talks_to_service

if TYPE_CHECKING:
    from bundlegate.client import Client


@click.group()
def policy() -> None:
    """Read and replace policies."""


@policy.command()
@click.argument("name", default="default")
@format_option
@talks_to_service
def show(client: "Client", *, name: str, output: str) -> None:
    """Show the current version of a policy."""
    found = client.policy(name)
    if output == "text":
        emit_line(f"{safe(found['name'])}  {safe(found['digest'])}")
    emit_json(found if output == "json" else found["document"])


@policy.command()
@click.argument("name")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@format_option
@talks_to_service
def put(client: "Client", *, name: str, file: Path, output: str) -> None:
    """Store FILE (YAML or JSON) as the current version of a policy."""
    from bundles.yaml_reader import parse_yaml

    document = parse_yaml(content_of(file), path=str(file))
    if not isinstance(document, dict):
        raise click.UsageError(f"{file} holds no policy document")
    made = client.put_policy(name, document)
    if output == "json":
        emit_json(made)
        return
    emit_line(f"{safe(made['name'])}  {safe(made['digest'])}")
