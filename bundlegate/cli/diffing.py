"""What the commands that compare two versions share: options, report files, exit codes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bundlegate.cli.output import Exit, emit_json, emit_line
from bundlegate.cli.reports import ReportFiles, report_options, write_report
from bundles.errors import Refused
from bundles.reasons import reason

if TYPE_CHECKING:
    from bundles.compat.change import Diff
    from bundles.compat.rule import Overrides

R = TypeVar("R")

OVERRIDES_READ_FAILED = reason(
    "OVERRIDES_READ_FAILED",
    "A file of overrides cannot be read.",
    "check the path and its permissions",
)

_EXIT = {
    "identical": Exit.YES,
    "compatible": Exit.YES,
    "risk": Exit.NOT_YET,
    "conditional": Exit.NOT_YET,
    "breaking": Exit.NO,
}


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """What was asked of a diff."""

    fail_on: str | None
    overrides_file: Path | None
    markdown: Path | None
    reports: ReportFiles

    def overrides(self) -> "Overrides":
        """What the file of overrides says; nothing without one.

        Raises:
            Refused: OVERRIDES_READ_FAILED, OVERRIDE_INVALID, or what is wrong with its JSON.
        """
        from bundles.compat.overriding import read_overrides
        from bundles.json_reader import read_json

        if self.overrides_file is None:
            return {}
        path = str(self.overrides_file)
        try:
            content = self.overrides_file.read_bytes()
        except OSError as error:
            why = error.strerror or "unreadable"
            raise Refused(OVERRIDES_READ_FAILED, why, path=path) from error
        return read_overrides(read_json(content, path=path), path)

    def show(self, found: "Diff", title: str, subject: str, *, as_json: bool, **facts: str) -> None:
        """Write the report files, print the diff, and exit with its verdict.

        Args:
            found: the diff.
            title: what was done.
            subject: what was compared.
            as_json: one JSON document instead of text.
            facts: further members of the JSON document.
        """
        from bundles.compat import shown

        self.reports.write(shown.report(found, title, subject))
        if self.markdown is not None:
            write_report(self.markdown, shown.markdown(found, title))
        if as_json:
            emit_json(found.to_dict() | facts)
        else:
            for line in shown.text_lines(found):
                emit_line(line)
        verdict = found.verdict.word
        raise SystemExit(Exit.NO if verdict == self.fail_on else _EXIT[verdict])


def diff_options(function: Callable[..., R]) -> Callable[..., R]:
    """Add `--fail-on`, `--overrides`, `--markdown` and the report files, passed as `asked`."""

    @wraps(function)
    def gathered(*args: Any, **kwargs: Any) -> R:
        names = ("fail_on", "overrides_file", "markdown", "reports")
        asked = DiffOptions(*(kwargs.pop(name) for name in names))
        return function(*args, asked=asked, **kwargs)

    file = click.Path(path_type=Path, dir_okay=False)
    wrapped = report_options(gathered)
    wrapped = click.option(
        "--markdown", type=file, help="Write a comment for a pull request to this file too."
    )(wrapped)
    wrapped = click.option(
        "--overrides",
        "overrides_file",
        type=file,
        help='JSON: {"RULE": {"verdict", "reason"}}; other verdicts for rules, each with a reason.',
    )(wrapped)
    return click.option(
        "--fail-on",
        type=click.Choice(["conditional", "risk"]),
        help="Exit 1 instead of 3 for this verdict.",
    )(wrapped)
