"""`bundlegate up`: run the embedded service."""

import os
from pathlib import Path
from typing import Any

import click

from bundlegate.cli.output import emit_json, emit_line, say, shows_refusals
from service.settings import Settings


@click.command()
@click.option("--data-dir", type=click.Path(path_type=Path), help="Folder of database and key.")
@click.option("--host", help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on; 0: a free one.")
@click.option(
    "--launchers",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="YAML file of the commands that stdio targets may name.",
)
@click.option(
    "--allow-egress",
    multiple=True,
    metavar="HOST[:PORT]|CIDR",
    help="A private address that probes may reach. May be repeated.",
)
@click.option("--print-config", is_flag=True, help="Show the settings in effect, and stop.")
@shows_refusals
def up(
    data_dir: Path | None,
    host: str | None,
    port: int | None,
    launchers: Path | None,
    allow_egress: tuple[str, ...],
    *,
    print_config: bool,
) -> None:
    """Run broker, API and worker on this machine until Ctrl-C.

    Everything is kept in the data folder (BUNDLEGATE_DATA_DIR, by default ~/.bundlegate). Once all
    of it serves, one JSON line on stdout names the address; on the first start it also holds the
    admin token, which is never shown again.
    """
    asked: dict[str, Any] = {
        "DATA_DIR": data_dir,
        "HOST": host,
        "PORT": port,
        "LAUNCHERS": launchers,
        "EGRESS_ALLOW": ",".join(allow_egress) or None,
    }
    said = {f"BUNDLEGATE_{k}": str(v) for k, v in asked.items() if v is not None}
    settings = Settings.from_env({**os.environ, **said})
    if print_config:
        emit_json(settings.masked())
        return
    _run(settings)


def _run(settings: Settings) -> None:
    from bundlegate.embedded.up import Voice, up

    if settings.egress_allow:
        say(f"Probes may reach private addresses: {', '.join(settings.egress_allow)}")
    up(settings, Voice(say, emit_line), os.environ)
