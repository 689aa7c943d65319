"""Reports of every command that has findings: on stdout, and as JUnit, SARIF and HTML files."""

import errno
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bundlegate.cli.output import emit, emit_json
from bundles.errors import Refused
from bundles.reasons import reason

if TYPE_CHECKING:
    from bundles.report import Report

R = TypeVar("R")

REPORT_WRITE_FAILED = reason(
    "REPORT_WRITE_FAILED",
    "A report file cannot be written.",
    "check that its folder exists and that you may write there",
)


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """The report files that were asked for, by form: `html`, `junit`, `sarif`."""

    files: Mapping[str, Path]

    def write(self, report: "Report") -> None:
        """Write each of them.

        Raises:
            Refused: REPORT_WRITE_FAILED.
        """
        for form, file in self.files.items():
            write_report(file, _rendered(report, form))


_FORMS = {"junit": "JUnit XML", "sarif": "SARIF 2.1.0", "html": "a page of HTML"}


def report_options(function: Callable[..., R]) -> Callable[..., R]:
    """Add `--junit FILE`, `--sarif FILE` and `--html FILE`, passed as `reports: ReportFiles`."""

    @wraps(function)
    def gathered(*args: Any, **kwargs: Any) -> R:
        asked = {form: kwargs.pop(form) for form in _FORMS}
        files = {form: file for form, file in asked.items() if file is not None}
        return function(*args, reports=ReportFiles(files), **kwargs)

    wrapped: Callable[..., R] = gathered
    file = click.Path(path_type=Path, dir_okay=False)
    for form, what in reversed(_FORMS.items()):
        option = click.option(f"--{form}", type=file, help=f"Write {what} to this file too.")
        wrapped = option(wrapped)
    return wrapped


def _rendered(report: "Report", form: str) -> str:
    if form == "html":
        from bundles.report import html

        return html.render(report)
    if form == "sarif":
        from bundles.report import sarif

        return sarif.render(report)
    from bundles.report import junit

    return junit.render(report)


def write_report(file: Path, text: str) -> None:
    """Write one report file.

    Raises:
        Refused: REPORT_WRITE_FAILED.
    """
    content = text.encode("utf-8", "backslashreplace")
    try:
        if _is_written_into(file):
            file.write_bytes(content)
        else:
            _replace(file.resolve(), content)
    except OSError as error:
        why = error.strerror or str(error)
        raise Refused(REPORT_WRITE_FAILED, f"cannot write it: {why}", path=str(file)) from error


def _is_written_into(file: Path) -> bool:
    """Whether it is a terminal, a pipe, or another name of what somebody holds open."""
    held = any(file.absolute().is_relative_to(folder) for folder in ("/dev", "/proc"))
    return held or (file.exists() and not file.is_file())


def _replace(target: Path, content: bytes) -> None:
    """Put a whole file in the place of another one: no reader meets half a report."""
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        draft.write_bytes(content)
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    except OSError as error:
        if error.errno not in _NOT_REPLACED:
            raise
        target.write_bytes(content)
    finally:
        draft.unlink(missing_ok=True)


# the folder is closed, or its file system, or the name is at its limit, or a file is mounted there
_NOT_REPLACED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.EBUSY)


def show_report(report: "Report", *, as_json: bool) -> None:
    """The report on stdout: one JSON document, or text for people."""
    from bundles.report import json_document, text

    if as_json:
        emit_json(json_document.document(report))
    else:
        emit(text.render(report))
