"""The command line: one module a command group, imported when its command is used."""

from bundlegate.cli.root import cli

__all__ = ["cli"]
