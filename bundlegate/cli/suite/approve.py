"""`bundlegate suite approve`: record in suite files that somebody approved them as they are."""

import json
from pathlib import Path
from typing import NamedTuple

import click

from bundlegate.cli.output import emit_line, format_option, shows_refusals
from bundlegate.cli.suite.files import read_file, write_file


class _Read(NamedTuple):
    """A valid suite's file, its text, and what its approval said before."""

    file: Path
    text: str
    state: str
    fingerprint: str


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@format_option
@shows_refusals
def approve(files: tuple[Path, ...], output: str) -> None:
    """Approve suite FILES as they are: write the fingerprint of each into it.

    Nothing else of a file changes, and no file when one of them is not valid. With --format json
    one line a file: {"file", "fingerprint", "before": "none|current|drifted", "written"}.
    """
    from bundles.report.cut import escaped
    from bundles.suite.approving import approved_text

    for suite in [_read(file) for file in files]:
        written = suite.state != "current"
        if written:
            write_file(suite.file, approved_text(suite.text, suite.fingerprint))
        if output == "json":
            line = {
                "file": str(suite.file),
                "fingerprint": suite.fingerprint,
                "before": suite.state,
                "written": written,
            }
            emit_line(json.dumps(line, ensure_ascii=True))
        else:
            said = "approved" if written else "was approved already"
            emit_line(f"{escaped(str(suite.file))}: {said}  {suite.fingerprint}")


def _read(file: Path) -> _Read:
    """
    Raises:
        Refused: the file cannot be read, or is no valid suite.
    """
    from bundles.suite.fingerprint import approval_of
    from bundles.suite.model import load_suite

    text, document = read_file(file)
    load_suite(document, path=str(file))
    approval = approval_of(document)
    return _Read(file, text, approval.state, approval.computed)
