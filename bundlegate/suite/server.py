"""The server that test code points a suite at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bundlegate.suite.arguments import each_of
from bundles.errors import Invalid
from bundles.reasons import reason

if TYPE_CHECKING:
    from workers.endpoints import Endpoint

SERVER_NOT_NAMED = reason(
    "SERVER_NOT_NAMED",
    "Test code names no server for a suite, or two.",
    "give either the url of the server, or the command that starts it",
)


@dataclass(frozen=True, slots=True)
class Server:
    """One MCP server: a Streamable HTTP URL, or a command that speaks stdio.

    Attributes:
        url: its own address is allowed; any other private address it leads to is refused.
        headers: sent with each request to `url`; their values are masked wherever they show up.
        allow: further addresses that `url` may lead to: HOST, HOST:PORT or CIDR.
        command: program and arguments, started without a shell in a process of its own.
        env: what the command gets besides PATH, HOME and their like.
        cwd: working folder of the command; the current one unless given.
    """

    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    allow: Sequence[str] = ()
    command: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path | None = None

    def __post_init__(self) -> None:
        each_of("allow", self.allow)
        each_of("command", self.command)
        if bool(self.url) is bool(self.command):
            raise Invalid(SERVER_NOT_NAMED, "name one server: a url or a command")
        given = {"env": self.env, "cwd": self.cwd, "headers": self.headers, "allow": self.allow}
        reach, foreign = (
            ("a url", ("env", "cwd")) if self.url else ("a command", ("headers", "allow"))
        )
        ignored = [name for name in foreign if given[name]]
        if ignored:
            said = f"{' and '.join(ignored)} means nothing with {reach}"
            raise Invalid(SERVER_NOT_NAMED, said, seen=ignored)

    def __str__(self) -> str:
        return self.url or " ".join(self.command)

    def endpoint(self) -> "Endpoint":
        """Where probes go.

        Raises:
            Invalid: HEADER_INVALID, EGRESS_ALLOW_INVALID.
            Refused: what the egress rules refuse of the URL.
        """
        from bundlegate.reaching import http_endpoint, stdio_endpoint

        if self.url:
            return http_endpoint(self.url, self.headers, self.allow)
        return stdio_endpoint(self.command, self.env, self.cwd)
