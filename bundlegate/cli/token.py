"""`bundlegate token`: make, list and revoke tokens of a namespace (needs `admin`)."""

from typing import TYPE_CHECKING

import click

from bundlegate.cli.output import emit_json, emit_line, format_option, say, shows_refusals
from bundlegate.cli.service import table, talks_to_service
from bundles.reasons import reason

if TYPE_CHECKING:
    from bundlegate.client import Client

FIRST_TOKEN_TAKEN = reason(
    "FIRST_TOKEN_TAKEN",
    "The first token was made before; from then on an admin's token makes the others.",
    "use `bundlegate token create` with an admin's token",
)

_DAY_S = 86_400


@click.group()
def token() -> None:
    """Make, list and revoke tokens."""


@token.command()
@click.argument("name")
@click.option("--scope", "scopes", multiple=True, required=True, help="A scope. Repeatable.")
@click.option(
    "--days",
    type=click.IntRange(min=1, max=3660),
    default=90,
    show_default=True,
    help="Days until it expires.",
)
@format_option
@talks_to_service
def create(client: "Client", *, name: str, scopes: tuple[str, ...], days: int, output: str) -> None:
    """Make a token; its secret is printed this once, alone on stdout."""
    made = client.create_token(name=name, scopes=scopes, expires_in_s=days * _DAY_S)
    if output == "json":
        emit_json(made)
        return
    say(f"token {made['token']['id']}, valid until {made['token']['expires_at']}; keep the secret:")
    emit_line(made["secret"])


@token.command()
@shows_refusals
def first() -> None:
    """Make the first admin token, with the database at hand instead of the service.

    For services that `bundlegate up` does not prepare. Settings are read from BUNDLEGATE_*
    variables. Exit 1 where there is a token already: then an admin makes the next one.
    """
    from bundlegate.embedded.first import make_first_token
    from bundles.errors import Conflict
    from service.settings import Settings

    made = make_first_token(Settings.from_env())
    if made is None:
        raise Conflict(FIRST_TOKEN_TAKEN, "the namespace has a token already")
    say("the first admin token; keep it, it is not shown again:")
    emit_line(made)


@token.command("list")
@format_option
@talks_to_service
def list_(client: "Client", *, output: str) -> None:
    """List the tokens of the namespace, without their secrets."""
    found = list(client.tokens())
    if output == "json":
        emit_json(found)
        return
    rows = ({**each, "scopes": ",".join(each["scopes"])} for each in found)
    table(rows, ("id", "name", "scopes", "expires_at", "revoked_at", "last_used_at"))


@token.command()
@click.argument("token_id")
@format_option
@talks_to_service
def revoke(client: "Client", *, token_id: str, output: str) -> None:
    """Revoke a token for good; it may be accepted for two seconds more."""
    gone = client.revoke_token(token_id)
    if output == "json":
        emit_json(gone)
        return
    emit_line(f"revoked {gone['id']} ({gone['name']})")
