"""The server a person at a terminal points at: `--url URL` or `-- CMD…`.

Only here may a command line name a command: nothing that comes from a bundle or over the API can.
"""

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from bundlegate.cli.output import say
from bundles.errors import Invalid
from bundles.mcp.authorization import Authorization
from bundles.reasons import reason

if TYPE_CHECKING:
    from workers.endpoints import Endpoint

P = ParamSpec("P")
R = TypeVar("R")

TARGET_NOT_NAMED = reason(
    "TARGET_NOT_NAMED",
    "The command does not name one server.",
    "give either --url URL, or -- followed by the command that starts a stdio server",
)
VARIABLE_NOT_SET = reason(
    "VARIABLE_NOT_SET",
    "An environment variable that an option names is not set.",
    "set the variable; values are never taken from the command line",
)
VARIABLE_NOT_NAMED = reason(
    "VARIABLE_NOT_NAMED",
    "An option that takes the name of an environment variable was given something else.",
    "put the value into a variable and give its name: --env VAR, --header-env HEADER=VAR",
)

_NOBODY = Authorization()
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def target_options(function: Callable[P, R]) -> Callable[P, R]:
    """Add `--url`, `--allow`, `--header-env`, `--env` and `-- CMD…`, for `endpoint_of`.

    Passed as `url`, `allow`, `header_env`, `env` and `command`.
    """
    options = (
        click.option("--url", help="Streamable HTTP endpoint of the server."),
        click.option(
            "--allow",
            multiple=True,
            metavar="HOST[:PORT]|CIDR",
            help="An address besides public ones that may be reached.",
        ),
        click.option(
            "--header-env",
            multiple=True,
            metavar="NAME=VAR",
            help="Send the header NAME with the value of the environment variable VAR.",
        ),
        click.option(
            "--env",
            multiple=True,
            metavar="VAR",
            help="An environment variable the command gets too.",
        ),
        click.argument("command", nargs=-1, type=click.UNPROCESSED),
    )
    for option in reversed(options):
        function = option(function)
    return function


def endpoint_of(
    *,
    url: str | None,
    allow: tuple[str, ...],
    header_env: tuple[str, ...],
    env: tuple[str, ...],
    command: tuple[str, ...],
    authorization: Authorization = _NOBODY,
    instance: tuple[str, ...] = (),
) -> "Endpoint":
    """The endpoint the options name, with the credentials of a profile, and its other instances.

    The address of a typed URL is allowed, and said so: the person at the terminal named it. Other
    addresses it may lead to are judged as ever.

    Raises:
        Invalid: TARGET_NOT_NAMED, VARIABLE_NOT_NAMED, VARIABLE_NOT_SET, or what the egress
            rules refuse to read.
        Refused: what the egress rules refuse of the URL.
        Unreachable: CREDENTIAL_UNAVAILABLE.
    """
    from bundlegate.cli.profile_file import resolved
    from bundlegate.reaching import http_endpoint, stdio_endpoint
    from workers.other_credentials import resolve_others

    if (url is None) is not bool(command):
        raise Invalid(TARGET_NOT_NAMED, "name one server: a URL or a command, not both or neither")
    elsewhere = {"--allow": allow, "--header-env": header_env, "--instance": instance}
    beside = {"--env": env} if url is not None else elsewhere
    ignored = [name for name, given in beside.items() if given]
    if ignored:
        reach = "--url" if url is not None else "a command"
        raise Invalid(
            TARGET_NOT_NAMED, f"{' and '.join(ignored)} means nothing with {reach}", seen=ignored
        )
    if url is not None:
        headers = resolved(authorization.headers)
        for entry in header_env:
            name, _, variable = entry.partition("=")
            headers[name] = _value("--header-env", variable)
        others = resolve_others(authorization, resolved, headers)
        reached = http_endpoint(url, headers, allow, others=others, instances=instance)
        say(f"allowed: {', '.join(reached.egress.allow)}")
        return reached
    return stdio_endpoint(command, {name: _value("--env", name) for name in env})


def _value(option: str, variable: str) -> str:
    if not _VARIABLE.fullmatch(variable):
        # never shown: whoever gives something else gives the value, and terminals are logged
        raise Invalid(VARIABLE_NOT_NAMED, f"{option} names no environment variable")
    value = os.environ.get(variable)
    if value is None:
        raise Invalid(VARIABLE_NOT_SET, f"the environment has no {variable!r}", seen=variable)
    return value
