"""Suites inside a verification run: the cases of its profile, judged from the transcript alone."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bundles.live import judge_transcript
from bundles.mcp.probes import SUITE
from bundles.plan import Plan
from bundles.transcript import Transcript
from bundles.transcript_json import transcript_from_json, transcript_to_json
from bundles.verdict import Verdict
from workers.budget import Budget
from workers.endpoints import StdioEndpoint
from workers.probes.observe import observe

EXAMPLE = Path(__file__).parents[4] / "examples" / "notebook"
CHECKS = ("mcp.suite.calls-complete", "mcp.suite.cases-pass")


def for_admins(case: dict[str, Any]) -> dict[str, Any]:
    return case | {"profiles": ["admin"]}


def document(*, only_admins: bool) -> dict[str, Any]:
    """The example, a case of its own for admins, and the rest for all or for admins as well."""
    made: dict[str, Any] = json.loads((EXAMPLE / "suite.json").read_text(encoding="utf-8"))
    fails = {
        "id": "admin",
        "name": "fails",
        "operation": {"type": "callTool", "tool": "read_note", "input": {"id": "no such note"}},
        "assertions": [{"type": "isError", "expected": False}],
    }
    made["cases"].append(for_admins(fails))
    if only_admins:
        for part in ("setup", "cases", "teardown"):
            made[part] = [for_admins(case) for case in made[part]]
    return made


def observed(suite: dict[str, Any], profile: str) -> Transcript:
    plan = Plan(
        stage="conformance",
        profile=profile,
        revision="2026-07-28",
        transport="stdio",
        check_ids=CHECKS,
        suites=(suite,),
    )
    server = StdioEndpoint((sys.executable, "-I", "-S", str(EXAMPLE / "server.py")))
    transcript = asyncio.run(observe(plan, server, Budget(), lambda *_: None))
    return transcript_from_json(json.loads(json.dumps(transcript_to_json(transcript))))


def verdicts(transcript: Transcript) -> list[Verdict]:
    return [outcome.verdict for outcome in judge_transcript(transcript, CHECKS)]


@pytest.mark.parametrize(
    ("profile", "verdict"), [("default", Verdict.PASS), ("admin", Verdict.FAIL)]
)
def test_a_run_makes_the_cases_of_its_profile_and_the_transcript_alone_judges_them(
    profile: str, verdict: Verdict
) -> None:
    transcript = observed(document(only_admins=False), profile)
    made = {exchange.probe.rpartition(":")[2] for exchange in transcript.starting(SUITE)}
    assert ("admin" in made) is (profile == "admin")
    assert {"first-note", "reads-note", "remove-first-note"} <= made
    attempts = [
        exchange.request.get("attempt") for exchange in transcript.of("suite:notebook:syncs")
    ]
    assert attempts == [None, 2]
    assert len(transcript.of("suite:notebook:asks-first")) == 2
    assert verdicts(transcript) == [Verdict.PASS, verdict]


def test_a_suite_without_a_case_for_the_profile_says_nothing_of_the_server() -> None:
    transcript = observed(document(only_admins=True), "default")
    assert not list(transcript.starting(SUITE))
    assert verdicts(transcript) == [Verdict.NOT_APPLICABLE] * 2
