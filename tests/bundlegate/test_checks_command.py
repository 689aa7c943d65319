"""`bundlegate checks`: the catalogue, whole and one entry at a time."""

import json

import pytest
from click.testing import CliRunner, Result

from bundlegate.cli import cli
from bundles.check import registry


def checks(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["checks", *arguments])


def test_every_check_is_listed() -> None:
    listed = [line.split()[1] for line in checks().stdout.splitlines()]
    assert listed == list(registry())
    catalogue = json.loads(checks("--format", "json").stdout)
    assert [entry["id"] for entry in catalogue["checks"]] == listed
    assert {entry["reason_code"] for entry in catalogue["checks"]} <= {
        entry["code"] for entry in catalogue["reason_codes"]
    }


@pytest.mark.parametrize("named", ["mcp.suite.cases-pass", "SUITE_CASE_FAILED"])
def test_one_check_is_explained_by_id_and_by_code(named: str) -> None:
    made = checks(named)
    assert made.exit_code == 0
    assert "reason code: SUITE_CASE_FAILED" in made.stdout
    assert "Fix:" in made.stdout
    assert len(json.loads(checks(named, "--format", "json").stdout)["checks"]) == 1


def test_a_reason_code_without_a_check_is_explained_too() -> None:
    made = checks("SUITE_JSON_INVALID")
    assert made.stdout.splitlines()[0] == "SUITE_JSON_INVALID"
    assert "next: correct the JSON" in made.stdout
    assert "SUITE_JSON_INVALID  The file is not JSON." in checks("--codes").stdout.splitlines()


def test_an_unknown_name_is_wrong_usage() -> None:
    made = checks("NO_SUCH_CODE")
    assert made.exit_code == 2
    assert "NO_SUCH_CODE" in made.stderr
