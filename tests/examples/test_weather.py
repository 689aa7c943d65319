"""The examples hold what they promise: the good server is admissible, each twin fails as said."""

import asyncio
import json
import os
import shutil
from pathlib import Path

import pytest

from bundles.check import Outcome
from bundles.contract import Contract
from bundles.live import judge_transcript
from bundles.planning import make_plan
from bundles.static import judge_bundle
from bundles.verdict import Verdict
from service.admission.evidence import stage_verdict
from workers.budget import Budget
from workers.launchers import Launchers
from workers.probes.observe import observe

EXAMPLES = Path(__file__).parents[2] / "examples"
BUNDLE = EXAMPLES / "weather" / "bundle"
FILES = {
    str(path.relative_to(BUNDLE)): path.read_bytes() for path in BUNDLE.rglob("*") if path.is_file()
}
CONTRACT = Contract.read(FILES)

TWINS = {
    "weather-renamed-output": {"STRUCTURED_CONTENT_MISMATCH"},
    "weather-noisy-stdout": {"STDOUT_NOISE"},
    "weather-unstable-list": {"TOOLS_SET_UNSTABLE", "TOOL_CHANGED"},
    # it writes before it knows whether the call is refused
    "weather-writing-reader": {"SIDE_EFFECT_DECLARATION_MISMATCH"},
}
STAGE_OF = {"weather-writing-reader": "security"}


def launched(folder: Path, name: str, stage: str) -> list[Outcome]:
    """Run one stage of the example's plan on a copy, as a worker would."""
    shutil.copytree(EXAMPLES, folder / "examples")
    launchers = Launchers.read(folder / "examples" / "launchers.yaml")
    endpoint = launchers.endpoint(name, os.environ)
    plan = make_plan(
        CONTRACT, stage=stage, profile="default", revision="2026-07-28", transport="stdio"
    )
    transcript = asyncio.run(observe(plan, endpoint, Budget(), lambda *_: None))
    return judge_transcript(transcript, plan.check_ids)


def failing(outcomes: list[Outcome]) -> set[str]:
    return {o.check.reason_code for o in outcomes if o.verdict is Verdict.FAIL}


def test_the_bundle_lints_clean() -> None:
    outcomes = judge_bundle(CONTRACT)
    assert {o.verdict for o in outcomes} <= {Verdict.PASS, Verdict.NOT_APPLICABLE}


@pytest.mark.parametrize("stage", ["conformance", "security"])
def test_the_good_server_passes(tmp_path: Path, stage: str) -> None:
    outcomes = launched(tmp_path, "weather", stage)
    assert failing(outcomes) == set()
    assert stage_verdict(outcomes) is Verdict.PASS
    # the stock SDK answers an unknown tool as a result: a warning, for policy to decide
    warned = {o.check.reason_code for o in outcomes if o.verdict is Verdict.WARN}
    assert warned <= {"UNKNOWN_TOOL_ERROR_AS_RESULT"}
    claims = {o.check.claim: o.verdict for o in outcomes if o.check.claim}
    assert set(claims.values()) <= {Verdict.PASS}


@pytest.mark.parametrize("name", TWINS)
def test_each_broken_twin_fails_with_its_reason_and_no_other(tmp_path: Path, name: str) -> None:
    outcomes = launched(tmp_path, name, STAGE_OF.get(name, "conformance"))
    assert failing(outcomes) == TWINS[name]


def test_the_server_uses_no_tool_the_bundle_does_not_pin() -> None:
    snapshot = json.loads(FILES["mcp-tools.snapshot.json"])
    assert [tool["name"] for tool in snapshot] == ["list_cities", "get_forecast", "save_alert"]
    assert set(CONTRACT.safe_calls) == {tool["name"] for tool in snapshot}


def test_every_script_has_a_launcher_and_every_launcher_is_measured() -> None:
    launchers = Launchers.read(EXAMPLES / "launchers.yaml")
    scripts = {path.name for path in (EXAMPLES / "weather").glob("*.py")}
    started = {launcher.endpoint.argv[1] for launcher in launchers.by_name.values()}
    assert started == scripts
    for launcher in launchers.by_name.values():
        assert launcher.endpoint.measure is not None
        assert launcher.endpoint.measure.is_file()
        assert all(folder.is_dir() for folder in launcher.endpoint.watch.values())
