"""The protocol of the reference server: one message in, one answer out, in both revisions.

Written from the specification and kept apart from `bundles`, so that harness and server do not
share their mistakes.
"""

import json
import re
import threading
from pathlib import Path
from typing import Any

from tests.servers import declared, envelope, lists, meta, offers, toolbox
from tests.servers import headers as http
from tests.servers.rounds import Rounds
from tests.servers.toolbox import Death, ProtocolError

Json = dict[str, Any]

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
DIED = 70
"""Exit code of a server that its fault ended."""

_STATUS = {-32601: 404}


class Answers:
    """One server with at most one fault. `folder` is where its tools write."""

    def __init__(self, fault: str, folder: Path, walks: Path | None = None) -> None:
        self.fault = fault
        self.folder = folder
        self._walks = walks
        self._begun = 0
        self._visits = 0
        self._called_before = False
        self._stuck = False
        self._lock = threading.Lock()
        self._rounds = Rounds(fault)

    def to_bytes(self, body: bytes, headers: Json | None = None) -> tuple[int, Any]:
        """HTTP status and answer (None: no answer is owed).

        Args:
            body: one message as received.
            headers: lower-case HTTP headers, and ":peer" for who is connected; None on stdio.

        Raises:
            Death: the fault ends the server here.
        """
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            return self._malformed()
        if isinstance(message, list) and self.fault == "batch-served":
            return 200, [self._request(one, headers)[1] for one in message]
        if isinstance(message, list) and self.fault == "dies-of-batch":
            raise Death
        if problem := envelope.problem(self.fault, message):
            return 400, _error(None, -32600, problem)
        if not envelope.is_request(self.fault, message):
            return envelope.taken_note(self.fault, message)
        return self._request(message, headers)

    def _malformed(self) -> tuple[int, Json | None]:
        if self.fault == "dies-of-malformed":
            raise Death
        if self.fault == "malformed-served":
            return 200, {"jsonrpc": "2.0", "id": None, "result": {}}
        return 400, _error(None, -32700, "not JSON")

    def _request(self, message: Json, headers: Json | None) -> tuple[int, Any]:
        given = message.get("params")
        params = given if isinstance(given, dict) else {}
        try:
            modern = self._negotiate(message, params, headers)
            if modern and self._rounds.serves(message["method"], params):
                result = self._rounds.called(params, headers or {})
            else:
                result = self._result(message["method"], params, modern=modern)
            if modern:
                result = meta.signed(self.fault, message["method"], result)
        except ProtocolError as error:
            modern = self._is_modern(message, headers)
            if modern and self.fault == "unknown-method-in-html" and message["id"] == "u1":
                return 500, b"<html><h1>Internal Server Error</h1></html>"
            status = _STATUS.get(error.code, 400) if modern else 200
            return status, self._failed(message, error)
        request_id = envelope.echoed(self.fault, message["id"])
        return 200, {"jsonrpc": "2.0", "id": request_id, "result": result}

    def _failed(self, message: Json, error: ProtocolError) -> Json:
        answer = _error(message["id"], error.code, error.message, error.data)
        if self.fault == "both-result-and-error" and message["method"] == "no/such":
            answer["result"] = {}
        return answer

    def _is_modern(self, message: Json, headers: Json | None) -> bool:
        if self.fault in http.ONE_ERA:
            return True
        params = message.get("params")
        given = params.get("_meta") if isinstance(params, dict) else None
        if isinstance(given, dict) and meta.VERSION in given:
            return True
        header = (headers or {}).get("mcp-protocol-version")
        return message["method"] == "server/discover" or header not in {None, LEGACY}

    def _negotiate(self, message: Json, params: Json, headers: Json | None) -> bool:
        """True for a modern request. In the order: _meta, headers, version."""
        if self._stuck:
            raise ProtocolError(-32603, "out of order")
        if not self._is_modern(message, headers):
            if problem := meta.foreign(self.fault, params.get("_meta")):
                raise ProtocolError(-32602, problem)
            return False
        if envelope.has_unread_params(self.fault, message):
            return True
        given = params.get("_meta")
        if problem := meta.problem(self.fault, given):
            raise ProtocolError(-32602, problem)
        version = given.get(meta.VERSION) if isinstance(given, dict) else None
        if version is None:
            return True  # a fault lets it pass
        if headers is not None and (
            problem := http.problem(self.fault, message, params, version, headers)
        ):
            raise ProtocolError(http.HEADER_MISMATCH, problem)
        if version != MODERN and self.fault != "unknown-version-served":
            named = declared.named_in_refusal(self.fault)
            versions = {"supported": named, "requested": version}
            code = -32004 if self.fault == "version-refused-by-old-code" else -32022
            raise ProtocolError(code, "unsupported protocol version", versions)
        called = headers if message["method"] == "tools/call" else None
        if called is not None and (problem := http.parameter_problem(self.fault, params, called)):
            raise ProtocolError(http.HEADER_MISMATCH, problem)
        return True

    def _result(self, method: str, params: Json, *, modern: bool) -> Json:
        if method == "server/discover" and modern and self.fault != "discover-refused":
            return self._discovered()
        if method == "initialize" and not modern:
            return self._initialized(params)
        if method == "tools/list":
            page = self._page(params, modern=modern)
            hinted = {**page, **lists.hints(self.fault, last="nextCursor" not in page)}
            return hinted if modern else self._legacy_page(page)
        if method == "tools/call":
            return self._called(params, modern=modern)
        answer = offers.answer(self.fault, method, params, modern=modern)
        if answer is None:
            answer = declared.other(self.fault, method, modern=modern)
        if answer is not None:
            return answer
        if self.fault == "dies-of-unknown-method" and method == "no/such":
            raise Death
        wrong = self.fault == "unknown-method-as-invalid-params"
        raise ProtocolError(-32602 if wrong else -32601, "unknown method")

    def _discovered(self) -> Json:
        self._visits += 1
        return declared.discovered(self.fault, self._visits)

    def _initialized(self, params: Json) -> Json:
        wanted = params.get("protocolVersion")
        agreed = wanted if self.fault == "unknown-version-served" else LEGACY
        result = {
            "protocolVersion": agreed,
            "capabilities": declared.capabilities(self.fault),
            "serverInfo": meta.INFO,
        }
        if self.fault == "discover-misshapen":
            del result["serverInfo"]
        return result

    def _page(self, params: Json, *, modern: bool) -> Json:
        """One tool a page; a cursor is "<walk>-<number of the next tool>"."""
        walk, at = self._place(params)
        if modern and self.fault == "discover-first" and not self._visits:
            raise ProtocolError(-32600, "discover comes first")
        tools = toolbox.listed(self.fault, walk)
        if self.fault == "list-grows-with-calls" and self._called_before:
            tools.append(toolbox.EXTRA)
        page: Json = {"tools": tools[at : at + 1]}
        if at + 1 < len(tools):
            page["nextCursor"] = f"{walk}-{at + 1}"
        return lists.spoilt(self.fault, page, walk, at)

    def _place(self, params: Json) -> tuple[int, int]:
        if lists.begins(self.fault, params):
            return self._begin_walk(), 0
        found = re.fullmatch(r"(\d{1,9})-(\d{1,3})", str(params["cursor"]))
        if found is None and self.fault == "foreign-cursor-served":
            return self._begin_walk(), 0
        if found is None:
            raise ProtocolError(-32602, "unknown cursor")
        return int(found[1]), int(found[2])

    def _legacy_page(self, page: Json) -> Json:
        if self.fault == "newer-members-sent":
            return {**page, "ttlMs": 0}
        return page

    def _begin_walk(self) -> int:
        """The number of a new walk, counted over all processes that share `walks`."""
        with self._lock:
            if self._walks is None:
                self._begun += 1
                return self._begun
            with self._walks.open("ab") as counter:
                counter.write(b".")
            return self._walks.stat().st_size

    def _called(self, params: Json, *, modern: bool) -> Json:
        arguments = params.get("arguments", {})
        if not isinstance(arguments, dict):
            arguments = self._unreadable(arguments)
        if not isinstance(params.get("name"), str):
            raise ProtocolError(-32602, "a call names a tool")
        self._called_before = True
        result = toolbox.call(self.fault, params.get("name"), arguments, self.folder)
        return {**result, "resultType": "complete"} if modern else result

    def _unreadable(self, arguments: object) -> Json:
        """What arguments that are no object are taken for, which only a fault does."""
        self._stuck = self.fault == "stuck-after-text" and isinstance(arguments, str)
        if self.fault == "odd-arguments-served":
            return {"city": "Oslo"}
        raise ProtocolError(-32602, "arguments are an object")


def _error(request_id: Any, code: int, message: str, data: Json | None = None) -> Json:
    error: Json = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}
