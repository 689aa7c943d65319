"""`bundlegate suite lint`: every issue of suite files, or the format as a JSON Schema."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from bundlegate.cli.output import Exit, emit_line, format_option, say
from bundlegate.cli.suite.files import read_file

_SCHEMAS = {
    # version: module:function
    "1": "bundles.suite.document_schema:document_schema",
    "2": "bundles.suite.v2.document_schema:document_schema",
}


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--schema",
    "version",
    type=click.Choice(list(_SCHEMAS)),
    is_flag=False,
    flag_value="1",
    help="Print the format's JSON Schema, for editors, instead: of version 1 without a number.",
)
@format_option
def lint(files: tuple[Path, ...], version: str | None, output: str) -> None:
    """Check suite FILES: every issue, with its place.

    With --format json one line a file: {"file", "valid", "issues": [{"code", "path", "message"}]}.
    Exit 0 when all are valid, 1 when one is not, 2 when one cannot be read.
    """
    if version is not None:
        if files:
            raise click.UsageError("--schema prints a schema and checks no file")
        module, _, function = _SCHEMAS[version].partition(":")
        emit_line(json.dumps(getattr(import_module(module), function)(), indent=2))
        return
    if not files:
        raise click.UsageError("name the suite files to check")
    worst = Exit.YES
    for file in files:
        code, issues = _linted(file)
        worst = max(worst, code)
        _show(file, issues, output)
    raise SystemExit(worst)


def _show(file: Path, issues: list[dict[str, Any]], output: str) -> None:
    from bundles.report.cut import counted, escaped

    if output == "json":
        line = {"file": str(file), "valid": not issues, "issues": issues}
        emit_line(json.dumps(line, ensure_ascii=True))
        return
    told = f": {counted(len(issues), 'issue')}" if issues else ""
    emit_line(f"{'✗' if issues else '✓'} {escaped(str(file))}{told}")
    for issue in issues:
        emit_line(f"    {issue['code']}  {escaped(issue['path'])}  {escaped(issue['message'])}")


def _linted(file: Path) -> tuple[Exit, list[dict[str, Any]]]:
    """Exit code and issues of a file; a file that is no JSON has one issue, the reason for it."""
    from bundles.errors import Refused
    from bundles.report.cut import shown
    from bundles.suite.fingerprint import approval_of
    from bundles.suite.reading import repeated_names
    from bundles.suite.validate import validate_suite

    try:
        text, document = read_file(file)
    except Refused as refusal:
        line = f" (line {refusal.line})" if refusal.line else ""
        said = "; ".join([f"{refusal.detail}{line}", *refusal.next_steps])
        issue = {"code": refusal.reason_code, "path": "$", "message": said}
        return Exit.USAGE, [issue]
    for name in repeated_names(text):
        say(f"{file}: {shown(name)} is given twice; the last one counts. A bundle refuses it.")
    issues = [issue.to_dict() for issue in validate_suite(document)]
    if not issues and approval_of(document).state == "drifted":
        step = "look at its diff, then run `bundlegate suite approve` on it or take the change back"
        say(f"{file}: changed since it was approved: {step}.")
    return (Exit.NO if issues else Exit.YES), issues
