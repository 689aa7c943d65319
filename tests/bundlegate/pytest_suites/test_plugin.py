"""Suite files under pytest, run as a person runs them: in a project of their own."""

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.bundlegate.pytest_suites.project import Project, call, forecast
from tests.fixtures.processes import gone, until


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_each_case_is_a_test_in_order_and_in_one_session(project: Project) -> None:
    project.conftest()
    project.suite("w.suite.json", forecast("oslo"), forecast("bergen", celsius=-99), call("x", "?"))
    ran = project.pytest("-v")
    assert ran.code == 1, ran.text
    assert ran.outcomes == {"passed": 1, "failed": 2}
    order = [ran.text.index(f"w.suite.json::{name} ") for name in ("oslo", "bergen", "x")]
    assert order == sorted(order)
    assert len({told["pid"] for told in project.requests("tools/call")}) == 1
    assert project.calls() == ["get_forecast", "get_forecast", "?"]


def test_a_failure_prints_the_lines_of_the_report_and_no_traceback(project: Project) -> None:
    project.conftest()
    project.suite("w.suite.json", forecast("bergen", celsius=-99))
    ran = project.pytest()
    assert "→ $.celsius" in ran.text
    assert "bodyMatchesSchema" in ran.text
    assert "FAILED w.suite.json::bergen - bodyMatchesSchema" in ran.text
    assert ".py" not in ran.text


def test_what_no_answer_decided_is_an_error_and_what_passed_before_stays(project: Project) -> None:
    project.conftest()
    project.suite(
        "w.suite.json",
        forecast("oslo"),
        call("never", "silent", timeoutMs=200),
        call("last", "die"),
        forecast("after"),
    )
    ran = project.pytest("-rE")
    assert ran.code == 1, ran.text
    assert ran.outcomes == {"passed": 1, "error": 3}, ran.text
    assert "the tool killed me" in ran.text
    assert ".py" not in ran.text
    for name in ("never", "last", "after"):
        assert f"ERROR w.suite.json::{name}" in ran.text


def test_k_makes_only_the_calls_of_the_cases_it_chooses(project: Project) -> None:
    project.conftest()
    project.suite("w.suite.json", call("x", "?"), forecast("oslo"), forecast("bergen"))
    ran = project.pytest("-k", "oslo")
    assert (ran.code, ran.outcomes) == (0, {"passed": 1}), ran.text
    assert project.calls() == ["get_forecast"]
    assert project.pytest("w.suite.json::bergen").outcomes == {"passed": 1}


@pytest.mark.parametrize("dist", ["load", "loadgroup"])
def test_xdist_keeps_a_suite_on_one_worker_and_in_order(project: Project, dist: str) -> None:
    project.conftest()
    cities = ("oslo", "bergen", "tromso", "bodo")
    project.suite("a.suite.json", *(forecast(city, city) for city in cities))
    project.suite("b.suite.json", *(forecast(city, city) for city in cities))
    (project.folder / "test_other.py").write_text("def test_a(): pass\ndef test_b(): pass\n")
    ran = project.pytest("-p", "xdist", "-n", "2", "--dist", dist)
    assert (ran.code, ran.outcomes) == (0, {"passed": 10}), ran.text
    assert len({told["pid"] for told in project.requests("tools/call")}) == 2
    assert len(project.calls()) == 8


def test_a_suite_that_is_not_valid_is_an_error_that_names_every_issue(project: Project) -> None:
    project.conftest()
    project.suite("w.suite.json", forecast("oslo"), forecast("oslo"), surprise=1)
    ran = project.pytest()
    assert ran.code == 2, ran.text
    for said in ("2 issues", "UNKNOWN_FIELD  surprise", "DUPLICATE_CASE_ID  cases[1].id"):
        assert said in ran.text
    assert project.calls() == []


def test_a_file_that_cannot_be_read_as_json_is_an_error(project: Project) -> None:
    (project.folder / "w.suite.json").write_text("{")
    ran = project.pytest()
    assert ran.code == 2
    assert "SUITE_JSON_INVALID" in ran.text


def test_no_server_is_an_error_of_every_case_that_says_what_to_do(project: Project) -> None:
    project.suite("w.suite.json", forecast("oslo"), forecast("bergen"))
    ran = project.pytest()
    assert (ran.code, ran.outcomes) == (1, {"error": 2})
    assert "SUITE_WITHOUT_SERVER" in ran.text
    assert "--suite-url" in ran.text


def test_a_server_that_is_not_there_is_an_error(project: Project) -> None:
    project.suite("w.suite.json", forecast("oslo"))
    ran = project.pytest("--suite-url", "http://127.0.0.1:9/mcp")
    assert (ran.code, ran.outcomes) == (1, {"error": 1}), ran.text
    assert "MCP_CONNECTION_FAILED" in ran.text


@pytest.mark.parametrize("where", ["command line", "configuration", "conftest"])
def test_a_server_nobody_can_start_is_told_in_words_and_without_a_traceback(
    project: Project, where: str
) -> None:
    project.suite("w.suite.json", forecast("oslo"))
    given = ["--suite-command", 'python "server.py'] if where == "command line" else []
    if where == "configuration":
        with (project.folder / "pytest.ini").open("a") as settings:
            settings.write('suite_command = python "server.py\n')
    elif where == "conftest":
        (project.folder / "conftest.py").write_text(
            "def pytest_bundlegate_server(config, path):\n    return 'python server.py'\n"
        )
    ran = project.pytest(*given)
    assert (ran.code, ran.outcomes) == (1, {"error": 1}), ran.text
    assert "no command line" in ran.text or "gives a str" in ran.text
    assert "fix: " in ran.text
    assert ".py:" not in ran.text


def test_a_server_that_ends_at_once_is_an_error_that_shows_its_stderr(project: Project) -> None:
    project.suite("w.suite.json", forecast("oslo"))
    ran = project.pytest("--suite-command", "python -c import\\ nothing_there")
    assert (ran.code, ran.outcomes) == (1, {"error": 1}), ran.text
    assert "· ModuleNotFoundError" in ran.text


def test_the_first_failure_ends_the_session_where_pytest_is_told_to_stop(project: Project) -> None:
    project.conftest()
    slow = [call(f"slow{n}", "silent", timeoutMs=60_000) for n in range(3)]
    project.suite("w.suite.json", forecast("bergen", celsius=-99), *slow)
    ran = project.pytest("-x")
    assert (ran.code, ran.outcomes) == (1, {"failed": 1}), ran.text
    assert len(project.calls()) <= 2


def test_ctrl_c_ends_the_session_too(project: Project) -> None:
    project.conftest()
    project.suite("w.suite.json", call("slow", "silent", timeoutMs=3_600_000))
    running = project.begun()
    until("the call is under way", lambda: len(project.calls()) == 1)
    running.send_signal(signal.SIGINT)
    assert project.ended(running).code == pytest.ExitCode.INTERRUPTED
    (told,) = project.requests("tools/call")
    until("the server is gone", lambda: gone(told["pid"]))


def test_a_file_given_by_hand_needs_no_pattern_and_other_json_is_left_alone(
    project: Project,
) -> None:
    project.conftest()
    named = project.suite("by-hand.json", forecast("oslo"))
    assert project.pytest(named.name).outcomes == {"passed": 1}
    (project.folder / "other.json").write_text(json.dumps({"name": "no suite"}))
    assert "no tests ran" in project.pytest().text
    assert project.pytest("other.json").code != 0


def test_an_unused_plugin_imports_nothing(project: Project) -> None:
    (project.folder / "pytest.ini").write_text(
        (project.folder / "pytest.ini").read_text().replace("suite_files = *.suite.json\n", "")
    )
    (project.folder / "some.json").write_text("{}")
    (project.folder / "test_light.py").write_text(
        "import sys\n"
        "def test_light():\n"
        "    ours = {n for n in sys.modules if n.split('.')[0] in ('bundles', 'workers')}\n"
        "    assert not ours\n"
        "    assert 'asyncio' not in sys.modules or 'httpx2' not in sys.modules\n"
    )
    ran = project.pytest()
    assert (ran.code, ran.outcomes) == (0, {"passed": 1}), ran.text


def test_the_time_of_a_test_is_that_of_its_answers(project: Project) -> None:
    project.conftest()
    project.suite("w.suite.json", call("never", "silent", timeoutMs=300), forecast("oslo"))
    ran = project.pytest("--durations=0", "-vv")
    (slow,) = [line for line in ran.text.splitlines() if "s setup " in line and "never" in line]
    assert float(slow.split("s ")[0]) >= 0.3
    assert re.search(r"^0\.00s setup +w\.suite\.json::oslo$", ran.text, re.MULTILINE)


def _second_version(project: Project, name: str, *cases: dict[str, Any], **more: Any) -> Path:
    return project.suite(name, *cases, schemaVersion=2, format="bundlegate", **more)


def test_setup_and_teardown_run_around_the_chosen_cases_and_variables_reach_them(
    project: Project,
) -> None:
    project.conftest()
    city = {"$var": "city"}
    asked = {"type": "callTool", "tool": "get_forecast", "input": {"city": city}}
    _second_version(
        project,
        "w.suite.json",
        {**forecast("again"), "operation": asked, "tags": ["smoke"]},
        forecast("bergen", "Bergen"),
        setup=[
            forecast("oslo") | {"capture": [{"name": "city", "pointer": "/structuredContent/city"}]}
        ],
        teardown=[call("tidy", "save_alert") | {"operation": _saved("done")}],
    )
    ran = project.pytest("-k", "smoke")
    assert (ran.code, ran.outcomes) == (0, {"passed": 1}), ran.text
    assert project.calls() == ["get_forecast", "get_forecast", "save_alert"]


def _saved(alert: str) -> dict[str, Any]:
    return {"type": "callTool", "tool": "save_alert", "input": {"id": alert}}


def test_a_setup_that_fails_is_an_error_of_each_case_that_names_it(project: Project) -> None:
    project.conftest()
    _second_version(
        project, "w.suite.json", forecast("a"), forecast("b"), setup=[call("prepare", "?")]
    )
    ran = project.pytest()
    assert (ran.code, ran.outcomes) == (1, {"error": 2}), ran.text
    assert "prepare" in ran.text
    assert project.calls() == ["?"]


def test_a_teardown_that_fails_is_an_error_at_the_end_of_the_file(project: Project) -> None:
    project.conftest()
    _second_version(project, "w.suite.json", forecast("a"), teardown=[call("tidy", "?")])
    ran = project.pytest()
    assert (ran.code, ran.outcomes) == (1, {"passed": 1, "error": 1}), ran.text
    assert "ERROR at teardown of" in ran.text
    assert "teardown tidy" in ran.text


def test_a_case_for_another_profile_is_skipped_and_not_called(project: Project) -> None:
    project.conftest()
    north = forecast("north") | {"profiles": ["north"]}
    _second_version(project, "w.suite.json", north, forecast("all"))
    ran = project.pytest("-rs")
    assert (ran.code, ran.outcomes) == (0, {"passed": 1, "skipped": 1}), ran.text
    assert "it is for north" in ran.text
    assert len(project.calls()) == 1
    chosen = project.pytest("--suite-profile", "north")
    assert chosen.outcomes == {"passed": 2}, chosen.text
