"""The reference server as it is deployed: protected, or in two instances; `python -m …deployments`.

One process, whose port is printed to stdout. Every fault of `DEPLOYED` has paths of its own, and
"none" is the healthy deployment: `/guarded/<fault>/mcp`, and `/two/<fault>/first/mcp` with its
other instance at `/two/<fault>/second/mcp`.
"""

import json
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from io import BufferedIOBase, BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from tests.servers.answers import Answers
from tests.servers.faults import Fault
from tests.servers.guard import WELL_KNOWN, Guard, Refusal
from tests.servers.over_http import HttpServer, Requests

Json = dict[str, Any]
_Change = Callable[[bytes], bytes | None]
_Seen = Callable[[bytes, Json | None], Json | None]

_HTTP = ("http",)
_MODERN = ("2026-07-28",)
_LEGACY = ("2025-11-25",)
_SECOND = "second-"
"""How the cursors of the second instance begin where it takes no others."""

DEPLOYED = MappingProxyType(
    {
        "missing-token-served": Fault("mcp.auth.missing-token-refused", _HTTP),
        "invalid-token-served": Fault("mcp.auth.invalid-token-refused", _HTTP),
        "invalid-token-forbidden": Fault("mcp.auth.invalid-token-refused", _HTTP),
        "expired-token-served": Fault("mcp.auth.expired-token-refused", _HTTP),
        "other-audience-served": Fault("mcp.auth.other-audience-refused", _HTTP),
        "other-issuer-served": Fault("mcp.auth.other-issuer-refused", _HTTP),
        "token-in-url-served": Fault("mcp.auth.token-in-url-refused", _HTTP),
        "basic-token-served": Fault("mcp.auth.basic-token-refused", _HTTP),
        "session-as-credential": Fault("mcp.auth.session-not-authentication", _HTTP, _LEGACY),
        "challenge-missing": Fault("mcp.auth.challenge-sent", _HTTP),
        "challenge-without-scope": Fault("mcp.auth.challenge-names-scope", _HTTP),
        "offline-access-asked": Fault("mcp.auth.offline-access-not-asked", _HTTP),
        "metadata-missing": Fault("mcp.auth.metadata-published", _HTTP),
        "metadata-of-another": Fault("mcp.auth.metadata-names-resource", _HTTP),
        "metadata-without-issuer": Fault("mcp.auth.metadata-names-issuer", _HTTP),
        "narrow-scope-served": Fault("mcp.auth.narrow-scope-refused", _HTTP),
        "narrow-scope-unexplained": Fault("mcp.auth.narrow-scope-challenged", _HTTP),
        "cursor-crosses-principals": Fault("mcp.auth.cursor-is-no-permission", _HTTP),
        "session-crosses-principals": Fault("mcp.auth.session-bound-to-principal", _HTTP, _LEGACY),
        "denied-call-served": Fault("mcp.auth.denied-calls-refused", _HTTP),
        "differing-list-public": Fault("mcp.cache.differing-list-private", _HTTP, _MODERN),
        "instance-declares-more": Fault("mcp.instances.discovery-equal", _HTTP, _MODERN),
        "instance-lists-other": Fault("mcp.instances.tools-equal", _HTTP),
        "instance-forgets-cursors": Fault("mcp.instances.cursor-portable", _HTTP, _MODERN),
        "instance-forgets-questions": Fault("mcp.mrtr.retry-on-any-instance", _HTTP, _MODERN),
    }
)
"""Every fault of a deployment, and the one check that must catch it."""


def is_guarded(fault: str) -> bool:
    """Whether a fault is one of a protected deployment, and not of one with two instances."""
    return not fault.startswith("instance-")


class _Instance:
    """The second of two instances, with at most one fault."""

    def __init__(self, fault: str) -> None:
        self._fault = fault

    def asked(self, body: bytes) -> bytes:
        """The request as the server behind sees it."""
        try:
            message = json.loads(body)
            if self._fault == "instance-forgets-questions" and "requestState" in message["params"]:
                message["params"]["requestState"] = "of another instance"
                return json.dumps(message).encode()
            cursor = message["params"]["cursor"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return body
        if self._fault == "instance-forgets-cursors":
            own = cursor.startswith(_SECOND)
            message["params"]["cursor"] = cursor.removeprefix(_SECOND) if own else "unknown"
        return json.dumps(message).encode()

    def answered(self, body: bytes, answer: Json | None) -> Json | None:
        """The answer as this instance gives it."""
        del body
        result = answer.get("result") if answer is not None else None
        if not isinstance(result, dict):
            return answer
        if self._fault == "instance-declares-more" and "supportedVersions" in result:
            result["capabilities"]["completions"] = {}
        for tool in result.get("tools", ()):
            if self._fault == "instance-lists-other" and tool["name"] == "get_forecast":
                tool["description"] = "The forecast of another version."
        if self._fault == "instance-forgets-cursors" and "nextCursor" in result:
            result["nextCursor"] = _SECOND + result["nextCursor"]
        return answer


class _Behind(Answers):
    """The healthy server, its requests and answers changed on the way."""

    def __init__(self, behind: Answers, asked: _Change, answered: _Seen) -> None:
        super().__init__(behind.fault, behind.folder)
        self._behind, self._asked, self._answered = behind, asked, answered

    def to_bytes(self, body: bytes, headers: Json | None = None) -> tuple[int, Any]:
        asked = self._asked(body)
        if asked is None:
            gone = {"code": -32602, "message": "unknown tool"}
            refused = {"jsonrpc": "2.0", "id": json.loads(body)["id"], "error": gone}
            return (400 if headers and "mcp-method" in headers else 200), refused
        status, answer = self._behind.to_bytes(asked, headers)
        return status, self._answered(body, answer)


class _Server(HttpServer):
    def __init__(self, folder: Path) -> None:
        super().__init__(0, "", folder)
        self.RequestHandlerClass = _Deployed
        self._guards: dict[str, Guard] = {}

    def guard(self, path: str) -> Guard | None:
        """The guard of a path, None where there is none."""
        match path.strip("/").split("/"):
            case ["guarded", fault, "mcp"] if fault == "none" or fault in DEPLOYED:
                url = f"http://127.0.0.1:{self.server_address[1]}{path}"
                with self._lock:
                    return self._guards.setdefault(fault, Guard(fault, url))
        return None

    def answers_at(self, path: str) -> Answers | None:
        """The server behind a path as its guard has let somebody in, or as an instance."""
        with self._lock:
            behind = self._answers.setdefault(path.partition("#")[0], Answers("", self._folder))
        where, _, principal = path.partition("#")
        guard = self.guard(where)
        if guard is not None:
            return _Behind(
                behind, partial(guard.asked, principal), partial(guard.answered, principal)
            )
        match where.strip("/").split("/"):
            case ["two", fault, which, "mcp"]:
                instance = _Instance(fault if which == "second" else "")
                return _Behind(behind, instance.asked, instance.answered)
        return None


class _Replayed(BufferedIOBase):
    """What was read already, and then the connection."""

    def __init__(self, body: bytes, connection: BufferedIOBase) -> None:
        self._body, self._connection = BytesIO(body), connection

    def read(self, size: int | None = -1, /) -> bytes:
        return self._body.read(size) or self._connection.read(size)


class _Deployed(Requests):
    server: _Server

    def do_POST(self) -> None:
        self._added: Mapping[str, str] = {}
        where = urlsplit(self.path).path
        guard = self.server.guard(where)
        if guard is None:
            super().do_POST()
            return
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        judged = guard.judge(self.path, headers, body)
        self._added = judged.headers
        if isinstance(judged, Refusal):
            self._send(judged.status, None)
            return
        self.path = f"{where}#{judged.principal}"
        connection, self.rfile = self.rfile, _Replayed(body, self.rfile)
        super().do_POST()
        self.rfile = connection

    def do_GET(self) -> None:
        self._added = {}
        path = urlsplit(self.path).path
        guard = self.server.guard(path.removeprefix(WELL_KNOWN))
        document = guard.metadata(path) if guard and path.startswith(WELL_KNOWN) else None
        if document is not None:
            self._send(200, json.dumps(document).encode())
        elif path.startswith(WELL_KNOWN):
            self._send(404, None)
        else:
            super().do_GET()

    def do_DELETE(self) -> None:
        self._added = {}
        super().do_DELETE()

    def end_headers(self) -> None:
        for name, value in self._added.items():
            self.send_header(name, value)
        super().end_headers()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = _Server(Path(folder))
        print(server.server_address[1], flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
