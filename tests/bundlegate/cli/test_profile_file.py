"""Profiles at a terminal: conditions from a file, credentials by reference, no contradiction."""

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bundlegate.cli import cli
from bundlegate.cli.profile_file import read_profile
from bundles.errors import Refused

SERVER = ("--", sys.executable, "-B", "-m", "tests.servers.reference")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [*map(str, arguments)])


def refusal(answer: Result) -> str:
    assert answer.exit_code == 2, answer.output
    code: str = json.loads(answer.stdout)["error"]["reason_code"]
    return code


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    file = tmp_path / "profile.yaml"
    file.write_text(
        """
name: tenant-b
revision: "2025-11-25"
transport: stdio
tenant_class: b
safe_calls:
  get_forecast: [{city: Oslo}]
"""
    )
    return file


class Heard:
    """What a server heard, which answers nobody."""

    def __init__(self) -> None:
        self.headers: list[str | None] = []
        heard = self

        class Locked(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                heard.headers.append(self.headers["Authorization"])
                self.send_response(401)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args: object) -> None:
                """Silent."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Locked)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/mcp"


@pytest.fixture
def heard() -> Iterator[Heard]:
    made = Heard()
    with made.server as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield made
        server.shutdown()


def test_the_conditions_of_a_profile_are_those_of_the_check(profile: Path) -> None:
    made = run("smoke", "--profile", profile, "--format", "json", *SERVER)
    document = json.loads(made.stdout)
    assert (document["revision"], document["verdict"], made.exit_code) == ("2025-11-25", "PASS", 0)
    steps = {check["id"]: check["verdict"] for check in document["checks"]}
    assert steps["smoke.calls-work"] == "PASS"


HEARD = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    cache = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    found = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, **cache}
    if request["method"] == "tools/list":
        print(json.dumps(request), file=open(sys.argv[1], "a"))
        found = {"tools": [], **cache}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": found}), flush=True)
"""


@pytest.mark.parametrize("command", [("smoke",), ("snapshot", "take"), ("conformance",)])
def test_the_client_of_a_profile_is_introduced_in_every_request(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    file, heard = tmp_path / "p.yaml", tmp_path / "heard.jsonl"
    file.write_text("client: {name: desktop, capabilities: {elicitation: {}}}")
    run(*command, "--profile", file, "--", sys.executable, "-c", HEARD, heard)
    asked = [json.loads(line)["params"]["_meta"] for line in heard.read_text().splitlines()]
    told = {
        (
            meta["io.modelcontextprotocol/clientInfo"]["name"],
            *meta["io.modelcontextprotocol/clientCapabilities"],
        )
        for meta in asked
        if "io.modelcontextprotocol/clientInfo" in meta
    }
    assert told == {("desktop", "elicitation")}


def test_a_snapshot_says_under_which_profile_it_was_taken(profile: Path) -> None:
    taken = json.loads(
        run("snapshot", "take", "--profile", profile, "--format", "json", *SERVER).stdout
    )
    assert (taken["profile"], taken["revision"]) == ("tenant-b", "2025-11-25")


@pytest.mark.parametrize("reference", ["env:TENANT_B", "file:{}/token"])
def test_a_credential_goes_out_and_its_value_is_nowhere_else(
    tmp_path: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch, reference: str
) -> None:
    monkeypatch.setenv("TENANT_B", "Bearer hush-hush-1")
    (tmp_path / "token").write_text("Bearer hush-hush-1\n")
    file = tmp_path / "p.yaml"
    headers = {"Authorization": reference.format(tmp_path)}
    file.write_text(json.dumps({"authorization": {"headers": headers}}))
    made = run("smoke", "--profile", file, "--url", heard.url, "--format", "json")
    assert set(heard.headers) == {"Bearer hush-hush-1"}
    assert made.exit_code == 5
    assert "hush" not in made.output


def test_an_option_that_says_something_else_is_refused(profile: Path, tmp_path: Path) -> None:
    other = ("smoke", "--profile", profile, "--format", "json")
    assert refusal(run(*other, "--revision", "2026-07-28", *SERVER)) == "PROFILE_CONTRADICTED"
    assert refusal(run(*other, "--url", "http://127.0.0.1:9/")) == "PROFILE_CONTRADICTED"
    keyed = tmp_path / "keyed.yaml"
    keyed.write_text("authorization: {headers: {X-Key: 'env:KEY'}}")
    keys = ("smoke", "--profile", keyed, "--format", "json")
    named = ("--url", "http://127.0.0.1:9/", "--header-env", "x-key=KEY")
    assert refusal(run(*keys, *named)) == "PROFILE_CONTRADICTED"
    assert refusal(run(*keys, *SERVER)) == "PROFILE_CONTRADICTED"


def test_a_credential_that_is_not_there_is_said(tmp_path: Path) -> None:
    keyed = tmp_path / "keyed.yaml"
    keyed.write_text("authorization: {headers: {X-Key: 'env:NO_SUCH_KEY'}}")
    made = run("smoke", "--profile", keyed, "--url", "http://127.0.0.1:9/", "--format", "json")
    error = json.loads(made.stdout)["error"]
    assert (error["reason_code"], made.exit_code) == ("CREDENTIAL_UNAVAILABLE", 4)


@pytest.mark.parametrize(
    ("content", "pointer"),
    [
        ("name: ''", "/name"),
        ("revision: 2024-11-05", "/revision"),
        ("transport: sse", "/transport"),
        ("tenant: b", ""),
        ("[]", ""),
        ("safe_calls: {echo: {}}", "/safe_calls/echo"),
        ("client: {capabilities: {roots: true}}", "/client/capabilities/roots"),
        (
            "authorization: {headers: {Authorization: Bearer hush}}",
            "/authorization/headers/Authorization",
        ),
    ],
)
def test_what_no_profile_has_is_refused_and_never_shown(
    tmp_path: Path, content: str, pointer: str
) -> None:
    file = tmp_path / "p.yaml"
    file.write_text(content)
    with pytest.raises(Refused) as refused:
        read_profile(file)
    assert (refused.value.reason_code, refused.value.pointer) == ("PROFILE_FILE_INVALID", pointer)
    assert "hush" not in str(refused.value.to_dict())


def test_a_profile_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="PROFILE_FILE_INVALID"):
        read_profile(tmp_path / "none.yaml")
