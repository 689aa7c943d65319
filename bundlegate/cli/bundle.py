"""`bundlegate bundle`: start, check and name a contract bundle, without a service, and send it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bundlegate.cli.bundle_diff import diff
from bundlegate.cli.bundle_init import init
from bundlegate.cli.bundle_remote import pull, push
from bundlegate.cli.output import emit_json, emit_line, exit_of, format_option, shows_refusals
from bundlegate.cli.reports import ReportFiles, report_options, show_report

if TYPE_CHECKING:
    from bundles.contract import Contract
    from bundles.report import Report

_SOURCE = click.argument("source", type=click.Path(path_type=Path))


@click.group()
def bundle() -> None:
    """Start, check, name and send contract bundles."""


bundle.add_command(init)
bundle.add_command(diff)
bundle.add_command(push)
bundle.add_command(pull)


@bundle.command()
@_SOURCE
@report_options
@format_option
@shows_refusals
def lint(source: Path, output: str, reports: ReportFiles) -> None:
    """Run every static check on SOURCE, a folder or an archive.

    Exit 0 when nothing is wrong, 1 when a check fails, 2 when SOURCE cannot be read safely.
    """
    from bundlegate.folder import read_bundle

    report = _report(source, _contract(read_bundle(source)))
    reports.write(report)
    show_report(report, as_json=output == "json")
    raise SystemExit(exit_of(report.verdict))


@bundle.command()
@_SOURCE
@format_option
@shows_refusals
def digest(source: Path, output: str) -> None:
    """Print the digest of SOURCE, a folder or an archive: the same for any packing of its files."""
    from bundlegate.folder import read_bundle

    contract = _contract(read_bundle(source))
    if output == "json":
        files = contract.files
        size = sum(map(len, files.values()))
        emit_json({"digest": contract.digest, "files": len(files), "size": size})
        return
    emit_line(contract.digest)


def _contract(files: dict[str, bytes]) -> "Contract":
    from bundles.contract import Contract

    return Contract.read(files)


def _report(source: Path, contract: "Contract") -> "Report":
    from bundles.report import Report
    from bundles.static import findings_of, judge_bundle, refusal_of
    from bundles.verdict import of_run

    outcomes = judge_bundle(contract)
    facts: dict[str, Any] = {"digest": contract.digest, "files": len(contract.files)}
    if contract.has_manifest:
        facts["contract"] = f"{contract.manifest.contract_id} {contract.manifest.contract_version}"
    facts["submission"] = "refused" if refusal_of(outcomes) else "accepted"
    return Report(
        title="bundle lint",
        subject=str(source),
        verdict=of_run(outcome.verdict for outcome in outcomes).value,
        outcomes=[outcome.to_dict() for outcome in outcomes],
        findings=[finding.to_dict() for finding in findings_of(outcomes)],
        not_covered=contract.not_covered,
        facts=facts,
    )
