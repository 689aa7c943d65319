"""Reports of every command that has findings: on stdout, as JUnit, as SARIF."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from bundlegate.cli.output import emit_json
from bundles.errors import Refused
from bundles.reasons import reason

if TYPE_CHECKING:
    from bundles.report import Report

P = ParamSpec("P")
R = TypeVar("R")

REPORT_WRITE_FAILED = reason(
    "REPORT_WRITE_FAILED",
    "A report file cannot be written.",
    "check that its folder exists and that you may write there",
)


def report_options(function: Callable[P, R]) -> Callable[P, R]:
    """Add `--junit FILE` and `--sarif FILE`, passed as `junit` and `sarif` (path or None)."""
    file = click.Path(path_type=Path, dir_okay=False)
    for name, what in (("sarif", "SARIF 2.1.0"), ("junit", "JUnit XML")):
        function = click.option(f"--{name}", type=file, help=f"Write {what} to this file too.")(
            function
        )
    return function


def write_reports(report: "Report", *, junit: Path | None, sarif: Path | None) -> None:
    """Write the report files that were asked for.

    Raises:
        Refused: REPORT_WRITE_FAILED.
    """
    from bundles.report import junit as junit_xml
    from bundles.report import sarif as sarif_log

    for file, render in ((junit, junit_xml.render), (sarif, sarif_log.render)):
        if file is not None:
            write_report(file, render(report))


def write_report(file: Path, text: str) -> None:
    """Write one report file.

    Raises:
        Refused: REPORT_WRITE_FAILED.
    """
    try:
        file.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        why = error.strerror or str(error)
        raise Refused(REPORT_WRITE_FAILED, f"cannot write it: {why}", path=str(file)) from error


def show_report(report: "Report", *, as_json: bool) -> None:
    """The report on stdout: one JSON document, or text for people."""
    from bundles.report import json_document, text

    if as_json:
        emit_json(json_document.document(report))
    else:
        click.echo(text.render(report), nl=False)
