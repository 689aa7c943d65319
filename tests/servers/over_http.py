"""The reference server over Streamable HTTP: one process, every fault under a path of its own."""

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.servers import streams
from tests.servers.answers import DIED, Answers, Death
from tests.servers.envelope import encoded
from tests.servers.faults import FAULTS
from tests.servers.headers import foreign, received, sent

Json = dict[str, Any]

_MOST = 4 << 20


class HttpServer(ThreadingHTTPServer):
    """Keeps one `Answers` for each fault that was asked for."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, fault: str, folder: Path) -> None:
        super().__init__(("127.0.0.1", port), Requests)
        self._fault, self._folder = fault, folder
        self._answers: dict[str, Answers] = {}
        self._lock = threading.Lock()

    def answers_at(self, path: str) -> Answers | None:
        """The server behind a path, None where there is none."""
        parts = path.strip("/").split("/")
        if parts == ["mcp"]:
            fault = self._fault
        elif parts == ["modern-only", "mcp"]:
            fault = "modern-only"
        elif len(parts) == 3 and parts[0] == "faults" and parts[1] in FAULTS and parts[2] == "mcp":
            fault = parts[1]
        else:
            return None
        with self._lock:
            return self._answers.setdefault(fault, Answers(fault, self._folder))


class Requests(BaseHTTPRequestHandler):
    """One request at a time of one client."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body leave in one packet
    server: HttpServer

    def do_POST(self) -> None:
        body = self.rfile.read(min(int(self.headers.get("content-length", "0")), _MOST))
        answers = self.server.answers_at(self.path)
        if answers is None:
            self._send(404, None)
        else:
            self._answer(answers, body, received(answers.fault, self.headers.items()))

    def do_GET(self) -> None:
        answers = self.server.answers_at(self.path)
        self._send(200 if answers and answers.fault == "get-served" else 405, None)

    def do_DELETE(self) -> None:
        self._send(405, None)

    def _answer(self, answers: Answers, body: bytes, headers: Json) -> None:
        fault = answers.fault
        headers[":peer"] = self.client_address[1]
        if refused := foreign(fault, headers, self.server.server_address[1]):
            self._send(refused, None)
            return
        if fault == "session-checked" and "mcp-session-id" in headers:
            self._send(404, None)
            return
        try:
            status, answer = answers.to_bytes(body, headers)
        except Death:
            os._exit(DIED)
        reply = streams.reply(fault, body, answer)
        if reply is not None:
            self._stream(fault, reply)
            return
        self._send(status, None if answer is None else encoded(fault, answer), sent(fault, body))

    def _stream(self, fault: str, reply: streams.Reply) -> None:
        self.send_response(200)
        for name, value in streams.headers(fault).items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        frames = streams.frames(fault, [encoded(fault, one) for one in reply.messages])
        self.wfile.write(b"%x\r\n%b\r\n" % (len(frames), frames))
        if reply.ends:
            self.wfile.write(b"0\r\n\r\n")
            return
        self.wfile.flush()
        self.rfile.read(1)  # until the client goes away
        self.close_connection = True

    def _send(self, status: int, answer: bytes | None, headers: Json | None = None) -> None:
        body = answer or b""
        self.send_response(status)
        for name, value in (headers or {}).items() if body else ():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Silent: stderr belongs to what a test wants to see."""
