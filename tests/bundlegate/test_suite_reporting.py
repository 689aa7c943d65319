"""Reports for programs: the forms of the command, from the object that a run gives."""

import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from bundlegate.suite import reporting
from bundles.suite.report import Gate, SuiteRun, render_text
from bundles.verdict import Verdict
from tests.bundles.suite.report.samples import mixed

PAGE = Path(__file__).parents[2] / "docs" / "suite-reports.md"
SERVER = (sys.executable, str(Path(__file__).with_name("answering.py")))


def test_the_example_on_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example, str(PAGE), "exec"), {"COMMAND": SERVER})
    assert capsys.readouterr().out.endswith("\n1 passed  (1 total)\n")
    assert "PASS" in Path("report.html").read_text(encoding="utf-8")


def test_every_form_says_what_the_command_would() -> None:
    run = mixed()
    report = run.report
    assert reporting.as_text(report) == render_text(SuiteRun(report))
    assert "실패한 케이스" in reporting.as_text(report, "ko")
    assert reporting.as_document(run)["target"] == run.target
    assert ET.fromstring(reporting.as_junit(report, path="s.json")).get("failures") == "5"
    log = json.loads(reporting.as_sarif(report, path="s.json"))
    assert log["runs"][0]["properties"]["verdict"] == "FAIL"
    gate = Gate("coverage", Verdict.FAIL, "too low", "CASE_NOT_RUN")
    page = reporting.as_html(SuiteRun(report, gates=(gate,)), path="s.json")
    assert "too low" in page
