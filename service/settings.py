"""One typed settings object, read once from `BUNDLEGATE_*` variables.

A name nobody knows is an error, never ignored: a mistyped limit that silently keeps its default is
how a service ends up with rules its operator did not choose.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from bundles.errors import Invalid
from bundles.reasons import reason

PREFIX = "BUNDLEGATE_"

CLIENT_VARIABLES = {
    "BUNDLEGATE_URL": "Address of the service the command talks to; default http://127.0.0.1:8321.",
    "BUNDLEGATE_TOKEN": "Bearer token the command sends.",
}
"""Variables the command reads as a client. They configure no service, and are no mistakes."""

SETTING_INVALID = reason(
    "SETTING_INVALID",
    "A BUNDLEGATE_* variable is unknown or its value cannot be used.",
    "correct or unset the variables named; `bundlegate up --print-config` shows what is in effect",
)

_LONGEST_SOCKET_PATH = 100
"""sun_path holds 107 bytes; the rest is left for a suffix some programs append."""


def _about(words: str, *, least: int | None = None) -> dict[str, Any]:
    """A field's line of the docs table and, for numbers, the least value accepted."""
    return {"about": words, "least": least}


@dataclass(frozen=True, slots=True, repr=False)
class Settings:
    """Everything an operator can set. Each field is `BUNDLEGATE_<FIELD>` in the environment.

    `database_url` and `broker_url` given empty become the embedded defaults inside `data_dir`, and
    `signing_key` the key file there. Passwords in addresses are masked in `repr` and `masked()`.
    """

    data_dir: Path = field(
        default=Path("~/.bundlegate"),
        metadata=_about("Folder of the embedded service: database, queue, key. Mode 0700."),
    )
    database_url: str = field(
        default="",
        metadata=_about(
            "SQLAlchemy address of SQLite or PostgreSQL. Default: SQLite in the data folder."
        ),
    )
    broker_url: str = field(
        default="",
        metadata=_about(
            "Redis or Valkey address. Default: a private socket that `bundlegate up` serves."
        ),
    )
    host: str = field(default="127.0.0.1", metadata=_about("Address the API listens on."))
    port: int = field(
        default=8321, metadata=_about("Port the API listens on; 0 takes a free one.", least=0)
    )
    signing_key: str = field(
        default="",
        metadata=_about(
            "Ed25519 private key by reference, `file:PATH` or `env:NAME`. Default: in data folder."
        ),
    )
    launchers: Path | None = field(
        default=None,
        metadata=_about(
            "YAML file of the commands that stdio targets may name. Default: none may be started."
        ),
    )
    egress_allow: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            "Private addresses probes may reach: host, host:port or CIDR, separated by commas."
        ),
    )
    max_body_bytes: int = field(
        default=32 << 20, metadata=_about("Largest request body, in bytes.", least=1024)
    )
    run_deadline_s: int = field(
        default=600, metadata=_about("Longest time one attempt of a run may take.", least=1)
    )
    call_timeout_s: int = field(
        default=10, metadata=_about("Longest time a candidate may take for one answer.", least=1)
    )
    lease_s: int = field(
        default=60,
        metadata=_about("How long a worker that stopped answering keeps a run.", least=1),
    )
    heartbeat_s: int = field(
        default=10, metadata=_about("How often a worker renews its lease.", least=1)
    )
    max_attempts: int = field(
        default=3, metadata=_about("Attempts before a run ends INCONCLUSIVE.", least=1)
    )
    db_pool_size: int = field(
        default=10, metadata=_about("Database connections of one process.", least=1)
    )
    token_cache_s: int = field(
        default=2,
        metadata=_about(
            "How long a checked token is remembered: the delay of a revocation.", least=0
        ),
    )
    poll_ms: int = field(
        default=200,
        metadata=_about("How often one API process looks for progress, in milliseconds.", least=10),
    )
    worker_concurrency: int = field(
        default=2, metadata=_about("Runs one worker executes at once.", least=1)
    )
    log_level: str = field(default="info", metadata=_about("debug, info, warning or error."))
    evidence_max_age_days: int = field(
        default=30, metadata=_about("Days until evidence expires.", least=1)
    )

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        put("data_dir", Path(self.data_dir).expanduser().absolute())
        if not self.database_url:
            put("database_url", f"sqlite:///{self.data_dir / 'bundlegate.db'}")
        if not self.broker_url:
            put("broker_url", f"redis+socket://{self.broker_socket}")
        if not self.signing_key:
            put("signing_key", f"file:{self.data_dir / 'signing.key'}")
        problems = [*_small_numbers(self), *_contradictions(self)]
        if problems:
            raise _refusal(problems)

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "Settings":
        """Read the settings from variables (`os.environ` by default).

        Raises:
            Invalid: SETTING_INVALID naming every unknown variable and every unusable value.
        """
        found = os.environ if environ is None else environ
        values: dict[str, Any] = {}
        problems = []
        for name in sorted(n for n in found if n.startswith(PREFIX)):
            parse = _PARSERS.get(name)
            if parse is None:
                if not _known(name):
                    problems.append(_unknown(name))
                continue
            try:
                values[name.removeprefix(PREFIX).lower()] = parse(found[name])
            except ValueError as error:
                problems.append(f"{name}: {error}")
        if problems:
            raise _refusal(problems)
        return cls(**values)

    @property
    def broker_socket(self) -> Path:
        """Where the embedded broker listens: in the data folder, or, where that path is too long
        for a unix socket, in a folder of the temporary directory named after it.
        """
        inside = self.data_dir / "broker.sock"
        if len(os.fsencode(inside)) <= _LONGEST_SOCKET_PATH:
            return inside
        tag = sha256(os.fsencode(self.data_dir)).hexdigest()[:12]
        return Path(gettempdir()) / f"bundlegate-{os.getuid()}-{tag}" / "broker.sock"

    def masked(self) -> dict[str, str | int | list[str] | None]:
        """Every setting by variable name, as JSON, with passwords masked."""
        return {variable(f.name): _shown(getattr(self, f.name)) for f in fields(self)}

    def to_env(self) -> dict[str, str]:
        """The variables that make a child process read these settings, passwords included."""
        told: dict[str, str] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, tuple):
                value = ",".join(value)
            if value is not None and value != "":
                told[variable(each.name)] = str(value)
        return told

    def __repr__(self) -> str:
        inside = ", ".join(f"{f.name}={_shown(getattr(self, f.name))!r}" for f in fields(self))
        return f"Settings({inside})"


def refuse_unknown(environ: Mapping[str, str]) -> None:
    """Refuse `BUNDLEGATE_*` names that are no setting: a typing mistake must not pass unnoticed.

    Raises:
        Invalid: SETTING_INVALID.
    """
    unknown = [_unknown(n) for n in sorted(environ) if n.startswith(PREFIX) and not _known(n)]
    if unknown:
        raise _refusal(unknown)


def _known(name: str) -> bool:
    return name in _PARSERS or name in CLIENT_VARIABLES


def variable(name: str) -> str:
    """The environment variable of a field."""
    return PREFIX + name.upper()


def settings_table() -> str:
    """The table of settings in Markdown, as `docs/settings.md` holds it."""
    lines = ["| variable | default | meaning |", "|---|---|---|"]
    for each in fields(Settings):
        default = ",".join(each.default) if isinstance(each.default, tuple) else each.default
        shown = f"`{default}`" if default not in ("", None) else ""
        lines.append(f"| `{variable(each.name)}` | {shown} | {each.metadata['about']} |")
    lines += [f"| `{name}` | | {about} |" for name, about in CLIENT_VARIABLES.items()]
    return "\n".join(lines)


def _whole_number(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", text.strip()):
        msg = f"{text!r} is no whole number"
        raise ValueError(msg)
    return int(text)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _path(text: str) -> Path:
    if not text.strip():
        msg = "is empty; a path was expected"
        raise ValueError(msg)
    return Path(text).expanduser().absolute()


def _parser(default: object) -> Callable[[str], Any]:
    if isinstance(default, int):
        return _whole_number
    if isinstance(default, tuple):
        return _listed
    return str if isinstance(default, str) else _path


_PARSERS = {variable(f.name): _parser(f.default) for f in fields(Settings)}


def _unknown(name: str) -> str:
    near = get_close_matches(name, [*_PARSERS, *CLIENT_VARIABLES], n=1)
    return f"{name} is no setting" + (f" (did you mean {near[0]}?)" if near else "")


def _small_numbers(settings: Settings) -> list[str]:
    return [
        f"{variable(f.name)}: {getattr(settings, f.name)} is less than {f.metadata['least']}"
        for f in fields(settings)
        if f.metadata["least"] is not None and getattr(settings, f.name) < f.metadata["least"]
    ]


def _contradictions(settings: Settings) -> list[str]:
    problems = []
    if settings.heartbeat_s * 2 > settings.lease_s:
        # One lost beat must not lose the lease.
        problems.append("BUNDLEGATE_HEARTBEAT_S: must be at most half of BUNDLEGATE_LEASE_S")
    if settings.port > 65535:
        problems.append(f"BUNDLEGATE_PORT: {settings.port} is more than 65535")
    if settings.log_level not in ("debug", "info", "warning", "error"):
        problems.append(f"BUNDLEGATE_LOG_LEVEL: {settings.log_level!r} is no level")
    if not settings.database_url.startswith(("sqlite:", "postgresql")):
        problems.append("BUNDLEGATE_DATABASE_URL: must be a sqlite or postgresql address")
    if not settings.broker_url.startswith(("redis:", "rediss:", "redis+socket:")):
        problems.append("BUNDLEGATE_BROKER_URL: must be a redis, rediss or redis+socket address")
    if not settings.signing_key.startswith(("file:", "env:")):
        problems.append("BUNDLEGATE_SIGNING_KEY: must be file:PATH or env:NAME, never the key")
    return problems


def _refusal(problems: list[str]) -> Invalid:
    return Invalid(SETTING_INVALID, "; ".join(problems), seen=problems)


def _shown(value: object) -> str | int | list[str] | None:
    if isinstance(value, tuple):
        return [str(part) for part in value]
    if value is None or isinstance(value, int):
        return value
    return _mask(str(value))


def _mask(address: str) -> str:
    """An address without its password, in authority or query; anything else unchanged."""
    without = re.sub(r"(://[^/@:]*:).*@", r"\1***@", address)
    return re.sub(r"([?&](?:password|sslpassword)=)[^&]*", r"\1***", without)
