"""`bundlegate import`: from a tool's files to a report, and to imported evidence."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from bundlegate.cli import cli
from tests.fixtures.house import Visitor

WHEN = "2026-11-30T20-34-11-123Z"


def run(*arguments: object, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(cli, ["import", *map(str, arguments)], env=env)


def refused(answer: Result) -> tuple[str, int]:
    return json.loads(answer.stdout)["error"]["reason_code"], answer.exit_code


@pytest.fixture
def results(tmp_path: Path) -> Path:
    root = tmp_path / "results"
    for scenario, status in (("tools-list", "SUCCESS"), ("auth/basic", "FAILURE")):
        folder = root / f"server-{scenario}-{WHEN}"
        folder.mkdir(parents=True)
        check = {"id": "a", "name": "A", "description": "about a", "status": status}
        (folder / "checks.json").write_text(json.dumps([check]))
        (folder / "other.json").write_text("{}")
    return root


def outcomes(answer: Result) -> dict[str, str]:
    document: dict[str, Any] = json.loads(answer.stdout)
    return {entry["id"]: entry["verdict"] for entry in document["checks"]}


def test_a_tree_of_results_gives_a_report_in_every_format(results: Path, tmp_path: Path) -> None:
    junit = tmp_path / "r.xml"
    made = run(results, "--junit", junit, "--format", "json")
    assert made.exit_code == 1
    assert outcomes(made) == {"server:auth/basic:a": "FAIL", "server:tools-list:a": "PASS"}
    assert len(list(ET.parse(junit).iter("failure"))) == 1
    text = run(results)
    assert (text.exit_code, "IMPORTED_CHECK_FAILED" in text.stdout) == (1, True)


def test_expected_failures_are_waived_and_stale_ones_said(results: Path, tmp_path: Path) -> None:
    file = tmp_path / "expected.yaml"
    file.write_text("server: ['auth/basic:a', tools-list]")
    made = run(results, "--expected-failures", file, "--format", "json")
    assert made.exit_code == 0, made.output
    assert outcomes(made)["expected-failures:server:tools-list"] == "WARN"


def test_one_file_is_a_report_too(results: Path) -> None:
    file = results / f"server-tools-list-{WHEN}" / "checks.json"
    made = run(file, "--format", "json")
    assert (outcomes(made), made.exit_code) == ({"server:tools-list:a": "PASS"}, 0)


def test_an_inspector_that_reached_nobody_is_no_verdict(tmp_path: Path) -> None:
    file = tmp_path / "list.json"
    file.write_text('{"error": {"code": "unreachable", "message": "fetch failed"}}')
    assert run(file, "--format", "json").exit_code == 3


def test_a_report_is_kept_about_a_candidate(visitor: Visitor, results: Path) -> None:
    env = {"BUNDLEGATE_URL": visitor.house.url, "BUNDLEGATE_TOKEN": visitor.secret}
    candidate = visitor.candidate()["id"]
    made = run(results, "--candidate", candidate, "--format", "json", env=env)
    assert made.exit_code == 1, "the verdict of the report, not of keeping it"
    evidence = json.loads(made.stdout)["evidence"]
    kept = visitor.client.evidence(evidence)
    assert (kept["kind"], kept["verdict"]) == ("imported", "FAIL")
    assert set(kept["summary"]["imported"]["files"]) == {
        f"results/server-{scenario}-{WHEN}/checks.json" for scenario in ("tools-list", "auth/basic")
    }
    assert "no gate counts it" in made.stderr


def test_a_kept_report_says_of_itself_that_it_is_imported(
    visitor: Visitor, results: Path, tmp_path: Path
) -> None:
    candidate = visitor.candidate()["id"]
    made = visitor.client.import_evidence(
        candidate, profile="default", files={"r.xml": "<testsuite><testcase/></testsuite>"}
    )
    envelope, key = tmp_path / "e.json", tmp_path / "key.pem"
    envelope.write_bytes(visitor.client.envelope(made["id"]))
    keys = {entry["key_id"]: entry["public_pem"] for entry in visitor.client.public_keys()}
    key.write_text(keys[made["key_id"]])
    shown = CliRunner().invoke(cli, ["evidence", "verify", str(envelope), "--key", str(key)])
    assert shown.exit_code == 0, shown.output
    assert "no run here saw it" in shown.stdout


def test_what_is_no_report_is_refused(results: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert refused(run(empty, "--format", "json")) == ("IMPORT_READ_FAILED", 2)
    assert refused(run(tmp_path / "none", "--format", "json")) == ("IMPORT_READ_FAILED", 2)
    alone = run(results, "--profile", "a", "--format", "json")
    assert refused(alone) == ("IMPORT_CANDIDATE_MISSING", 2)
    (tmp_path / "r.txt").write_text("words")
    assert refused(run(tmp_path / "r.txt", "--format", "json")) == ("IMPORT_UNREADABLE", 2)
