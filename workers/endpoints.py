"""How a probe reaches a candidate: resolved, credential values included, never stored.

An endpoint is made by the runner from a `Target` and the operator's configuration, or by the
command from what the person at the terminal typed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bundles.errors import Invalid
from bundles.reasons import reason
from workers.credential_parts import is_plain, is_sensitive
from workers.egress import EgressRules

HEADER_INVALID = reason(
    "HEADER_INVALID",
    "A header of a target has a name or a value that cannot be sent.",
    "use a header name of letters, digits and dashes that the protocol does not set itself, and a "
    "value of printable ASCII",
)

CREDENTIAL_TOO_PLAIN = reason(
    "CREDENTIAL_TOO_PLAIN",
    "A credential is a word of the protocol, which nobody could mask without spoiling what is "
    "observed, or leave without leaking it.",
    "use a credential that is no such word; a header that is none goes by another name",
)

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FIELD_VALUE = re.compile(r"[!-~]+([ \t]+[!-~]+)*")
_RESERVED = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "upgrade",
    }
)


@dataclass(frozen=True, slots=True)
class OtherCredentials:
    """Credentials besides an endpoint's own, for stimuli that must be refused or told apart.

    Attributes:
        tokens: name (`bundles.mcp.authorization`) → value of an Authorization header, resolved.
        principal: headers of a second principal, resolved; empty without one.
        missing: name → why a credential that the profile names could not be resolved.
        narrow_tool: the tool that the token of narrow scope must not call.
        denied: tools whose safe calls the second principal must be refused.
    """

    tokens: Mapping[str, str] = field(default_factory=dict)
    principal: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    narrow_tool: str = ""
    denied: tuple[str, ...] = ()

    @property
    def values(self) -> list[str]:
        """Every credential value."""
        return [*self.tokens.values(), *self.principal.values()]


@dataclass(frozen=True, slots=True)
class HttpEndpoint:
    """A Streamable HTTP MCP endpoint.

    `headers` and `others` hold resolved credential values: every one of them is redacted from
    transcripts. `instances` are further base URLs of the same deployment; what they are sent is
    held to the same egress rules.

    Raises:
        Invalid: HEADER_INVALID, a name is no token or belongs to the protocol, or a value holds a
            line break or other control character; CREDENTIAL_TOO_PLAIN, a header that is a
            credential by its name holds a word of the protocol.
    """

    url: str
    egress: EgressRules
    headers: Mapping[str, str] = field(default_factory=dict)
    others: OtherCredentials = OtherCredentials()
    instances: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        tokens = [("authorization", value) for value in self.others.tokens.values()]
        for name, value in (*self.headers.items(), *self.others.principal.items(), *tokens):
            reserved = name.lower() in _RESERVED or name.lower().startswith("mcp-")
            if reserved or not _TOKEN.fullmatch(name) or not _FIELD_VALUE.fullmatch(value):
                # the value is a credential: it is not shown
                raise Invalid(HEADER_INVALID, f"header {name!r} cannot be sent", seen=name)
            if is_sensitive(name) and is_plain(value):
                raise Invalid(
                    CREDENTIAL_TOO_PLAIN,
                    f"the credential in header {name!r} is a word of the protocol",
                    seen=name,
                )

    @property
    def anonymous(self) -> "HttpEndpoint":
        """The same endpoint without a credential; headers that are none by their name stay."""
        plain = {name: value for name, value in self.headers.items() if not is_sensitive(name)}
        return replace(self, headers=plain)

    @property
    def credentialed(self) -> bool:
        """Whether requests carry a credential."""
        return any(is_sensitive(name) for name in self.headers)

    def bearing(self, credential: Mapping[str, str]) -> "HttpEndpoint":
        """The same endpoint with other headers as the credential."""
        return replace(self, headers={**self.anonymous.headers, **credential})


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """Resource limits set on a launched candidate. Sizes in MiB, times in seconds."""

    memory_mib: int = 2048
    cpu_seconds: int = 300
    open_files: int = 256
    processes: int = 512
    file_size_mib: int = 256


@dataclass(frozen=True, slots=True)
class StdioEndpoint:
    """A command the operator (or the person at the terminal) allows to be started.

    Attributes:
        argv: no shell; argv[0] is resolved against `env`'s PATH.
        env: the whole environment of the process; nothing is inherited.
        cwd: working folder.
        measure: file or folder whose digest is the artifact digest ("measured" binding), or None.
        watch: folders watched by the `files` observer: {observer name: folder}.
        uid, gid: user and group to run as, None to keep the worker's. Needs a privileged worker.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: Path = Path("/")
    measure: Path | None = None
    watch: Mapping[str, Path] = field(default_factory=dict)
    limits: ProcessLimits = ProcessLimits()
    uid: int | None = None
    gid: int | None = None


Endpoint = HttpEndpoint | StdioEndpoint
