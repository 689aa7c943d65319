"""`bundlegate suite`: one module a command, imported when its command is used."""

import click

from bundlegate.cli.lazy import LazyGroup

COMMANDS = {
    # name: (module:attribute, one line for --help)
    "lint": ("bundlegate.cli.suite.lint:lint", "check suite files: every issue, with its place"),
    "match": ("bundlegate.cli.suite.match:match", "compare a value with a response schema"),
    "approve": ("bundlegate.cli.suite.approve:approve", "record that suites are as they should be"),
    "generate": (
        "bundlegate.cli.suite.generate:generate",
        "generate a suite from a server's tools or a snapshot",
    ),
    "upgrade": ("bundlegate.cli.suite.upgrade:upgrade", "print a version-1 suite as version 2"),
    "run": ("bundlegate.cli.suite.run:run", "run a suite on a server"),
}


@click.command(cls=LazyGroup, table=COMMANDS)
def suite() -> None:
    """Check suite files and run them on a server."""
