"""`suite run` with what may be asked of it besides its cases: twice, coverage, gates."""

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bundlegate.cli.root import cli

SERVER = str(Path(__file__).with_name("remembering.py"))


def case(
    tool: str, given: dict[str, Any] | None = None, *, name: str = "", error: bool = False
) -> dict[str, Any]:
    return {
        "id": name or tool,
        "name": f"calls {tool}",
        "operation": {"type": "callTool", "tool": tool, "input": given or {}},
        "assertions": [{"type": "isError", "expected": error}],
    }


OSLO = case("city", {"name": "Oslo"})


def run(folder: Path, options: str, *cases: dict[str, Any], **members: Any) -> Result:
    file = folder / "suite.json"
    document = {"schemaVersion": 1, "id": "s", "name": "S", "cases": list(cases or [OSLO])}
    file.write_text(json.dumps(document | members), encoding="utf-8")
    arguments = ["suite", "run", str(file), *shlex.split(options), "--"]
    return CliRunner().invoke(cli, [*arguments, sys.executable, "-I", "-S", SERVER, str(folder)])


def document(made: Result) -> dict[str, Any]:
    assert made.exception is None or isinstance(made.exception, SystemExit), made.output
    loaded: dict[str, Any] = json.loads(made.stdout)
    return loaded


def starts(folder: Path) -> list[str]:
    return (folder / "starts").read_text().splitlines()


def test_a_suite_is_run_once_unless_asked(tmp_path: Path) -> None:
    made = run(tmp_path, "--format json")
    assert made.exit_code == 0
    assert len(starts(tmp_path)) == 1
    assert "determinism" not in document(made)
    assert "coverage" not in document(made)
    assert document(made)["spec"]["findings"] == []


def test_two_runs_have_a_process_each_and_without_a_reset_prove_less(tmp_path: Path) -> None:
    made = run(tmp_path, "--determinism --format json")
    assert made.exit_code == 0
    assert len(set(starts(tmp_path))) == 2
    assert document(made)["determinism"] == {
        "conclusion": "consistentWithoutReset",
        "compared": 1,
        "skipped": 0,
        "differences": [],
    }


def test_what_differs_is_said_and_fails_the_run_only_where_it_is_to(tmp_path: Path) -> None:
    made = run(tmp_path, "--determinism --format json", OSLO, case("process"))
    assert made.exit_code == 0
    (difference,) = document(made)["determinism"]["differences"]
    assert (difference["caseId"], difference["path"]) == ("process", "content[0].text")
    assert difference["inside"]["path"] == "said"
    assert difference["hint"] == "numericDrift"
    made = run(tmp_path, "--fail-on nondeterminism --format json", OSLO, case("process"))
    assert made.exit_code == 1
    assert document(made)["verdict"] == "FAIL"
    assert document(made)["gates"][0]["reason_code"] == "SUITE_NONDETERMINISTIC"


def reset(code: str) -> str:
    return shlex.quote(shlex.join([sys.executable, "-I", "-S", "-c", code]))


def test_a_reset_before_each_run_makes_two_equal_runs_a_proof(tmp_path: Path) -> None:
    counting = case("count")
    left = run(tmp_path, "--determinism --format json", counting)
    assert document(left)["determinism"]["conclusion"] == "nondeterministic"
    code = f"import pathlib; pathlib.Path({str(tmp_path / 'count')!r}).unlink(missing_ok=True)"
    options = f"--fail-on nondeterminism --reset-cmd {reset(code)} --format json"
    made = run(tmp_path, options, counting)
    assert made.exit_code == 0
    assert document(made)["determinism"]["conclusion"] == "deterministic"
    assert made.stderr.count("reset: ") == 2


def test_a_reset_may_leave_running_what_it_starts(tmp_path: Path) -> None:
    idle = [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()"]
    keeps = tmp_path / "keeps"
    os.mkfifo(keeps)
    code = "import os, subprocess; "
    code += f"subprocess.Popen({idle!r}, stdin=os.open({str(keeps)!r}, os.O_RDONLY))"
    ours = os.open(keeps, os.O_RDWR)  # closing it ends what was left running
    try:
        assert run(tmp_path, f"--reset-cmd {reset(code)}").exit_code == 0
    finally:
        os.close(ours)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (reset("import sys; sys.exit('no database')"), "exit code 1: no database"),
        ("/no/such/command", "No such file"),
        (shlex.quote("'unclosed"), "not a command line"),
    ],
)
def test_a_reset_that_fails_stops_before_anything_is_called(
    tmp_path: Path, command: str, said: str
) -> None:
    made = run(tmp_path, f"--reset-cmd {command}")
    assert made.exit_code == 2
    assert "RESET_COMMAND_FAILED" in made.stderr
    assert said in made.stderr
    assert not (tmp_path / "starts").exists()


def test_what_was_run_neither_time_is_not_called_the_same(tmp_path: Path) -> None:
    setup = [{**OSLO, "id": "prepares", "assertions": [{"type": "isError", "expected": True}]}]
    version_2 = {"schemaVersion": 2, "format": "bundlegate", "setup": setup}
    made = run(tmp_path, "--fail-on nondeterminism --format json", **version_2)
    assert made.exit_code == 1
    assert document(made)["determinism"] == {
        "conclusion": "notCompared",
        "compared": 1,
        "skipped": 1,
        "differences": [],
        "why": "1 of 2 cases were not run in either run",
    }
    assert document(made)["gates"][0]["verdict"] == "INCONCLUSIVE"


def test_a_second_run_that_dies_says_nothing_of_determinism(tmp_path: Path) -> None:
    made = run(tmp_path, "--fail-on nondeterminism --format json", OSLO, case("once"))
    assert made.exit_code == 3
    found = document(made)["determinism"]
    assert found["conclusion"] == "notCompared"
    assert "second run stopped early" in found["why"]
    assert document(made)["status"] == "passed"
    assert document(made)["gates"][0]["verdict"] == "INCONCLUSIVE"


def test_a_list_of_tools_that_never_comes_costs_no_more_patience_than_the_cases_have(
    tmp_path: Path,
) -> None:
    (tmp_path / "mute").touch()
    made = run(tmp_path, "--format json", defaultTimeoutMs=500)
    assert made.exit_code == 0
    assert "tools/list: timeout: no complete answer within 2.0 s" in made.stderr
    assert "findings" not in document(made)["spec"]


def test_coverage_is_counted_and_can_fail_a_run(tmp_path: Path) -> None:
    made = run(tmp_path, "--coverage --format json")
    assert made.exit_code == 0
    coverage = document(made)["coverage"]
    assert (coverage["covered"], coverage["total"]) == (1, 3)
    unread = [t["tool"] for t in coverage["tools"] if not t["analyzable"]]
    assert unread == ["count", "once", "process"]
    assert run(tmp_path, "--min-coverage 0.3").exit_code == 0
    low = run(tmp_path, "--min-coverage 0.4")
    assert low.exit_code == 1
    assert "not checked: REQUIRED_OMITTED:name, TYPE_VIOLATION:name" in low.stdout
    wrong = [case("city", name="none", error=True), case("city", {"name": 1}, name="n", error=True)]
    assert run(tmp_path, "--min-coverage 1", OSLO, *wrong).exit_code == 0


def test_coverage_of_tools_that_are_not_listed_cannot_be_told(tmp_path: Path) -> None:
    (tmp_path / "unlisted").touch()
    made = run(tmp_path, "--min-coverage 0.1 --fail-on input-findings")
    assert made.exit_code == 3
    assert "JSON-RPC error -32601" in made.stderr
    assert made.stdout.count("what the tools declare is not known") == 2


@pytest.mark.parametrize("value", ["0", "1.1", "most", "nan"])
def test_a_minimum_is_a_ratio(tmp_path: Path, value: str) -> None:
    assert run(tmp_path, f"--min-coverage {value}").exit_code == 2


def test_inputs_that_contradict_a_declaration_are_said_before_anything_is_called(
    tmp_path: Path,
) -> None:
    typo = case("city", {"nmae": "Oslo"})
    made = run(tmp_path, "", typo)
    assert made.exit_code == 1  # the server rejects it
    assert "input of city: the required field 'name' is missing" in made.stderr
    assert "Did you mean 'nmae'?" in made.stderr
    lenient = case("city", {"name": "Oslo"}), case("cuont", name="typo", error=False)
    made = run(tmp_path, "--fail-on input-findings", *lenient)
    assert made.exit_code == 1
    assert "inputs: case typo: the server does not declare the tool 'cuont'" in made.stdout


def test_an_approval_that_drifted_can_fail_a_run(tmp_path: Path) -> None:
    approval = {"fingerprint": "0" * 64}
    assert run(tmp_path, "", approval=approval).exit_code == 0
    made = run(tmp_path, "--fail-on approval-drift", approval=approval)
    assert made.exit_code == 1
    assert run(tmp_path, "--fail-on approval-drift").exit_code == 3


def test_a_gate_is_a_check_of_its_own_in_report_files(tmp_path: Path) -> None:
    junit = tmp_path / "junit.xml"
    made = run(tmp_path, f"--min-coverage 0.9 --junit {junit}")
    assert made.exit_code == 1
    assert 'name="coverage"' in junit.read_text()
    assert "SUITE_COVERAGE_TOO_LOW" in junit.read_text()
