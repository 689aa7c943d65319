"""`bundlegate conformance`: check a live MCP server; no bundle and no service needed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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

    conditions = read_profile(profile)
    endpoint = endpoint_of(**conditions.target(target))
    asked = replace(
        conditions,
        revision=conditions.spoken(revision) or "",
        safe_calls=conditions.calls(safe_calls(safe_call)),
        mrtr_tools={**conditions.mrtr_tools, **mrtr_tools(mrtr_tool)},
    )
    seen, outcomes = asyncio.run(_concluded(endpoint, asked))
    report = _report(target, seen[0], outcomes, named=profile is not None)
    reports.write(report)
    if output == "json":
        emit_json({"revision": seen[0].revision, "verdict": report.verdict} | _checks(outcomes))
    else:
        show_report(report, as_json=False)
    _say_stderr(seen[0])
    anybody = any(stage.answered for stage in seen)
    if anybody and fail_on == "warn" and any(o.verdict == "WARN" for o in outcomes):
        raise SystemExit(Exit.NO)
    if anybody:
        raise SystemExit(exit_of(report.verdict))
    raise SystemExit(Exit.NOT_AUTHORISED if seen[0].locked_out else Exit.UNREACHABLE)


def _say_stderr(seen: "_Seen") -> None:
    """Beside the report of a server that never answered, the last line of what it wrote."""
    from bundles.report.text import sentence

    if seen.stderr and not seen.answered:
        say(f"its stderr ends with: {sentence(seen.stderr.splitlines()[-1])}")


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is kept of a stage's transcript: a large one would stand beside the next stage's."""

    revision: str
    profile: str
    answered: bool
    locked_out: bool
    stderr: str


async def _concluded(endpoint: "Endpoint", asked: Profile) -> "tuple[list[_Seen], list[Outcome]]":
    """What was seen of each stage, and what they come to.

    Without a revision, the one the server turns out to speak.
    """
    from bundles.mcp.probes import CONTEXT_ERA
    from bundles.mcp.wire import LEGACY, MODERN
    from workers.judging import Judge

    spoken = replace(asked, revision=asked.revision or MODERN)
    seen: list[_Seen] = []
    judged: list[list[Outcome]] = []
    async with Judge() as judge:
        for stage in _STAGES:
            transcript = await _observe(endpoint, spoken, stage)
            if not seen and not asked.revision and transcript.context[CONTEXT_ERA] == "legacy":
                spoken = replace(asked, revision=LEGACY)
                transcript = await _observe(endpoint, spoken, stage)
            judged.append(await judge.outcomes(transcript, _check_ids(stage)))
            seen.append(_seen(transcript))
    return seen, _worst(judged)


def _seen(transcript: "Transcript") -> _Seen:
    from bundles.mcp.probes import CONTEXT_STDERR
    from bundles.mcp.reading import reached, wants_credentials

    return _Seen(
        revision=transcript.revision,
        profile=transcript.profile,
        answered=reached(transcript),
        locked_out=wants_credentials(transcript),
        stderr=str(transcript.context.get(CONTEXT_STDERR) or "").strip(),
    )


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


def _worst(judged: "Sequence[Sequence[Outcome]]") -> "list[Outcome]":
    """One outcome a check, in id order: the worse where both stages ran it."""
    from bundles.verdict import Verdict

    badness = [
        Verdict.FAIL,
        Verdict.WARN,
        Verdict.INCONCLUSIVE,
        Verdict.NOT_RUN,
        Verdict.PASS,
        Verdict.NOT_APPLICABLE,
    ]
    worst: dict[str, Outcome] = {}
    for outcomes in judged:
        for outcome in outcomes:
            other = worst.setdefault(outcome.check.id, outcome)
            if badness.index(outcome.verdict) < badness.index(other.verdict):
                worst[outcome.check.id] = outcome
    return [worst[name] for name in sorted(worst)]


def _report(
    target: dict[str, Any], seen: _Seen, outcomes: "Sequence[Outcome]", *, named: bool
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
