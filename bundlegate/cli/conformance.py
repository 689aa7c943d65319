"""`bundlegate conformance`: check a live MCP server; no bundle and no service needed."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bundlegate.cli.mrtr_tools import mrtr_tool_option, mrtr_tools
from bundlegate.cli.output import (
    Exit,
    emit_json,
    exit_of,
    format_option,
    progress,
    say,
    shows_refusals,
)
from bundlegate.cli.profile_file import Profile, profile_option, read_profile
from bundlegate.cli.reports import ReportFiles, report_options, show_report
from bundlegate.cli.safe_calls import safe_call_option, safe_calls
from bundlegate.cli.target import endpoint_of, target_options

if TYPE_CHECKING:
    from bundles.check import Outcome
    from bundles.report import Report
    from bundles.transcript import Transcript
    from workers.endpoints import Endpoint

_STAGES = ("conformance", "security")
# These compare the server with a bundle, and here is none.
_ABOUT_BUNDLES = ("mcp.snapshot.", "mcp.suite.")


@click.command()
@click.option(
    "--revision",
    type=click.Choice(["2026-07-28", "2025-11-25"]),
    help="Judge by this MCP revision; by default the newest the server speaks.",
)
@safe_call_option
@mrtr_tool_option
@profile_option
@click.option(
    "--instance",
    multiple=True,
    metavar="URL",
    help="Another base URL of the same deployment, which has to say the same (HTTP).",
)
@click.option(
    "--fail-on",
    type=click.Choice(["warn"]),
    help="Exit 1 instead of 0 when a check warns.",
)
@target_options
@report_options
@format_option
@shows_refusals
def conformance(
    *,
    revision: str | None,
    safe_call: tuple[str, ...],
    mrtr_tool: tuple[str, ...],
    profile: Path | None,
    fail_on: str | None,
    reports: ReportFiles,
    output: str,
    **target: Any,
) -> None:
    """Check the MCP server at --url, or the one started by -- CMD…

    With --format json: {"revision", "verdict", "checks": [{"id", "verdict", "reason_code",
    "message"}]}. Exit 0 when every check that applies passes, 1 when one fails for certain, 3 when
    one could not tell, 4 when the server gave no answer at all, 5 when it lets nobody in without
    other credentials. With --fail-on warn, 1 as well when one warns.
    """
    import asyncio

    from bundles.mcp.reading import reached, wants_credentials

    conditions = read_profile(profile)
    endpoint = endpoint_of(**conditions.target(target))
    asked = replace(
        conditions,
        revision=conditions.spoken(revision) or "",
        safe_calls=conditions.calls(safe_calls(safe_call)),
        mrtr_tools={**conditions.mrtr_tools, **mrtr_tools(mrtr_tool)},
    )
    transcripts, outcomes = asyncio.run(_concluded(endpoint, asked))
    report = _report(target, transcripts[0], outcomes, named=profile is not None)
    reports.write(report)
    if output == "json":
        emit_json(
            {"revision": transcripts[0].revision, "verdict": report.verdict} | _checks(outcomes)
        )
    else:
        show_report(report, as_json=False)
    _say_stderr(transcripts[0])
    anybody = any(reached(transcript) for transcript in transcripts)
    if anybody and fail_on == "warn" and any(o.verdict == "WARN" for o in outcomes):
        raise SystemExit(Exit.NO)
    if anybody:
        raise SystemExit(exit_of(report.verdict))
    raise SystemExit(Exit.NOT_AUTHORISED if wants_credentials(transcripts[0]) else Exit.UNREACHABLE)


def _say_stderr(transcript: "Transcript") -> None:
    """Beside the report of a server that never answered, the last line of what it wrote."""
    from bundles.mcp.probes import CONTEXT_STDERR
    from bundles.mcp.reading import reached
    from bundles.report.text import sentence

    written = str(transcript.context.get(CONTEXT_STDERR) or "").strip()
    if written and not reached(transcript):
        say(f"its stderr ends with: {sentence(written.splitlines()[-1])}")


async def _concluded(
    endpoint: "Endpoint", asked: Profile
) -> "tuple[list[Transcript], list[Outcome]]":
    """The transcripts of both stages, and what they come to."""
    transcripts = await _observed(endpoint, asked)
    return transcripts, await _judged(transcripts)


async def _observed(endpoint: "Endpoint", asked: Profile) -> "list[Transcript]":
    """One transcript a stage. Without a revision, the one the server turns out to speak."""
    from bundles.mcp.probes import CONTEXT_ERA
    from bundles.mcp.wire import LEGACY, MODERN

    spoken = replace(asked, revision=asked.revision or MODERN)
    first = await _observe(endpoint, spoken, _STAGES[0])
    if not asked.revision and first.context[CONTEXT_ERA] == "legacy":
        spoken = replace(asked, revision=LEGACY)
        first = await _observe(endpoint, spoken, _STAGES[0])
    rest = [await _observe(endpoint, spoken, stage) for stage in _STAGES[1:]]
    return [first, *rest]


async def _observe(endpoint: "Endpoint", asked: Profile, stage: str) -> "Transcript":
    from bundles.plan import Plan
    from workers.budget import Budget
    from workers.endpoints import HttpEndpoint
    from workers.probes.observe import observe

    plan = Plan(
        stage=stage,
        profile=asked.name,
        revision=asked.revision,
        transport="http" if isinstance(endpoint, HttpEndpoint) else "stdio",
        check_ids=_check_ids(stage),
        safe_calls=asked.safe_calls,
        client=asked.client,
        mrtr_tools=asked.mrtr_tools,
    )

    def told(kind: str, body: dict[str, Any]) -> None:
        if kind == "stimulus":
            progress(f"{stage}: {body['probe']}")

    return await observe(plan, endpoint, Budget(), told)


def _check_ids(stage: str) -> tuple[str, ...]:
    from bundles.live import live_checks

    return tuple(c.id for c in live_checks(stage) if not c.id.startswith(_ABOUT_BUNDLES))


async def _judged(transcripts: "Sequence[Transcript]") -> "list[Outcome]":
    """One outcome a check, in id order: the worse where both stages ran it."""
    from bundles.verdict import Verdict
    from workers.judging import Judge

    badness = [
        Verdict.FAIL,
        Verdict.WARN,
        Verdict.INCONCLUSIVE,
        Verdict.NOT_RUN,
        Verdict.PASS,
        Verdict.NOT_APPLICABLE,
    ]
    worst: dict[str, Outcome] = {}
    async with Judge() as judge:
        judged = [await judge.outcomes(t, _check_ids(t.stage)) for t in transcripts]
    for outcomes in judged:
        for outcome in outcomes:
            other = worst.setdefault(outcome.check.id, outcome)
            if badness.index(outcome.verdict) < badness.index(other.verdict):
                worst[outcome.check.id] = outcome
    return [worst[name] for name in sorted(worst)]


def _report(
    target: dict[str, Any], seen: "Transcript", outcomes: "Sequence[Outcome]", *, named: bool
) -> "Report":
    from bundles.report import Report
    from bundles.verdict import of_run

    # A claim nobody watched is shown and decides nothing: only a launcher can attach observers.
    verdict = of_run(o.verdict for o in outcomes if not o.unverified_claim)
    return Report(
        title="conformance",
        subject=str(target["url"] or " ".join(target["command"])),
        verdict=verdict.value,
        outcomes=[outcome.to_dict() for outcome in outcomes],
        findings=[f.to_dict() for outcome in outcomes for f in outcome.findings],
        facts={"revision": seen.revision} | ({"profile": seen.profile} if named else {}),
    )


def _checks(outcomes: "Sequence[Outcome]") -> dict[str, Any]:
    """The checks with every member present; `reason_code` is null where nothing is wrong."""
    entries = (outcome.to_dict() for outcome in outcomes)
    members = ("id", "verdict", "reason_code", "message")
    return {"checks": [{name: entry.get(name) for name in members} for entry in entries]}
