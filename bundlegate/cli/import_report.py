"""`bundlegate import`: read a report of another tool, and keep it as imported evidence."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bundlegate.cli.output import exit_of, format_option, say, shows_refusals
from bundlegate.cli.reports import ReportFiles, report_options, show_report
from bundles.errors import Invalid, LimitExceeded, Refused
from bundles.reasons import reason

if TYPE_CHECKING:
    from bundles.imports import Imported, Source
    from bundles.report import Report

IMPORT_READ_FAILED = reason(
    "IMPORT_READ_FAILED",
    "A report cannot be read from its path.",
    "name a file, or the folder the tool wrote its results to",
)
IMPORT_CANDIDATE_MISSING = reason(
    "IMPORT_CANDIDATE_MISSING",
    "An option says what to do with evidence, and no candidate says what it is about.",
    "name the candidate with --candidate, or leave the option out to only read the report",
)

_MOST_FILES = 500
_LARGEST_FILE = 8 << 20
_SUITE_FILES = "checks.json"
_ENDINGS = (".json", ".jsonl", ".ndjson", ".xml")


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--from",
    "source",
    type=click.Choice(["mcp-conformance", "mcp-inspector", "junit"]),
    help="The tool that wrote it; by default told from the files.",
)
@click.option(
    "--expected-failures",
    "expected",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The conformance suite's expected-failures YAML: what it names is waived.",
)
@click.option("--candidate", metavar="ID", help="Keep it as imported evidence about this one.")
@click.option("--profile", metavar="NAME", help="The candidate's profile it was made under.")
@click.option("--key", help="Idempotency key: importing again under it keeps nothing twice.")
@click.option(
    "--url",
    metavar="URL",
    help="Address of the service.  [env: BUNDLEGATE_URL; default: http://127.0.0.1:8321]",
)
@click.option(
    "--token",
    metavar="TOKEN",
    help="Bearer token; better in the environment.  [env: BUNDLEGATE_TOKEN]",
)
@report_options
@format_option
@shows_refusals
def import_report(
    *,
    path: Path,
    source: str | None,
    expected: Path | None,
    candidate: str | None,
    profile: str | None,
    key: str | None,
    url: str | None,
    token: str | None,
    reports: ReportFiles,
    output: str,
) -> None:
    """Read a report of another tool: the official conformance suite, the Inspector, JUnit XML.

    PATH is a file, or the folder with the results. Without --candidate no service is needed. With
    one the report is kept as imported evidence, which is shown and which no gate counts.

    Exit 0 when everything in it passed or was expected, 1 when something failed, 3 when something
    in it could not tell, was skipped, or is missing.
    """
    from bundles.imports import Source, read_report

    beside = {"--profile": profile, "--key": key, "--url": url, "--token": token}
    unused = [name for name, given in beside.items() if given is not None]
    if candidate is None and unused:
        what = f"{' and '.join(unused)} means nothing without --candidate"
        raise Invalid(IMPORT_CANDIDATE_MISSING, what, seen=unused)
    named = None if source is None else Source(source)
    files = dict(_files(path, named))
    excused = None if expected is None else _read(expected)
    told = read_report(files, named, expected_failures=excused)
    evidence = None
    if candidate is not None:
        from bundlegate.client import Client

        with Client.from_env(url, token) as client:
            evidence = client.import_evidence(
                candidate,
                profile=profile or "default",
                files={name: _text(name, content) for name, content in files.items()},
                source=told.source.value,
                expected_failures=None if excused is None else _text(str(expected), excused),
                key=key,
            )["id"]
    report = _report(path, told, evidence)
    reports.write(report)
    show_report(report, as_json=output == "json")
    if evidence is not None:
        say(f"kept as imported evidence {evidence}; no gate counts it")
    raise SystemExit(exit_of(report.verdict))


def _report(path: Path, told: "Imported", evidence: str | None) -> "Report":
    from bundles.report import Report

    return Report(
        title=f"import {told.source}",
        subject=str(path),
        verdict=told.verdict.value,
        outcomes=[entry.to_dict() for entry in told.outcomes],
        findings=[found for entry in told.outcomes if (found := entry.finding())],
        facts={"files": len(told.digests)} | ({"evidence": evidence} if evidence else {}),
    )


def _files(path: Path, source: "Source | None") -> Iterator[tuple[str, bytes]]:
    """Path from the folder that holds the report → content; other files of it are left alone.

    Of a folder with results of the conformance suite, these are read and nothing else.
    """
    if not path.is_dir():
        yield f"{path.resolve().parent.name}/{path.name}", _read(path)
        return
    root = path.resolve()
    found = sorted(file for file in root.rglob("*") if file.suffix in _ENDINGS and file.is_file())
    trees = [file for file in found if file.name == _SUITE_FILES]
    chosen = trees or found if source is None or source == "mcp-conformance" else found
    if not chosen:
        raise Refused(IMPORT_READ_FAILED, "no report is in it", path=str(path), expected=_ENDINGS)
    if len(chosen) > _MOST_FILES:
        raise LimitExceeded(
            IMPORT_READ_FAILED,
            "it holds too many files",
            path=str(path),
            seen=len(chosen),
            expected=_MOST_FILES,
        )
    for file in chosen:
        yield f"{root.name}/{file.relative_to(root).as_posix()}", _read(file)


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            content = opened.read(_LARGEST_FILE + 1)
    except OSError as error:
        why = error.strerror or str(error)
        raise Refused(IMPORT_READ_FAILED, f"cannot read it: {why}", path=str(file)) from error
    if len(content) > _LARGEST_FILE:
        raise LimitExceeded(
            IMPORT_READ_FAILED, "the file is too large", path=str(file), expected=_LARGEST_FILE
        )
    return content


def _text(path: str, content: bytes) -> str:
    """What is sent to the service: text in UTF-8, or a refusal that says where it is not."""
    from bundles.json_reader import decode_text

    return decode_text(content, path)
