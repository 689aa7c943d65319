"""The reference MCP server as a process: `python -m tests.servers.reference`.

Over stdio it serves one client. Over HTTP it serves the fault of its command line at `/mcp`, and
every fault at `/faults/<fault>/mcp`, each with a state of its own; the port is printed to stdout.
"""

import argparse
import json
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.servers.answers import Answers, Death
from tests.servers.faults import FAULTS

_MOST = 4 << 20


def over_stdio(answers: Answers) -> None:
    """One message a line, until stdin ends."""
    if answers.fault == "stdout-noise":
        print("reference server ready", flush=True)
    for line in sys.stdin.buffer:
        try:
            _, answer = answers.to_bytes(line)
        except Death:
            sys.exit(70)
        if answer is not None:
            sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
            sys.stdout.buffer.flush()


class HttpServer(ThreadingHTTPServer):
    """Keeps one `Answers` for each fault that was asked for."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, fault: str, folder: Path) -> None:
        super().__init__(("127.0.0.1", port), _Requests)
        self._fault, self._folder = fault, folder
        self._answers: dict[str, Answers] = {}
        self._lock = threading.Lock()

    def answers_at(self, path: str) -> Answers | None:
        """The server behind a path, None where there is none."""
        parts = path.strip("/").split("/")
        if parts == ["mcp"]:
            fault = self._fault
        elif len(parts) == 3 and parts[0] == "faults" and parts[1] in FAULTS and parts[2] == "mcp":
            fault = parts[1]
        else:
            return None
        with self._lock:
            return self._answers.setdefault(fault, Answers(fault, self._folder))


class _Requests(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HttpServer

    def do_POST(self) -> None:
        body = self.rfile.read(min(int(self.headers.get("content-length", "0")), _MOST))
        answers = self.server.answers_at(self.path)
        if answers is None:
            self._send(404, None)
        elif answers.dead:
            self.close_connection = True
        elif self._is_foreign() and answers.fault != "foreign-origin-served":
            self._send(403, None)
        else:
            self._answer(answers, body)

    def do_GET(self) -> None:
        self._send(405, None)

    def do_DELETE(self) -> None:
        self._send(405, None)

    def _answer(self, answers: Answers, body: bytes) -> None:
        try:
            status, answer = answers.to_bytes(body, {k.lower(): v for k, v in self.headers.items()})
        except Death:
            # The process serves other faults too: this one is dead from here on.
            answers.dead = True
            self.close_connection = True
            return
        self._send(status, answer)

    def _is_foreign(self) -> bool:
        origin = self.headers.get("origin")
        port = self.server.server_address[1]
        return origin not in {None, f"http://127.0.0.1:{port}", f"http://localhost:{port}"}

    def _send(self, status: int, answer: Any) -> None:
        body = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        if body:
            self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Silent: stderr belongs to what a test wants to see."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fault", choices=["", *FAULTS], default="")
    parser.add_argument("--transport", choices=["stdio", "http"], default="stdio")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="where tools write; a temporary one if absent")
    parser.add_argument("--walks", type=Path, help="file that counts list walks over processes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        if options.transport == "stdio":
            over_stdio(Answers(options.fault, folder, options.walks))
            return
        server = HttpServer(options.port, options.fault, folder)
        print(server.server_address[1], flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
