"""What a server of the embedded service is: its command, and how its start is followed."""

import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

READY_FD = "{ready}"
"""Stands in a command for the descriptor that gets one line once servers after it may begin."""

GO_FD = "{go}"
"""Stands in a command for the descriptor that ends when the server may begin: it can import what
it needs meanwhile."""

PYTHON = (sys.executable, "-P", "-m", "bundlegate.embedded.swift")
"""Before the name, the module and the arguments of a server that is ours, in its command.

-P: a folder called `service` where the person stands must not be imported as ours.
"""

_LOG_BYTES = 10 << 20


@dataclass(frozen=True, slots=True)
class Server:
    """What to start.

    Attributes:
        name: of the log file, and in messages.
        command: program and arguments, `READY_FD` and `GO_FD` among them where it takes those.
        ready: the words on stdout that say it serves, for one that takes none.
        descriptors: passed on, as they are numbered here.
        hear: called with the line it wrote, at the first start; raises what is amiss.
        confirm: awaited after that, before anybody is told; returns once it serves, or raises.
    """

    name: str
    command: Sequence[str]
    ready: bytes | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    descriptors: tuple[int, ...] = ()
    hear: Callable[[bytes], None] | None = None
    confirm: Callable[[], Awaitable[None]] | None = None


def numbered(command: Sequence[str], ready: int, go: int) -> list[str]:
    """A command with the numbers of its descriptors."""
    numbers = {READY_FD: str(ready), GO_FD: str(go)}
    return [numbers.get(part, part) for part in command]


def fresh_log(folder: Path, name: str) -> Path:
    """The log file of a server; when it has grown it becomes the one older file that is kept."""
    path = folder / "log" / f"{name}.log"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    if path.exists() and path.stat().st_size > _LOG_BYTES:
        path.replace(path.with_suffix(".log.1"))
    return path
