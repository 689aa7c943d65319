"""Every example of docs/suites-v2.md, run on a real server, and the example suite beside it."""

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bundlegate.cli import cli
from bundles.suite.assertions.registry import KINDS
from bundles.suite.judge import SuiteReport
from bundles.suite.language import LANGUAGES
from bundles.suite.model import METHODS, load_suite
from bundles.suite.outcomes import CaseStatus
from bundles.suite.report import SuiteRun
from bundles.suite.report.text import render_text
from bundles.suite.selection import select
from bundles.suite.v2.validate import ROOT_FIELDS
from bundles.suite.v2.validate_case import CASE_FIELDS
from workers.endpoints import StdioEndpoint
from workers.probes.suite.live import run_live

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "examples" / "notebook"
PAGE = (ROOT / "docs" / "suites-v2.md").read_text(encoding="utf-8")
EXAMPLES: list[dict[str, Any]] = [
    json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
]
SUITE: dict[str, Any] = json.loads((ROOT / "examples" / "notebook" / "suite.json").read_text())


def whole(example: dict[str, Any]) -> dict[str, Any]:
    """An example as a suite: a case goes between setup and teardown of the example suite."""
    return example if "schemaVersion" in example else {**SUITE, "cases": [example]}


def run(document: dict[str, Any], profile: str = "user") -> SuiteReport:
    server = str(ROOT / "examples" / "notebook" / "server.py")
    chosen = select(load_suite(document), profile=profile)
    assert not chosen.left_out
    return asyncio.run(run_live(StdioEndpoint((sys.executable, server)), chosen.suite))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["id"])
def test_an_example_of_the_page_passes_on_the_server_it_speaks_of(example: dict[str, Any]) -> None:
    report = run(whole(example))
    assert [case.operation.why or case.failures for case in report.cases] == [()] * len(
        report.cases
    )


def test_the_example_suite_passes_and_says_what_it_tried_again() -> None:
    report = run(SUITE)
    assert {case.status for case in report.cases} == {CaseStatus.PASSED}
    assert [case.id for case in report.cases if case.attempts > 1] == ["syncs"]


def test_the_example_suite_fails_where_the_server_does_something_else() -> None:
    changed = json.loads(json.dumps(SUITE).replace("buy milk", "sell milk"))
    report = run(changed)
    assert [case.id for case in report.cases if case.status != "passed"] == ["reads-note"]
    for words in LANGUAGES.values():
        assert '"sell milk"' in render_text(SuiteRun(report), words)


def test_page_and_example_suite_have_one_of_everything() -> None:
    written = json.dumps(SUITE)
    for name in (*METHODS, *KINDS):
        assert f'"type": "{name}"' in written or name in _OF_VERSION_1, name
        assert f"`{name}" in PAGE, name
    for member in (*ROOT_FIELDS, *CASE_FIELDS):
        assert f"`{member}`" in PAGE, member


_OF_VERSION_1 = ("bodyMatchesSchema", "structuredContentMatchesSchema")


def test_the_example_server_keeps_the_protocol_it_is_an_example_of() -> None:
    command = [sys.executable, str(NOTEBOOK / "server.py")]
    made = CliRunner().invoke(cli, ["conformance", "--", *command])
    assert made.exit_code == 0, made.output


def test_a_suite_is_generated_for_every_tool_of_the_example_server() -> None:
    command = [sys.executable, str(NOTEBOOK / "server.py")]
    made = CliRunner().invoke(cli, ["suite", "generate", "--", *command])
    assert "for 5 of 5 tools" in made.stderr
