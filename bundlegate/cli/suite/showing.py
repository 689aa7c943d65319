"""What `suite run` shows in the end: text in a language, or JSON, and the files asked for."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from bundlegate.cli.output import emit, emit_json
from bundlegate.cli.reports import ReportFiles

if TYPE_CHECKING:
    from bundles.suite.report import SuiteRun

P = ParamSpec("P")
R = TypeVar("R")


def language_option(function: Callable[P, R]) -> Callable[P, R]:
    """Add `--lang en|ko`, passed as `lang`."""
    return click.option(
        "--lang",
        type=click.Choice(["en", "ko"]),
        default="en",
        show_default=True,
        help="Language of the text report. Files and JSON stay English.",
    )(function)


def with_approval(made: "SuiteRun", document: Any, *, as_json: bool) -> "SuiteRun":
    """The run with the approval of its suite, where somebody may want to see one.

    A fingerprint reads the whole suite. A green run of a suite that was never approved has nothing
    to say of it, but for the document.
    """
    if made.all_passed and not as_json and "approval" not in document:
        return made
    from bundles.suite.fingerprint import approval_of

    return replace(made, approval=approval_of(document))


def write_reports(made: "SuiteRun", *, path: Path, text: str, reports: ReportFiles) -> None:
    """Write the report files that were asked for; `text` is that of the suite's file.

    Raises:
        Refused: REPORT_WRITE_FAILED.
    """
    if not reports.files:
        return
    from bundles.suite.lines import lines_of_cases
    from bundles.suite.report import common_report

    lines = lines_of_cases(text)
    reports.write(common_report(made, path=str(path), lines=lines))


def show_run(made: "SuiteRun", *, as_json: bool, lang: str) -> None:
    """The report on stdout."""
    if as_json:
        emit_json(made.to_dict())
        return
    from bundles.suite.language import LANGUAGES
    from bundles.suite.report import render_text

    emit(render_text(made, LANGUAGES[lang]))
