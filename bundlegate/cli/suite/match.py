"""`bundlegate suite match`: a JSON value against a response schema of the suite format."""

from pathlib import Path

import click

from bundlegate.cli.output import Exit, emit_line, format_option, shows_refusals
from bundlegate.cli.suite.files import read_file


@click.command()
@click.option("--schema", "schema_file", required=True, type=click.Path(path_type=Path))
@click.option("--value", "value_file", required=True, type=click.Path(path_type=Path))
@format_option
@shows_refusals
def match(schema_file: Path, value_file: Path, output: str) -> None:
    """Compare a JSON value with a response schema of the suite format.

    Prints how many violations there are and the first ten. Exit 0 when there is none, 1 otherwise.
    """
    from bundles.errors import Refused
    from bundles.report.cut import compact, counted, escaped
    from bundles.suite.diagnostics import describe, in_json
    from bundles.suite.issues import Issues
    from bundles.suite.model import SUITE_VALIDATION_FAILED
    from bundles.suite.paths import Path as Place
    from bundles.suite.schema import match as compare
    from bundles.suite.validate_schema import validate_schema

    schema = read_file(schema_file)[1]
    issues = Issues()
    validate_schema(schema, Place("schema"), issues)
    if issues.found:
        raise Refused(
            SUITE_VALIDATION_FAILED,
            f"the schema has {counted(len(issues.found), 'issue')}",
            path=str(schema_file),
            seen=[issue.to_dict() for issue in issues.found],
            next_steps=["correct every issue of the schema; docs/suites.md lists its keywords"],
        )
    found = compare(schema, read_file(value_file)[1])
    if output == "json":
        document = {"total": found.total, "violations": [in_json(v) for v in found.violations]}
        emit_line(escaped(compact(document)))
    else:
        for violation in found.violations:
            emit_line(describe(violation)["message"])
        emit_line(counted(found.total, "violation") if found.total else "matches")
    raise SystemExit(Exit.NO if found.total else Exit.YES)
