"""`bundlegate checks`: every rule that is checked, and every reason code that can be given."""

from typing import Any

import click

from bundlegate.cli.output import emit_json, emit_line, format_option


@click.command()
@click.option("--codes", is_flag=True, help="List the reason codes instead of the checks.")
@click.argument("named", metavar="[ID|CODE]", required=False)
@format_option
def checks(*, codes: bool, named: str | None, output: str) -> None:
    """List every check, or explain the one with this ID or reason CODE."""
    from bundles.catalogue import checks_catalogue, reasons_catalogue

    catalogue = {"checks": checks_catalogue(), "reason_codes": reasons_catalogue()}
    if named is not None:
        catalogue = _about(named, catalogue)
    if output == "json":
        emit_json(catalogue)
    elif named is not None:
        emit_line(
            "\n\n".join([*map(_check, catalogue["checks"]), *map(_code, catalogue["reason_codes"])])
        )
    elif codes:
        for entry in catalogue["reason_codes"]:
            emit_line(f"{entry['code']}  {entry['meaning']}")
    else:
        for entry in catalogue["checks"]:
            emit_line(f"{entry['severity']:<6} {entry['id']}  {entry['title']}")


def _about(
    named: str, catalogue: dict[str, list[dict[str, Any]]]
) -> dict[str, list[dict[str, Any]]]:
    """The part of the catalogue about one check or reason code."""
    found = {
        "checks": [c for c in catalogue["checks"] if named in (c["id"], c["reason_code"])],
        "reason_codes": [r for r in catalogue["reason_codes"] if named == r["code"]],
    }
    if not any(found.values()):
        msg = f"there is no check or reason code {named!r}; `bundlegate checks` lists them"
        raise click.UsageError(msg)
    return found


def _check(entry: dict[str, Any]) -> str:
    facts = (
        f"{entry['id']}  {entry['severity']}",
        f"  {entry['title']}",
        f"  reason code: {entry['reason_code']}",
        f"  layer: {entry['layer']}, blocks {entry['blocks']}",
        f"  looks at: {entry['subject']}, in {', '.join(entry['stages'])}",
        f"  from: {entry['spec']}",
        "",
        *(f"  {line}".rstrip() for line in entry["explanation"].splitlines()),
    )
    return "\n".join(facts)


def _code(entry: dict[str, Any]) -> str:
    return f"{entry['code']}\n  {entry['meaning']}\n  next: {entry['next_step']}"
