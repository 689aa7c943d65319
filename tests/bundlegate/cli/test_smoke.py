"""`bundlegate smoke` on real servers: kinds, exit codes, reports."""

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from bundlegate.cli import cli

SERVER = ("--", sys.executable, "-B", "-m", "tests.servers.reference")
LISTING = """
import json, sys
tools = json.loads(sys.argv[1])
for line in sys.stdin:
    request = json.loads(line)
    cache = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    found = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, **cache}
    if request["method"] == "tools/list":
        found = {"tools": tools, **cache}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": found}), flush=True)
"""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["smoke", *map(str, arguments)])


def told(answer: Result) -> tuple[str, str, int]:
    document = json.loads(answer.stdout)
    return document["kind"], document["verdict"], answer.exit_code


def verdict_of(answer: Result, check_id: str) -> str:
    entries = {entry["id"]: entry for entry in json.loads(answer.stdout)["checks"]}
    verdict: str = entries[check_id]["verdict"]
    return verdict


@pytest.fixture
def call(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "city.json").write_text('{"city": "Oslo"}')
    return "--safe-call", f"get_forecast={tmp_path / 'city.json'}"


@pytest.fixture
def locked() -> Iterator[str]:
    class Locked(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(401)
            self.send_header("WWW-Authenticate", "Bearer")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Locked) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
        server.shutdown()


def test_a_server_that_works_exits_0_and_every_entry_is_whole(call: tuple[str, str]) -> None:
    made = run("--tool", "save_alert", *call, "--format", "json", *SERVER)
    document = json.loads(made.stdout)
    assert told(made) == ("ok", "PASS", 0)
    assert list(document) == ["kind", "revision", "verdict", "checks"]
    assert document["revision"] == "2026-07-28"
    assert all(
        set(check) == {"id", "verdict", "reason_code", "message"} for check in document["checks"]
    )


def test_a_tool_that_is_not_listed_exits_1_in_every_format(tmp_path: Path) -> None:
    junit, sarif = tmp_path / "r.xml", tmp_path / "r.sarif"
    wanted = ("--tool", "no_such", "--junit", junit, "--sarif", sarif)
    made = run(*wanted, "--format", "json", *SERVER)
    assert told(made) == ("tool_not_found", "FAIL", 1)
    assert len(list(ET.parse(junit).iter("failure"))) == 1
    results = json.loads(sarif.read_text())["runs"][0]["results"]
    rules = {found["ruleId"] for found in results if found.get("kind", "fail") == "fail"}
    assert rules == {"smoke.tools-listed"}
    text = run("--tool", "no_such", *SERVER)
    assert (text.exit_code, "SMOKE_TOOL_MISSING" in text.stdout) == (1, True)


@pytest.mark.parametrize(
    ("properties", "told_"),
    [
        ({"a": True}, ("schema_unportable", "FAIL", 1)),
        ({"a": {"type": ["string", "null"]}}, ("ok", "PASS", 0)),
        ({"a": {"type": "text"}}, ("error", "FAIL", 1)),
    ],
)
def test_a_schema_that_clients_refuse_exits_1(
    properties: object, told_: tuple[str, str, int]
) -> None:
    tool = {"name": "t", "inputSchema": {"type": "object", "properties": properties}}
    made = run("--format", "json", "--", sys.executable, "-c", LISTING, json.dumps([tool]))
    assert told(made) == told_


def test_a_call_the_tool_refuses_exits_1(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}")
    made = run("--safe-call", f"get_forecast={tmp_path / 'bad.json'}", "--format", "json", *SERVER)
    assert told(made) == ("tool_is_error", "FAIL", 1)


def test_a_tool_named_without_arguments_is_called_with_derived_ones(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{"city": 5}')
    served = run("--safe-call", "get_forecast", "--format", "json", *SERVER)
    assert told(served) == ("ok", "PASS", 0)
    assert verdict_of(served, "smoke.calls-work") == "PASS"
    # beside arguments that were named nothing is derived
    named = f"get_forecast={tmp_path / 'bad.json'}"
    both = run("--safe-call", "get_forecast", "--safe-call", named, "--format", "json", *SERVER)
    assert told(both) == ("tool_is_error", "FAIL", 1)


def test_a_tool_no_arguments_can_be_derived_for_is_no_yes() -> None:
    schema = {"type": "object", "properties": {"a": {"not": {}}}, "required": ["a"]}
    tools = json.dumps([{"name": "closed", "inputSchema": schema}])
    server = ("--", sys.executable, "-c", LISTING, tools)
    made = run("--safe-call", "closed", "--format", "json", *server)
    assert verdict_of(made, "smoke.calls-work") == "INCONCLUSIVE"
    assert made.exit_code == 3


def test_nobody_there_exits_4_and_nobody_let_in_5(locked: str) -> None:
    away = run("--url", "http://127.0.0.1:9/mcp", "--format", "json")
    assert told(away) == ("unreachable", "INCONCLUSIVE", 4)
    shut = run("--url", locked, "--format", "json")
    assert told(shut) == ("auth_required", "INCONCLUSIVE", 5)
    assert "--header-env" in shut.stderr


def test_other_commands_say_too_that_a_server_lets_nobody_in(locked: str) -> None:
    made = CliRunner().invoke(cli, ["snapshot", "take", "--url", locked, "--format", "json"])
    refusal = json.loads(made.stdout)["error"]
    assert (refusal["reason_code"], made.exit_code) == ("MCP_AUTHORIZATION_REQUIRED", 5)


def test_no_server_named_is_usage() -> None:
    made = run("--format", "json")
    assert made.exit_code == 2
    assert json.loads(made.stdout)["error"]["reason_code"] == "TARGET_NOT_NAMED"
