"""`bundlegate suite generate`: what it writes, what it says it leaves out, and what it calls."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bundlegate.cli import cli
from bundles.suite.generate import generate_suite
from bundles.suite.validate import validate_suite

PAGE = Path(__file__).parents[3] / "docs/generating-suites.md"
SERVER = (sys.executable, str(Path(__file__).parents[1] / "recording.py"))


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which the server writes down what is called."""
    path = tmp_path / "called"
    path.touch()
    monkeypatch.setenv("CALLED", str(path))
    return path


def generate(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["suite", "generate", *map(str, arguments)])


def from_server(*arguments: object) -> Result:
    return generate(*arguments, "--env", "CALLED", "--", *SERVER)


def snapshot(folder: Path, *tools: dict[str, Any]) -> Path:
    path = folder / "tools.json"
    path.write_text(json.dumps({"tools": tools}))
    return path


def tool(name: str, **schema: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", **schema}}


def test_the_suite_of_a_server_goes_to_stdout_and_nothing_is_called(calls: Path) -> None:
    made = from_server()
    assert made.exit_code == 0, made.output
    suite = json.loads(made.stdout)
    assert validate_suite(suite) == []
    assert {case["operation"]["tool"] for case in suite["cases"]} == {"read", "erase", "careless"}
    assert "9 cases for 3 of 4 tools; 9 of 9 contract axes covered" in made.stderr
    assert "no cases for odd: tools[3].inputSchema.allOf: " in made.stderr
    assert calls.read_text() == ""


def test_only_the_cases_of_safe_tools_are_run(calls: Path) -> None:
    made = from_server("--safe", "read", "--format", "json")
    assert made.exit_code == 0, made.output
    document = json.loads(made.stdout)
    assert [case["id"] for case in document["run"]["cases"]] == [
        "read-success",
        "read-missing-name",
        "read-type-name",
    ]
    assert set(calls.read_text().split()) == {"read"}


def test_a_case_that_fails_on_the_server_exits_1_and_the_suite_is_the_same(calls: Path) -> None:
    made = from_server("--safe", "careless")
    assert made.exit_code == 1
    assert made.stdout == from_server().stdout
    assert "✗ careless-missing-name" in made.stderr
    assert set(calls.read_text().split()) == {"careless"}


@pytest.mark.parametrize("also", [(), ("--safe", "read")])
def test_a_safe_tool_without_cases_is_not_taken_for_one_that_passed(
    calls: Path, also: tuple[str, ...]
) -> None:
    made = from_server("--safe", "odd", *also)
    assert made.exit_code == 3
    assert "not run, for there are no cases: odd" in made.stderr


def test_json_says_everything_that_text_says(tmp_path: Path) -> None:
    odd = tool("odd", properties={"v": {"not": {}}})
    file = snapshot(tmp_path, tool("a"), odd, {**tool("b"), "outputSchema": {"anyOf": []}})
    document = json.loads(generate("--snapshot", file, "--format", "json").stdout)
    assert document["policy"] == "schema-baseline-v3"
    assert len(document["fingerprint"]) == 64
    [skipped] = document["skipped"]
    assert (skipped["index"], skipped["tool"]) == (1, "odd")
    assert skipped["path"] == "tools[1].inputSchema.properties.v.not"
    assert [left["tool"] for left in document["uncoveredOutputs"]] == ["b"]
    assert document["coverage"]["total"] == 0
    assert [t["unanalyzableReason"] for t in document["coverage"]["tools"]] == ["properties"] * 2


def test_the_older_policy_makes_the_older_cases(tmp_path: Path) -> None:
    number = {"type": "integer", "minimum": 1, "maximum": 9}
    file = snapshot(tmp_path, tool("t", properties={"n": number}, required=["n"]))
    suite = json.loads(generate("--snapshot", file, "--policy", "schema-baseline-v2").stdout)
    assert [case["id"] for case in suite["cases"]] == [
        "t-success",
        "t-missing-n",
        "t-type-n",
        "t-range-n",
    ]


def test_a_fixture_that_does_not_fit_says_what_would(tmp_path: Path) -> None:
    file = snapshot(tmp_path, tool("t", properties={"city": {"type": "string", "maxLength": 3}}))
    fixtures = tmp_path / "fixtures.json"
    for tools, expected in (
        ({"tt": {}}, "expected: t"),
        ({"t": {"town": "x"}}, "expected: city"),
        ({"t": {"city": "Oslo"}}, '"maxLength":3'),
    ):
        fixtures.write_text(json.dumps({"schemaVersion": 1, "tools": tools}))
        made = generate("--snapshot", file, "--fixtures", fixtures)
        assert (made.exit_code, expected in made.stderr) == (2, True), made.stderr


def test_a_file_is_written_once_and_may_be_written_again_the_same(tmp_path: Path) -> None:
    file, out = snapshot(tmp_path, tool("t")), tmp_path / "suite.json"
    for _ in range(2):
        made = generate("--snapshot", file, "--out", out, "--id", "mine", "--name", "Mine")
        assert (made.exit_code, made.stdout) == (0, f"{out}\n")
    written = out.read_text()
    assert json.loads(written)["id"] == "mine"
    other = generate("--snapshot", file, "--out", out, "--id", "other")
    assert other.exit_code == 2
    assert "SUITE_NOT_WRITTEN" in other.stderr
    assert out.read_text() == written


def test_fixtures_take_the_place_of_made_up_values(tmp_path: Path) -> None:
    city = {"type": "string", "maxLength": 40}
    file = snapshot(tmp_path, tool("t", properties={"city": city}, required=["city"]))
    fixtures = tmp_path / "fixtures.json"
    fixtures.write_text('{"schemaVersion": 1, "tools": {"t": {"city": "Oslo"}}}')
    made = generate("--snapshot", file, "--fixtures", fixtures)
    suite = json.loads(made.stdout)
    assert suite["cases"][0]["operation"]["input"] == {"city": "Oslo"}
    assert "t-bound-upper-city" not in {case["id"] for case in suite["cases"]}
    assert "not tried of t: city: " in made.stderr


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ([], "INVALID_FIXTURES"),
        ({"schemaVersion": True}, "INVALID_FIXTURES"),
        ({"schemaVersion": 1, "tool": {}}, "INVALID_FIXTURES"),
        ({"schemaVersion": 1, "tools": {"t": []}}, "INVALID_FIXTURES"),
        ({"schemaVersion": 1, "notes": {"t": {"v": 1}}}, "INVALID_FIXTURES"),
        ({"schemaVersion": 1, "tools": {"t": {"w": 1}}}, "INVALID_FIXTURE_VALUE"),
        ({"schemaVersion": 1, "tools": {"t": {"v": 1}}}, "INVALID_FIXTURE_VALUE"),
        ({"schemaVersion": 1, "tools": {"u": {"v": "x"}}}, "INVALID_FIXTURE_VALUE"),
    ],
)
def test_fixtures_that_mean_nothing_are_refused(
    tmp_path: Path, document: object, code: str
) -> None:
    file = snapshot(tmp_path, tool("t", properties={"v": {"type": "string"}}))
    fixtures = tmp_path / "fixtures.json"
    fixtures.write_text(json.dumps(document))
    made = generate("--snapshot", file, "--fixtures", fixtures, "--format", "json")
    assert made.exit_code == 2
    assert json.loads(made.stdout)["error"]["reason_code"] == code


def test_the_older_policy_refuses_fixtures_rather_than_ignore_them(tmp_path: Path) -> None:
    file, fixtures = snapshot(tmp_path, tool("t")), tmp_path / "fixtures.json"
    fixtures.write_text('{"schemaVersion": 1, "tools": {"t": {}}}')
    made = generate("--snapshot", file, "--fixtures", fixtures, "--policy", "schema-baseline-v2")
    assert (made.exit_code, "INVALID_FIXTURES" in made.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), "TARGET_NOT_NAMED"),
        (("--snapshot", "x.json", "--url", "http://127.0.0.1:1/"), "TARGET_NOT_NAMED"),
        (("--snapshot", "absent.json"), "SNAPSHOT_READ_FAILED"),
        (("--safe", "nothing", "--", *SERVER), "TOOL_NOT_LISTED"),
        (("--url", "http://127.0.0.1:1/"), "MCP_CONNECTION_FAILED"),
    ],
)
def test_what_names_no_tools_is_refused(arguments: tuple[str, ...], code: str) -> None:
    made = generate(*arguments)
    assert made.exit_code == (4 if code == "MCP_CONNECTION_FAILED" else 2)
    assert code in made.stderr


def test_safe_tools_need_a_server(tmp_path: Path) -> None:
    made = generate("--snapshot", snapshot(tmp_path, tool("t")), "--safe", "t")
    assert (made.exit_code, "TARGET_NOT_NAMED" in made.stderr) == (2, True)


def test_when_no_tool_can_be_followed_there_is_no_suite(tmp_path: Path) -> None:
    made = generate("--snapshot", snapshot(tmp_path, tool("t", patternProperties={})))
    assert (made.exit_code, made.stdout) == (2, "")
    assert "UNSUPPORTED_SCHEMA" in made.stderr
    assert "tools[0].inputSchema.patternProperties" in made.stderr


def test_the_page_shows_the_cases_that_are_made() -> None:
    page = PAGE.read_text()
    documented = json.loads(page.partition("```json\n")[2].partition("```")[0])
    made = generate_suite([documented])
    rows = [
        f"| `{case['id'].removeprefix('book-room-')}` "
        f"| `{json.dumps(case['operation']['input'])}` "
        f"| {'refused' if case['assertions'][0]['expected'] else 'answered'} |"
        for case in made.suite["cases"]
    ]
    shown = page.partition("| case | arguments | has to be |\n|---|---|---|\n")[2]
    assert shown.partition("\n\n")[0].splitlines() == rows


def test_the_page_shows_python_that_runs() -> None:
    shown = PAGE.read_text().partition("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {}
    exec(compile(shown, str(PAGE), "exec"), names)
    assert [case.id for case in names["suite"].cases] == ["list-cities-success"]
