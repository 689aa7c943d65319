"""Endpoints for whoever names a server themselves: the person at a terminal, and test code.

Nothing that comes from a bundle or over the API may come here: a command is started as it is given.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from workers.egress import Destination, EgressRules, check_url
from workers.endpoints import HttpEndpoint, OtherCredentials, StdioEndpoint

# What the stock SDK passes on to a server; everything else has to be named.
_PASSED_ON = ("HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "USER")


def http_endpoint(
    url: str,
    headers: Mapping[str, str],
    allow: Sequence[str],
    *,
    others: OtherCredentials | None = None,
    instances: Sequence[str] = (),
) -> HttpEndpoint:
    """An endpoint whose own address is allowed, and those of its instances, since somebody named
    them.

    Other addresses that it may lead to are judged as ever: public ones, and those of `allow`.

    Raises:
        Invalid: HEADER_INVALID, EGRESS_ALLOW_INVALID.
        Refused: what the egress rules refuse of the URL.
    """
    named = [_address(check_url(one)) for one in (url, *instances)]
    rules = EgressRules(allow=tuple(dict.fromkeys((*named, *allow))))
    return HttpEndpoint(url, rules, headers, others or OtherCredentials(), tuple(instances))


def _address(destination: Destination) -> str:
    host = f"[{destination.host}]" if ":" in destination.host else destination.host
    return f"{host}:{destination.port}"


def stdio_endpoint(
    command: Sequence[str], env: Mapping[str, str], cwd: Path | None = None
) -> StdioEndpoint:
    """A command to start in `cwd`, by default here; of this environment it gets PATH and its like.

    Args:
        command: program and arguments; no shell.
        env: what it gets besides.
        cwd: its working folder.
    """
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return StdioEndpoint(tuple(command), passed | dict(env), cwd or Path.cwd())
