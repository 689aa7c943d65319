"""Groups whose commands are imported when asked for, so that starting one costs nothing else."""

from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """A group of named commands; listing them imports none.

    `table` maps a command's name to where it is (`module:attribute`) and its line in --help.
    """

    def __init__(self, *, table: dict[str, tuple[str, str]], **attributes: Any) -> None:
        super().__init__(**attributes)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table."""
        del ctx
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command."""
        del ctx
        if cmd_name not in self.table:
            return None
        module, _, attribute = self.table[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.table.items()])
