"""`bundlegate bundle init`: a bundle to begin with, small, or drawn from a server."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bundlegate.cli.output import (
    Exit,
    emit_json,
    emit_line,
    exit_of,
    format_option,
    say,
    shows_refusals,
)
from bundlegate.cli.target import TARGET_NOT_NAMED, endpoint_of, target_options
from bundlegate.cli.tools import check_listed
from bundles.errors import Invalid

if TYPE_CHECKING:
    from bundlegate.from_server import Drawn
    from bundles.check import Finding


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--contract-id", required=True, help="Name of the contract.")
@click.option("--producer", required=True, help="Agent id of the producer.")
@click.option(
    "--from-server",
    is_flag=True,
    help="Draw snapshot, profile and suites from the server at --url, or of -- CMD…",
)
@click.option(
    "--safe",
    multiple=True,
    metavar="TOOL",
    help="A tool that may be called, besides those that say they only read.",
)
@click.option(
    "--fixtures",
    type=click.Path(path_type=Path),
    help="Values that exist on the server, by tool and field, to call with.",
)
@target_options
@format_option
@shows_refusals
def init(
    *,
    folder: Path,
    contract_id: str,
    producer: str,
    from_server: bool,
    safe: tuple[str, ...],
    fixtures: Path | None,
    output: str,
    **target: Any,
) -> None:
    """Write a small bundle to begin with into FOLDER; existing files are never overwritten.

    With --from-server it is the whole surface of a server: its tools as a snapshot, the profile
    they were listed under, and suites. Nothing is called for that, and the suites call only tools
    that are safe. Exit 1 when what the server says of itself has findings.
    """
    from bundlegate.folder import write_files
    from bundlegate.starter import starter_files

    if not from_server and (safe or fixtures or any(target.values())):
        why = "a server, --safe and --fixtures mean nothing without --from-server"
        step = "add --from-server, which draws the bundle from a server, or leave these out"
        raise Invalid(TARGET_NOT_NAMED, why, next_steps=[step])
    names = {"contract_id": contract_id, "producer": producer}
    drawn = _drawn(names, safe, fixtures, target) if from_server else None
    files = drawn.files if drawn else starter_files(contract_id, producer)
    digest, verdict, findings = _judged(files)
    write_files(files, folder)
    if output == "json":
        document = {"folder": str(folder), "files": list(files), "digest": digest}
        document |= _said_of(drawn, verdict, findings) if drawn else {}
        emit_json(document)
    else:
        for name in files:
            emit_line(str(folder / name))
        for line in _words(folder, drawn, findings):
            say(line)
    raise SystemExit(exit_of(verdict) if drawn else Exit.YES)


def _drawn(
    names: dict[str, str], safe: tuple[str, ...], fixtures: Path | None, target: dict[str, Any]
) -> "Drawn":
    import asyncio

    from bundlegate.cli.suite.files import read_file
    from bundlegate.from_server import draw_bundle
    from bundles.suite.generate import read_fixtures
    from workers.endpoints import HttpEndpoint
    from workers.probes.listing import list_tools

    values = read_fixtures(read_file(fixtures)[1], path=str(fixtures)) if fixtures else {}
    endpoint = endpoint_of(**target)
    tools, revision = asyncio.run(list_tools(endpoint))
    check_listed((*safe, *values), tools)
    return draw_bundle(
        tools,
        revision=revision,
        transport="http" if isinstance(endpoint, HttpEndpoint) else "stdio",
        safe=safe,
        fixtures=values,
        **names,
    )


def _judged(files: Mapping[str, bytes]) -> "tuple[str, str, list[Finding]]":
    """Digest, verdict and findings of the static checks.

    Raises:
        Refused: the bundle would not be taken; nothing is to be written.
    """
    from bundles.contract import Contract
    from bundles.static import findings_of, judge_bundle, refusal_of
    from bundles.verdict import of_run

    contract = Contract.read(files)
    outcomes = judge_bundle(contract)
    refused = refusal_of(outcomes)
    if refused is not None:
        raise refused
    verdict = of_run(outcome.verdict for outcome in outcomes).value
    return contract.digest, verdict, list(findings_of(outcomes))


def _said_of(drawn: "Drawn", verdict: str, findings: "list[Finding]") -> dict[str, Any]:
    return {
        "verdict": verdict,
        "findings": [finding.to_dict() for finding in findings],
        "safe_tools": list(drawn.safe),
        "uncalled": list(drawn.uncalled),
        "skipped": [left.to_dict() for left in drawn.skipped],
        "uncoveredOutputs": [left.to_dict() for left in drawn.uncovered_outputs],
        "uncoveredFields": [left.to_dict() for left in drawn.uncovered_fields],
        "without_arguments": list(drawn.without_arguments),
    }


def _words(folder: Path, drawn: "Drawn | None", findings: "list[Finding]") -> list[str]:
    from bundles.report.cut import escaped

    if drawn is None:
        return [f"Next: describe your tools, then `bundlegate bundle lint {folder}`."]
    lines = [f"no suite for {one.tool}: {one.path}: {one.message}" for one in drawn.skipped]
    for title, left in (
        ("output not checked of", drawn.uncovered_outputs),
        ("not tried of", drawn.uncovered_fields),
    ):
        lines += [f"{title} {one.tool}: {one.path}: {one.message}" for one in left]
    if drawn.without_arguments:
        named = ", ".join(drawn.without_arguments)
        lines.append(f"verification can make no arguments, write some into safe_tools: {named}")
    if drawn.uncalled:
        named = ", ".join(drawn.uncalled)
        lines.append(f"not called by any suite, name those that may be with --safe: {named}")
    lines += [f"{finding.reason_code}: {finding.message}" for finding in findings]
    lines.append(f"Next: review safe_tools and the suites, then `bundlegate bundle lint {folder}`.")
    return [escaped(line) for line in lines]
