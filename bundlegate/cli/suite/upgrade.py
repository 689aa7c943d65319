"""`bundlegate suite upgrade`: a version-1 suite as version 2."""

from pathlib import Path

import click

from bundlegate.cli.output import emit, say, shows_refusals
from bundlegate.cli.suite.files import read_file, write_file


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--write", is_flag=True, help="Replace the file instead of printing.")
@shows_refusals
def upgrade(file: Path, write: bool) -> None:  # noqa: FBT001 - a click flag
    """Print the version-1 suite in FILE as version 2: the same cases with the same verdicts.

    An approval is left out, for it was of another file. A version-2 suite stays as it is.
    """
    from bundles.suite.model import load_suite
    from bundles.suite.v2.upgrade import upgraded
    from bundles.suite.writing import written

    text, document = read_file(file)
    if load_suite(document, path=str(file)).version == 1:
        if "approval" in document:
            say(f"{file}: the approval is left out: `bundlegate suite approve` the new file.")
        text = written(upgraded(document))
    else:
        say(f"{file}: is version 2 already.")
    if write:
        write_file(file, text)
    else:
        emit(text)
