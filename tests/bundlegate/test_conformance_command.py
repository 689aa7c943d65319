"""`bundlegate conformance` on real servers: the document, the reports, the exit codes."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
SERVER = (sys.executable, "-B", "-m", "tests.servers.reference")
MEMBERS = {"id", "verdict", "reason_code", "message"}


def conformance(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bundlegate", "conformance", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with subprocess.Popen(
        [*SERVER, "--transport", "http"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.terminate()


@pytest.fixture
def safe(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "city.json").write_text('{"city": "Oslo"}')
    (tmp_path / "ids.json").write_text('[{"id": "storm"}, {"id": "frost"}]')
    return (
        "--safe-call",
        f"get_forecast={tmp_path / 'city.json'}",
        "--safe-call",
        f"save_alert={tmp_path / 'ids.json'}",
    )


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_a_healthy_server_passes_and_every_check_is_in_the_document(
    url: str, safe: tuple[str, ...], revision: str
) -> None:
    made = conformance("--url", f"{url}/mcp", "--revision", revision, "--format", "json", *safe)
    assert made.returncode == 0, made.stdout + made.stderr
    document = json.loads(made.stdout)
    assert list(document) == ["revision", "verdict", "checks"]
    assert (document["revision"], document["verdict"]) == (revision, "PASS")
    assert all(set(check) == MEMBERS for check in document["checks"])
    ids = [check["id"] for check in document["checks"]]
    assert ids == sorted(set(ids))
    assert not [name for name in ids if name.startswith(("mcp.suite.", "mcp.snapshot."))]
    verdicts = {check["verdict"] for check in document["checks"]}
    assert verdicts == {"PASS", "NOT_APPLICABLE", "NOT_RUN"}
    # claims nobody can watch from here are shown, and decide nothing
    not_run = [check["id"] for check in document["checks"] if check["verdict"] == "NOT_RUN"]
    watched = ("mcp.annotations.", "mcp.calls.refused-call-does-nothing")
    assert all(name.startswith(watched) for name in not_run)
    assert "allowed: 127.0.0.1:" in made.stderr


def test_a_broken_server_fails_with_its_reason_in_every_format(
    url: str, safe: tuple[str, ...], tmp_path: Path
) -> None:
    target = ("--url", f"{url}/faults/output-renamed/mcp", *safe)
    junit, sarif = tmp_path / "report.xml", tmp_path / "report.sarif"
    made = conformance(*target, "--format", "json", "--junit", junit, "--sarif", sarif)
    assert made.returncode == 1, made.stdout + made.stderr
    failed = [c for c in json.loads(made.stdout)["checks"] if c["verdict"] == "FAIL"]
    assert [c["reason_code"] for c in failed] == ["STRUCTURED_CONTENT_MISMATCH"]
    assert len(list(ElementTree.parse(junit).iter("failure"))) == 1
    results = json.loads(sarif.read_text())["runs"][0]["results"]
    assert "mcp.calls.structured-content-valid" in {result["ruleId"] for result in results}
    text = conformance(*target)
    assert (text.returncode, "STRUCTURED_CONTENT_MISMATCH" in text.stdout) == (1, True)
    assert "verdict: FAIL" in text.stdout


def test_a_command_is_checked_over_stdio() -> None:
    made = conformance("--format", "json", "--", *SERVER, "--fault", "stdout-noise")
    failed = {c["reason_code"] for c in json.loads(made.stdout)["checks"] if c["verdict"] == "FAIL"}
    assert (failed, made.returncode) == ({"STDOUT_NOISE"}, 1)


def test_without_a_revision_a_legacy_server_is_judged_by_its_own(url: str) -> None:
    made = conformance("--url", f"{url}/faults/discover-refused/mcp", "--format", "json")
    document = json.loads(made.stdout)
    assert (document["revision"], document["verdict"], made.returncode) == ("2025-11-25", "PASS", 0)


def test_asked_for_a_revision_a_legacy_server_fails_it(url: str) -> None:
    target = f"{url}/faults/discover-refused/mcp"
    made = conformance("--url", target, "--revision", "2026-07-28", "--format", "json")
    failed = {c["reason_code"] for c in json.loads(made.stdout)["checks"] if c["verdict"] == "FAIL"}
    assert (failed, made.returncode) == ({"DISCOVERY_NOT_IMPLEMENTED"}, 1)


def test_a_warning_fails_where_it_is_told_to(url: str) -> None:
    target = ("--url", f"{url}/faults/unknown-tool-as-result/mcp", "--format", "json")
    lenient, strict = conformance(*target), conformance(*target, "--fail-on", "warn")
    assert [made.returncode for made in (lenient, strict)] == [0, 1]
    assert json.loads(lenient.stdout) == json.loads(strict.stdout), "only the exit code differs"


def test_the_report_names_the_profile_it_was_made_under(url: str, tmp_path: Path) -> None:
    file, page = tmp_path / "profile.yaml", tmp_path / "report.html"
    file.write_text('{name: tenant-b, revision: "2025-11-25", transport: http}')
    made = conformance("--url", f"{url}/mcp", "--profile", file, "--html", page)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "profile: tenant-b" in made.stdout
    assert "tenant-b" in page.read_text()


@pytest.mark.parametrize(
    "target", [("--url", "http://127.0.0.1:9/mcp"), ("--", sys.executable, "-c", "pass")]
)
def test_a_server_that_gives_no_answer_passes_nothing_and_exits_4(target: tuple[str, ...]) -> None:
    made = conformance("--format", "json", *target)
    document = json.loads(made.stdout)
    assert (document["verdict"], made.returncode) == ("INCONCLUSIVE", 4)
    assert {c["verdict"] for c in document["checks"]} <= {"INCONCLUSIVE", "NOT_APPLICABLE"}


def test_a_server_that_lets_nobody_in_without_credentials_exits_5() -> None:
    class Closed(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(401)
            self.send_header("www-authenticate", "Bearer")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Closed) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        made = conformance("--url", f"http://127.0.0.1:{server.server_port}/mcp")
        server.shutdown()
    assert made.returncode == 5, made.stdout + made.stderr
    assert "the server let nobody in" in made.stdout
    assert "--header-env" in made.stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], "TARGET_NOT_NAMED"),
        (["--url", "ftp://x.example/"], "EGRESS_URL_INVALID"),
        (["--url", "http://x.example/", "--safe-call", "tool="], "SAFE_CALL_INVALID"),
        (["--url", "http://x.example/", "--safe-call", "tool=/no/file"], "SAFE_CALL_INVALID"),
        (["--url", "http://x.example/", "--safe-call", f"tool={__file__}"], "JSON_SYNTAX"),
        (["--url", "http://x.example/", "--header-env", "A=NOT_SET"], "VARIABLE_NOT_SET"),
    ],
)
def test_wrong_usage_is_refused_before_anything_is_sent(arguments: list[str], code: str) -> None:
    made = conformance("--format", "json", *arguments)
    assert made.returncode == 2, made.stdout + made.stderr
    error = json.loads(made.stdout)["error"]
    assert error["reason_code"] == code
    assert error["next_steps"]


def test_arguments_that_are_no_object_are_refused(tmp_path: Path) -> None:
    (tmp_path / "args.json").write_text('["Oslo"]')
    options = ("--url", "http://x.example/", "--safe-call", f"t={tmp_path / 'args.json'}")
    made = conformance("--format", "json", *options)
    assert json.loads(made.stdout)["error"]["reason_code"] == "SAFE_CALL_INVALID"


def test_a_command_that_ends_at_once_is_told_once_with_its_last_words(tmp_path: Path) -> None:
    answer = conformance("--", sys.executable, "-c", "raise SystemExit('no such port')")
    assert answer.returncode == 4
    assert answer.stdout.count("it ended with exit code 1; start it by hand") == 1
    assert "its stderr ends with: no such port" in answer.stderr
    absent = conformance("--", tmp_path / "absent")
    assert absent.returncode == 4
    assert f"CANDIDATE_NOT_STARTED: {tmp_path / 'absent'}: No such file" in absent.stdout
    assert "check that the command exists on the PATH" in absent.stdout
