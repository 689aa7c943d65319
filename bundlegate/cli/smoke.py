"""`bundlegate smoke`: one line in a pipeline that says whether a server works at all."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bundlegate.cli.output import Exit, emit_json, exit_of, format_option, say, shows_refusals
from bundlegate.cli.profile_file import Profile, profile_option, read_profile
from bundlegate.cli.reports import ReportFiles, report_options, show_report
from bundlegate.cli.safe_calls import safe_call_option, safe_calls
from bundlegate.cli.target import endpoint_of, target_options
from bundles.errors import Unauthorised, Unreachable

if TYPE_CHECKING:
    from bundles.mcp.smoke import Smoke
    from workers.endpoints import Endpoint


@click.command()
@click.option(
    "--tool", "tools", multiple=True, metavar="NAME", help="A tool that has to be listed."
)
@click.option(
    "--revision",
    type=click.Choice(["2026-07-28", "2025-11-25"]),
    help="Speak this MCP revision; by default the newest the server speaks.",
)
@safe_call_option
@profile_option
@target_options
@report_options
@format_option
@shows_refusals
def smoke(
    *,
    tools: tuple[str, ...],
    revision: str | None,
    safe_call: tuple[str, ...],
    profile: Path | None,
    reports: ReportFiles,
    output: str,
    **target: Any,
) -> None:
    """See whether a server starts, lists what is wanted in usable schemas, and serves a call.

    With --format json: {"kind", "revision", "verdict", "checks": […]}; kind is the failure class of
    the MCP Inspector's command: ok, auth_required, unreachable, tool_not_found, tool_is_error,
    schema_unportable, error. Exit 0 when it works, 1 when something certainly does not, 3 when that
    could not be told, 4 when the server gave no answer, 5 when it lets nobody in.
    """
    import asyncio

    from bundles.report import Report

    conditions = read_profile(profile)
    endpoint = endpoint_of(**conditions.target(target))
    calls = conditions.calls(safe_calls(safe_call))
    asked = replace(conditions, revision=conditions.spoken(revision) or "", safe_calls=calls)
    spoken, found = asyncio.run(_smoke(endpoint, asked, tools))
    report = Report(
        title="smoke",
        subject=str(target["url"] or " ".join(target["command"])),
        verdict=found.verdict.value,
        outcomes=found.outcomes,
        findings=found.findings,
        facts={"kind": found.kind.value, "revision": spoken or "none"},
    )
    reports.write(report)
    if output == "json":
        members = ("id", "verdict", "reason_code", "message")
        checks = [{name: entry.get(name) for name in members} for entry in found.outcomes]
        head = {"kind": found.kind.value, "revision": spoken or None}
        emit_json({**head, "verdict": found.verdict.value, "checks": checks})
    else:
        show_report(report, as_json=False)
    raise SystemExit(_exit(found))


def _exit(found: "Smoke") -> Exit:
    from bundles.mcp.smoke import Kind

    if found.kind is Kind.AUTH_REQUIRED:
        return Exit.NOT_AUTHORISED
    return Exit.UNREACHABLE if found.kind is Kind.UNREACHABLE else exit_of(found.verdict.value)


async def _smoke(
    endpoint: "Endpoint", asked: Profile, tools: tuple[str, ...]
) -> "tuple[str, Smoke]":
    """The revision that was spoken, "" where none was, and what the test came to."""
    from bundles.mcp.client import read_client
    from bundles.mcp.smoke import CHECKS, judged, turned_away
    from workers.budget import Budget
    from workers.judging import Judge
    from workers.probes.smoke import smoke as observe

    try:
        transcript = await observe(
            endpoint,
            Budget(),
            asked.safe_calls,
            revision=asked.revision or None,
            client=read_client(asked.client),
        )
    except (Unauthorised, Unreachable) as error:
        say(f"{error.detail}; next: {error.next_steps[0]}")
        return "", turned_away(error)
    async with Judge() as judge:
        outcomes = await judge.outcomes(transcript, CHECKS)
    return transcript.revision, judged(transcript, outcomes, tools)
