"""Opening a conversation with a server whose revision nobody has named."""

import asyncio
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from bundles.errors import Unauthorised, Unreachable
from workers.budget import Budget
from workers.egress import EgressRules
from workers.endpoints import HttpEndpoint, StdioEndpoint
from workers.probes.opening import MCP_AUTHORIZATION_REQUIRED, open_conversation

_SERVER = """
import json, os, sys
kind, log = sys.argv[1:]
asked = []
for line in sys.stdin:
    request = json.loads(line)
    method = request["method"]
    with open(log, "a") as out:
        print(os.getpid(), method, file=out)
    if "id" not in request:
        continue
    reply = {"jsonrpc": "2.0", "id": request["id"]}
    refused = {"code": -32601, "message": "unknown method"}
    if method == "server/discover" and kind == "modern":
        reply["result"] = {"supportedVersions": ["2026-07-28"], "capabilities": {}}
    elif method == "initialize" and kind == "settled" and not asked:
        reply["result"] = {"protocolVersion": "2025-11-25", "capabilities": {}}
    elif method == "initialize" and kind == "legacy":
        reply["result"] = {"protocolVersion": "2025-11-25", "capabilities": {}}
    elif method == "ping":
        reply["result"] = {}
    else:
        reply["error"] = refused
    asked.append(method)
    print(json.dumps(reply), flush=True)
"""


def opened(kind: str, log: Path) -> tuple[str, list[str]]:
    """The revision that was agreed on, and what each process was asked, a line a process."""

    async def run() -> str:
        command = (sys.executable, "-I", "-S", "-c", _SERVER, kind, str(log))
        async with open_conversation(StdioEndpoint(command), Budget()) as conversation:
            answer = await conversation.call("x", "ping" if kind != "modern" else "x")
            assert answer.failure is None
            return conversation.terms.revision

    revision = asyncio.run(run())
    processes: dict[str, list[str]] = {}
    for line in log.read_text().splitlines():
        process, method = line.split()
        processes.setdefault(process, []).append(method)
    return revision, [" ".join(methods) for methods in processes.values()]


_HANDSHAKE = "initialize notifications/initialized ping"


@pytest.mark.parametrize(
    ("kind", "revision", "processes"),
    [
        ("modern", "2026-07-28", ["server/discover x"]),
        ("legacy", "2025-11-25", [f"server/discover {_HANDSHAKE}"]),
        ("settled", "2025-11-25", ["server/discover initialize", _HANDSHAKE]),
    ],
)
def test_a_server_is_started_again_only_where_the_first_request_settled_it(
    kind: str, revision: str, processes: list[str], tmp_path: Path
) -> None:
    assert opened(kind, tmp_path / "log") == (revision, processes)


def test_a_server_of_no_revision_is_refused_with_what_each_attempt_met(tmp_path: Path) -> None:
    with pytest.raises(Unreachable) as refused:
        opened("none", tmp_path / "log")
    assert refused.value.reason_code == "MCP_CONNECTION_FAILED"
    assert json.dumps(refused.value.to_dict()).count("-32601") == 2


def test_a_server_that_ends_at_once_is_told_by_what_it_wrote_to_stderr() -> None:
    said = "'hush-hush-hush\\n' * 30 + 'No module\\x1b named x\\n'"
    script = f"import sys; sys.stderr.write({said}); sys.exit(1)"

    async def run() -> None:
        endpoint = StdioEndpoint((sys.executable, "-I", "-S", "-c", script))
        async with open_conversation(endpoint, Budget(), credentials=["hush-hush-hush"]):
            pass

    with pytest.raises(Unreachable) as refused:
        asyncio.run(run())
    lines = refused.value.seen["stderr"]
    assert (len(lines), lines[-1]) == (20, "No module\x1b named x")
    assert "hush-hush-hush" not in json.dumps(lines)
    assert r"· No module\u001b named x" in refused.value.__notes__[0]


@pytest.mark.parametrize(
    ("status", "step"),
    [
        (404, "correct the path of the URL"),
        (405, "correct the path of the URL"),
        (429, "run again later"),
        (500, "check that the server runs"),
    ],
)
def test_a_url_that_serves_no_mcp_is_told_by_its_http_status(status: int, step: str) -> None:
    with pytest.raises(Unreachable) as refused:
        open_at_one_that_answers(status)
    assert f"HTTP {status}" in refused.value.detail
    assert step in refused.value.next_steps[0]


@pytest.mark.parametrize("status", [401, 403])
def test_a_url_that_lets_nobody_in_asks_for_credentials(status: int) -> None:
    with pytest.raises(Unauthorised, match=f"HTTP {status}") as refused:
        open_at_one_that_answers(status)
    assert refused.value.reason_code == MCP_AUTHORIZATION_REQUIRED


def open_at_one_that_answers(status: int) -> None:
    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(status)
            self.send_header("content-type", "text/plain")
            self.end_headers()
            self.wfile.write(b"Not MCP")

        def log_message(self, *_: object) -> None: ...

    async def run(url: str) -> None:
        endpoint = HttpEndpoint(url, EgressRules(allow=("127.0.0.1",)))
        async with open_conversation(endpoint, Budget()):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            asyncio.run(run(f"http://127.0.0.1:{server.server_port}/mcp"))
        finally:
            server.shutdown()
