"""`bundlegate db`: the schema of the database."""

import click

from bundlegate.cli.output import emit_json, emit_line, format_option, shows_refusals


@click.group()
def db() -> None:
    """Look after the database."""


@db.command()
@click.option(
    "--database-url",
    envvar="BUNDLEGATE_DATABASE_URL",
    help="Address of the database.  [default: the embedded one]",
)
@format_option
@shows_refusals
def upgrade(database_url: str | None, output: str) -> None:
    """Bring the schema to this program's version; doing it again changes nothing."""
    import migrations
    from service.settings import Settings

    migrations.upgrade(database_url or Settings.from_env().database_url)
    if output == "json":
        emit_json({"upgraded": True})
    else:
        emit_line("the database is at this program's version")
