"""Entry point of the command."""

import os
import sys

from bundlegate.cli import cli


def main() -> None:
    """Run the command; a closed pipe (`| head`) is a quiet end."""
    try:
        cli(prog_name="bundlegate")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


if __name__ == "__main__":
    main()
