"""Where npm put the peers, and the Node that came with them."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULES = ROOT / ".peers" / "node_modules"


def node() -> str:
    """Path of the Node binary for this machine.

    Raises:
        FileNotFoundError: nothing is installed.
    """
    found = list(MODULES.glob("node-linux-*/bin/node"))
    if not found:
        raise FileNotFoundError("no Node in .peers/: `make test-peers` installs it")
    return str(found[0])


def script(package: str, entry: str) -> str:
    """Path of a script of a package in the @modelcontextprotocol scope."""
    return str(MODULES / "@modelcontextprotocol" / package / entry)
