"""`bundlegate suite lint`: every issue of suite files."""

import json
from pathlib import Path
from typing import Any

import click

from bundlegate.cli.output import Exit, format_option, say
from bundlegate.cli.suite.files import read_file


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@format_option
def lint(files: tuple[Path, ...], output: str) -> None:
    """Check suite FILES: every issue, with its place.

    With --format json one line a file: {"file", "valid", "issues": [{"code", "path", "message"}]}.
    Exit 0 when all are valid, 1 when one is not, 2 when one cannot be read.
    """
    from bundles.report.cut import escaped

    worst = Exit.YES
    for file in files:
        code, issues = _linted(file)
        worst = max(worst, code)
        if output == "json":
            line = {"file": str(file), "valid": not issues, "issues": issues}
            click.echo(json.dumps(line, ensure_ascii=True))
            continue
        click.echo(f"{'✗' if issues else '✓'} {escaped(str(file))}")
        for issue in issues:
            click.echo(
                f"    {issue['code']}  {escaped(issue['path'])}  {escaped(issue['message'])}"
            )
    raise SystemExit(worst)


def _linted(file: Path) -> tuple[Exit, list[dict[str, Any]]]:
    """Exit code and issues of a file; a file that is no JSON has one issue, the reason for it."""
    from bundles.errors import Refused
    from bundles.suite.reading import repeated_names
    from bundles.suite.validate import validate_suite

    try:
        text, document = read_file(file)
    except Refused as refusal:
        line = f" (line {refusal.line})" if refusal.line else ""
        issue = {"code": refusal.reason_code, "path": "$", "message": f"{refusal.detail}{line}"}
        return Exit.USAGE, [issue]
    for name in repeated_names(text):
        say(f"{file}: {name!r} is given twice; the last one counts. A bundle refuses this file.")
    issues = [issue.to_dict() for issue in validate_suite(document)]
    return (Exit.NO if issues else Exit.YES), issues
