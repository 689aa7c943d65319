"""`bundlegate suite`, as its users run it."""

import json
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.processes import until

SERVER = (sys.executable, str(Path(__file__).with_name("answering.py")))


def bundlegate(
    *arguments: str | Path, cwd: Path | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bundlegate", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        timeout=60,
    )


def case(tool: str, *, name: str = "", error: bool = False, **changes: Any) -> dict[str, Any]:
    return {
        "id": name or tool,
        "name": f"calls {tool}",
        "operation": {"type": "callTool", "tool": tool, "input": {"city": "Oslo"}},
        "assertions": [{"type": "isError", "expected": error}],
    } | changes


def written(folder: Path, *cases: dict[str, Any], name: str = "suite.json") -> Path:
    file = folder / name
    document = {"schemaVersion": 1, "id": "s", "name": "Weather", "cases": list(cases)}
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def test_lint_prints_one_line_a_file_and_exits_by_the_worst(tmp_path: Path) -> None:
    good = written(tmp_path, case("echo"))
    bad = written(tmp_path, case("echo"), case("echo"), name="bad.json")
    broken = tmp_path / "broken.json"
    broken.write_bytes(b'{\n"id": }')
    made = bundlegate("suite", "lint", good, bad, broken, "absent.json", "--format", "json")
    lines = [json.loads(line) for line in made.stdout.splitlines()]
    assert [line["file"] for line in lines] == [str(good), str(bad), str(broken), "absent.json"]
    assert [line["valid"] for line in lines] == [True, False, False, False]
    assert lines[0]["issues"] == []
    assert lines[1]["issues"][0].keys() == {"code", "path", "message"}
    assert [line["issues"][0]["code"] for line in lines[1:]] == [
        "DUPLICATE_CASE_ID",
        "SUITE_JSON_INVALID",
        "SUITE_READ_FAILED",
    ]
    assert made.returncode == 2
    assert bundlegate("suite", "lint", good).returncode == 0
    refused = bundlegate("suite", "lint", good, bad)
    assert refused.returncode == 1
    assert "DUPLICATE_CASE_ID  cases[1].id" in refused.stdout


def test_lint_says_when_a_name_is_given_twice(tmp_path: Path) -> None:
    file = written(tmp_path, case("echo"))
    file.write_text(file.read_text().replace('"id": "s"', '"id": "r", "id": "s"'))
    made = bundlegate("suite", "lint", file, "--format", "json")
    assert json.loads(made.stdout)["valid"] is True
    assert '"id" is given twice' in made.stderr


def test_match_compares_at_any_depth(tmp_path: Path) -> None:
    schema, value = tmp_path / "schema.json", tmp_path / "value.json"
    schema.write_text('{"type":"array","items":' * 20_000 + '{"type":"array"}' + "}" * 20_000)
    value.write_text("[" * 20_000 + "5" + "]" * 20_000)
    made = bundlegate("suite", "match", "--schema", schema, "--value", value, "--format", "json")
    assert made.returncode == 1, made.stderr
    document = json.loads(made.stdout)
    assert document["total"] == 1
    assert document["violations"][0]["code"] == "TYPE_MISMATCH"
    value.write_text("[]")
    assert bundlegate("suite", "match", "--schema", schema, "--value", value).returncode == 0
    schema.write_text("{}")
    made = bundlegate("suite", "match", "--schema", schema, "--value", value, "--format", "json")
    assert made.returncode == 2
    assert json.loads(made.stdout)["error"]["reason_code"] == "SUITE_VALIDATION_FAILED"


def test_run_passes_on_a_server_that_answers_as_written(tmp_path: Path) -> None:
    listing = {
        "id": "list",
        "name": "lists echo",
        "operation": {"type": "listTools"},
        "assertions": [{"type": "toolExists", "tool": "echo"}],
    }
    body = {"type": "bodyMatchesSchema", "schema": {"const": {"city": "Oslo"}}}
    echo = case("echo", assertions=[body])
    file = written(tmp_path, listing, echo, case("error", error=True))
    made = bundlegate("suite", "run", file, "--", *SERVER)
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[0] == "Weather  (3 cases)"
    assert "3 passed  (3 total)" in made.stdout.splitlines()


def test_run_tells_every_failure_apart_and_writes_its_reports(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        case("echo", error=True),
        case("refuse"),
        case("hang", timeoutMs=200),
        case("hang", name="again", timeoutMs=200),
        case("hang", name="and again", timeoutMs=200),
        case("echo", name="after"),
        case("die"),
        case("echo", name="never"),
        case("echo", name="nor this"),
    )
    reports = ("--junit", "junit.xml", "--sarif", "log.sarif", "--format", "json")
    made = bundlegate("suite", "run", file, *reports, "--", *SERVER, cwd=tmp_path)
    assert made.returncode == 1, made.stderr
    document = json.loads(made.stdout)
    assert document["verdict"] == "FAIL"
    assert [entry["operation"]["status"] for entry in document["cases"]] == [
        "completed",
        "failed",
        "timedOut",
        "timedOut",
        "timedOut",
        "completed",
        "failed",
        "notRun",
        "notRun",
    ]
    assert document["cases"][0]["assertions"][0]["notes"] == ['{"city":"Oslo"}']
    assert document["cases"][1]["operation"]["error"]["code"] == -32603
    suite = ET.parse(tmp_path / "junit.xml").getroot()
    assert (suite.get("failures"), suite.get("errors"), suite.get("skipped")) == ("2", "4", "2")
    log = json.loads((tmp_path / "log.sarif").read_text())
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 1}
    assert {result["ruleId"] for result in log["runs"][0]["results"]} == {
        "echo",
        "refuse",
        "hang",
        "again",
        "and again",
        "die",
    }


def test_arguments_may_be_nested_to_any_depth(tmp_path: Path) -> None:
    file = written(tmp_path, case("echo", name="deep"), case("echo"))
    deep = "[" * 5000 + "]" * 5000
    file.write_text(file.read_text().replace('{"city": "Oslo"}', f'{{"x": {deep}}}', 1))
    made = bundlegate("suite", "run", file, "--format", "json", "--", *SERVER)
    # The server of this test cannot read it and ends: that is its answer, and the suite says so.
    statuses = [c["operation"]["status"] for c in json.loads(made.stdout)["cases"]]
    assert (statuses, made.returncode) == (["failed", "notRun"], 4)


def test_run_exits_3_when_nothing_failed_for_certain(tmp_path: Path) -> None:
    file = written(tmp_path, case("echo"), case("hang", timeoutMs=100))
    made = bundlegate("suite", "run", file, "--", *SERVER)
    assert made.returncode == 3
    assert "Failed cases" in made.stdout


def test_run_exits_4_when_the_server_dies_and_nothing_failed_before(tmp_path: Path) -> None:
    file = written(tmp_path, case("echo"), case("die"), case("echo", name="never"))
    made = bundlegate("suite", "run", file, "--format", "json", "--", *SERVER)
    assert made.returncode == 4, made.stderr
    document = json.loads(made.stdout)
    assert document["stopReason"] == {
        "type": "serverGone",
        "message": "it ended with exit code 3",
        "caseId": "die",
    }
    assert [case["status"] for case in document["cases"]] == ["passed", "failed", "notRun"]


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["--", sys.executable, "-c", "pass"], "MCP_CONNECTION_FAILED", 4),
        (["--", "/no/such/program"], "MCP_CONNECTION_FAILED", 4),
        (["--url", "http://127.0.0.1:9/mcp"], "MCP_CONNECTION_FAILED", 4),
        (["--url", "http://127.0.0.1:9/mcp", "--allow", "127.0.0.1"], "MCP_CONNECTION_FAILED", 4),
        ([], "TARGET_NOT_NAMED", 2),
        (["--url", "http://x.example/", "--", "x"], "TARGET_NOT_NAMED", 2),
        (["--url", "http://x.example/", "--header-env", "A=NOT_SET"], "VARIABLE_NOT_SET", 2),
    ],
)
def test_run_refuses_with_a_reason(
    tmp_path: Path, arguments: list[str], code: str, exit_code: int
) -> None:
    file = written(tmp_path, case("echo"))
    made = bundlegate("suite", "run", file, "--format", "json", *arguments)
    assert made.returncode == exit_code, made.stdout + made.stderr
    error = json.loads(made.stdout)["error"]
    assert error["reason_code"] == code
    assert error["next_steps"]


def test_run_refuses_an_invalid_suite_before_anything_starts(tmp_path: Path) -> None:
    witness = tmp_path / "started"
    starts = (sys.executable, "-c", f"open({str(witness)!r}, 'w')")
    file = written(tmp_path, case("echo", assertions=[{"type": "toolExists", "tool": "x"}]))
    made = bundlegate("suite", "run", file, "--", *starts)
    assert made.returncode == 2
    assert "INCOMPATIBLE_ASSERTION at cases[0].assertions[0]" in made.stderr
    assert not witness.exists()


UNUSED = (
    "bundles.report.html",
    "bundles.suite.axes",
    "bundles.suite.determinism",
    "bundles.suite.fingerprint",
    "bundles.suite.generate",
    "bundles.suite.v2.validate",
    "httpx2",
    "jsonschema_rs",
    "service",
)
LOADED = """
import sys
from bundlegate.cli.root import cli
try:
    cli(["suite", "run", *sys.argv[2:]])
finally:
    print(*(name for name in sys.argv[1].split() if name in sys.modules), file=sys.stderr)
"""


def test_a_plain_run_loads_nothing_that_it_does_not_use(tmp_path: Path) -> None:
    file = written(tmp_path, case("echo"))
    arguments = [" ".join(UNUSED), str(file), "--", *SERVER]
    made = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=False
    )
    assert (made.returncode, made.stderr.splitlines()[-1:]) == (0, [""]), made.stderr


def test_output_may_be_piped_into_head(tmp_path: Path) -> None:
    file = written(tmp_path, case("echo"))
    command = f"{sys.executable} -m bundlegate suite lint {f'{file} ' * 300} | head -1"
    made = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert made.stdout == f"✓ {file}\n"
    assert made.stderr == ""


def test_a_reader_who_left_changes_no_exit_code(tmp_path: Path) -> None:
    good = written(tmp_path, case("echo"))
    bad = written(tmp_path, name="bad.json")
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "string"}')
    compared = ("match", "--schema", schema, "--value", schema)
    asked: tuple[tuple[tuple[str | Path, ...], int], ...] = (
        (("lint", bad, good), 1),
        (("lint", good, good), 0),
        (("lint", "--schema"), 0),
        (compared, 1),
        (("upgrade", good), 0),
    )
    for arguments, code in asked:
        reading, writing = os.pipe()
        os.close(reading)
        try:
            command = [sys.executable, "-m", "bundlegate", "suite", *map(str, arguments)]
            made = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
        finally:
            os.close(writing)
        assert (made.returncode, made.stderr) == (code, b""), arguments


def test_a_terminal_without_the_characters_is_told_in_others(tmp_path: Path) -> None:
    file = written(tmp_path, case("écho"))
    made = bundlegate("suite", "lint", file, file, PYTHONIOENCODING="ascii:strict")
    assert made.returncode == 0
    assert made.stdout == f"\\u2713 {file}\n" * 2


def test_run_speaks_korean_to_people_and_english_to_programs(tmp_path: Path) -> None:
    file = written(tmp_path, case("echo", error=True), name="날씨.json")
    page = tmp_path / "page.html"
    asked = ("suite", "run", file, "--lang", "ko", "--html", page)
    korean = bundlegate(*asked, "--", *SERVER)
    assert korean.returncode == 1
    assert "    isError  오류 응답을 기대했지만 정상 응답을 받았습니다.\n" in korean.stdout
    assert '    → {"city":"Oslo"}\n' in korean.stdout
    assert "FAIL: suite s " in page.read_text()
    assert "expected an error result" in page.read_text()
    as_json = json.loads(bundlegate(*asked, "--format", "json", "--", *SERVER).stdout)
    said = as_json["cases"][0]["assertions"][0]["message"]
    assert said == "expected an error result, got a normal one"


@pytest.mark.parametrize(("error", "exit_code"), [(False, 0), (True, 1)])
def test_a_reader_who_leaves_early_does_not_change_the_exit_code(
    tmp_path: Path, error: bool, exit_code: int
) -> None:
    names = [{"name": "n" * 180} for _ in range(600)]  # more than a pipe holds
    cases = [case("echo", name=f"{n}", error=error) | named for n, named in enumerate(names)]
    file = written(tmp_path, *cases)
    for form in ("text", "json"):
        command = [sys.executable, "-m", "bundlegate", "suite", "run", str(file), "--format", form]
        with subprocess.Popen(
            [*command, "--", *SERVER], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as made:
            assert made.stdout is not None
            assert made.stderr is not None
            made.stdout.read(1)
            made.stdout.close()
            assert made.stderr.read() == b""
            assert made.wait() == exit_code


def test_a_terminal_that_cannot_show_a_sign_gets_its_escape(tmp_path: Path) -> None:
    file = written(tmp_path, case("echo"))
    made = bundlegate("suite", "run", file, "--", *SERVER, PYTHONIOENCODING="ascii")
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[2] == "\\u2713 echo  calls echo"


def test_how_a_server_ended_and_what_it_said_last_stand_beside_the_failure(tmp_path: Path) -> None:
    made = bundlegate("suite", "run", written(tmp_path, case("die")), "--", *SERVER)
    assert made.stdout.endswith("Server process\n  exit code: 3  signal: none\n")


def test_a_suite_that_changed_since_its_approval_says_so_and_exits_as_it_did(
    tmp_path: Path,
) -> None:
    file = written(tmp_path, case("echo"))
    document = json.loads(file.read_text()) | {"approval": {"fingerprint": "a" * 64}}
    file.write_text(json.dumps(document))
    made = bundlegate("suite", "run", file, "--", *SERVER)
    assert made.returncode == 0
    assert "Suite: changed since its approval" in made.stdout
    told = json.loads(bundlegate("suite", "run", file, "--format", "json", "--", *SERVER).stdout)
    assert told["spec"]["approval"]["state"] == "drifted"
    assert told["spec"]["fingerprint"] == told["spec"]["approval"]["computed"]


def test_upgrade_prints_version_2_and_replaces_the_file_only_when_told(tmp_path: Path) -> None:
    file = written(tmp_path, case("echo"))
    before = file.read_text()
    made = bundlegate("suite", "upgrade", file)
    document = json.loads(made.stdout)
    assert (document["schemaVersion"], document["format"]) == (2, "bundlegate")
    assert document["cases"] == json.loads(before)["cases"]
    assert file.read_text() == before
    assert bundlegate("suite", "upgrade", file, "--write").stdout == ""
    assert file.read_text() == made.stdout
    again = bundlegate("suite", "upgrade", file)
    assert (again.stdout, again.returncode) == (made.stdout, 0)
    assert "is version 2 already" in again.stderr
    assert bundlegate("suite", "lint", file).returncode == 0
    ran = bundlegate("suite", "run", file, "--", *SERVER)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_upgrade_refuses_what_is_no_suite_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    file = written(tmp_path, case("echo"), case("echo"))
    made = bundlegate("suite", "upgrade", file)
    assert (made.returncode, made.stdout) == (2, "")
    assert "DUPLICATE_CASE_ID" in made.stderr
    approved = tmp_path / "approved.json"
    document = {**json.loads(written(tmp_path, case("echo")).read_text())}
    approved.write_text(json.dumps({**document, "approval": {"fingerprint": "a" * 64}}))
    made = bundlegate("suite", "upgrade", approved)
    assert "approval" not in json.loads(made.stdout)
    assert "the approval is left out" in made.stderr


def _version_2(folder: Path, *cases: dict[str, Any]) -> Path:
    file = folder / "suite.json"
    head = {"schemaVersion": 2, "format": "bundlegate", "id": "s", "name": "S"}
    file.write_text(json.dumps(head | {"cases": list(cases)}), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("options", "ran"),
    [
        ((), ["plain", "smoke", "slow"]),
        (("--tag", "smoke"), ["smoke", "slow"]),
        (("--tag", "smoke", "--skip-tag", "slow"), ["smoke"]),
        (("--profile", "admin", "--skip-tag", "smoke"), ["plain", "admin"]),
    ],
)
def test_run_chooses_cases_and_reports_what_it_left_out(
    tmp_path: Path, options: tuple[str, ...], ran: list[str]
) -> None:
    file = _version_2(
        tmp_path,
        case("echo", name="plain"),
        case("echo", name="smoke", tags=["smoke"]),
        case("echo", name="slow", tags=["smoke", "slow"]),
        case("echo", name="admin", profiles=["admin"]),
    )
    made = bundlegate("suite", "run", file, *options, "--format", "json", "--", *SERVER)
    assert made.returncode == 0, made.stderr
    document = json.loads(made.stdout)
    assert [each["id"] for each in document["cases"]] == ran
    left_out = {each["id"] for each in document["leftOut"]}
    assert left_out == {"plain", "smoke", "slow", "admin"} - set(ran)


def test_run_refuses_to_run_nothing(tmp_path: Path) -> None:
    file = _version_2(tmp_path, case("echo", tags=["smoke"]))
    made = bundlegate("suite", "run", file, "--tag", "smok", "--format", "json", "--", *SERVER)
    assert made.returncode == 2
    error = json.loads(made.stdout)["error"]
    assert error["reason_code"] == "SUITE_NOTHING_CHOSEN"
    assert error["seen"] == [{"id": "echo", "message": "it has no tag smok"}]


_STUCK = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    name = request.get("params", {}).get("name", request["method"])
    print(name, file=sys.stderr, flush=True)
    with open(sys.argv[1], "a") as said:
        said.write(name + "\\n")
    if name == "stuck":
        continue
    result = {"supportedVersions": ["2026-07-28"], "content": [], "tools": []}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""


@pytest.mark.parametrize("options", [(), ("--determinism",)])
def test_ctrl_c_tears_down_reports_what_ended_and_exits_130(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    file, said = tmp_path / "suite.json", tmp_path / "said"
    one = {"schemaVersion": 2, "format": "bundlegate", "id": "s", "name": "S"}
    parts = {
        "setup": [case("make")],
        "cases": [case("first"), case("stuck"), case("last")],
        "teardown": [case("remove")],
    }
    file.write_text(json.dumps(one | parts), encoding="utf-8")
    junit = tmp_path / "junit.xml"
    command = [sys.executable, "-m", "bundlegate", "suite", "run", str(file), "--format", "json"]
    command += ["--junit", str(junit), *options, "--", sys.executable, "-I", "-S", "-c", _STUCK]
    running = subprocess.Popen(
        [*command, str(said)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until("a case is stuck", lambda: said.exists() and "stuck\n" in said.read_text())
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to every process of the command
    told, words = running.communicate(timeout=60)
    assert running.returncode == 130, words
    report = json.loads(told)
    assert report["stopReason"] == {
        "type": "interrupted",
        "message": "interrupted",
        "caseId": "remove",
    }
    assert {each["id"]: each["status"] for each in report["cases"]} == {
        "make": "passed",
        "first": "passed",
        "stuck": "notRun",
        "last": "notRun",
        "remove": "passed",
    }
    assert said.read_text().split()[-2:] == ["stuck", "remove"]
    assert ET.parse(junit).getroot().get("skipped") == "2"
    assert "Traceback" not in words


def test_ctrl_c_is_no_verdict_of_any_command(tmp_path: Path) -> None:
    said = tmp_path / "said"
    mute = "import sys\nfor line in sys.stdin: open(sys.argv[1], 'a').write(line)"
    command = [sys.executable, "-m", "bundlegate", "snapshot", "take", "--", sys.executable]
    running = subprocess.Popen(
        [*command, "-c", mute, str(said)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until("the server was asked", said.exists)
    os.killpg(running.pid, signal.SIGINT)
    assert running.communicate(timeout=60) == ("", "interrupted\n")
    assert running.returncode == 130


def test_a_report_is_replaced_whole_and_what_is_no_file_is_written_into(tmp_path: Path) -> None:
    file = written(tmp_path, case("echo"))
    (tmp_path / "kept").mkdir()
    kept = tmp_path / "kept" / "report.xml"
    kept.write_text("old")
    kept.chmod(0o640)
    link = tmp_path / "link.xml"
    link.symlink_to(kept)
    options = ("--junit", link, "--html", "/dev/stderr")
    with kept.open() as held:
        made = bundlegate("suite", "run", file, *options, "--", *SERVER)
        assert held.read() == "old"
    assert made.returncode == 0, made.stderr
    assert ET.fromstring(kept.read_text()).tag == "testsuite"
    assert (link.is_symlink(), kept.stat().st_mode & 0o777) == (True, 0o640)
    assert made.stderr.startswith("<!doctype html>")
    assert [entry.name for entry in kept.parent.iterdir()] == ["report.xml"]
