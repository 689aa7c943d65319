"""The tools of the reference server that ask for input before they answer (2026-07-28).

What has to be remembered between a question and its answer is in `requestState` alone: signed,
bound to tool, arguments and principal, and of use for a number of calls. Calls are its clock, so
that no test has to wait.
"""

import base64
import hashlib
import hmac
import json
import threading
from typing import Any

from tests.servers import meta
from tests.servers.toolbox import ProtocolError
from tests.servers.visits import QUESTIONS

Json = dict[str, Any]

_KEY = b"every instance of the reference server knows this"
LIVES = 8
"""Calls of these tools after which a state is too old."""


class Rounds:
    """The conversations about these tools with one server."""

    def __init__(self, fault: str) -> None:
        self._fault = fault
        self._calls = 0
        self._met_a_capable_client = False
        self._lock = threading.Lock()

    def serves(self, method: str, params: Json) -> bool:
        """Whether a request is a call of one of these tools."""
        return method == "tools/call" and params.get("name") in list(QUESTIONS)

    def called(self, params: Json, headers: Json) -> Json:
        """The result of a call: a question, or the end.

        Raises:
            ProtocolError: a capability is missing, or what came back cannot be used.
        """
        with self._lock:
            self._calls += 1
        self._need_elicitation(params["_meta"])
        if "requestState" in params:
            self._verify(params, headers)
            responses = params.get("inputResponses", {})
            if self._has_answer(params["name"], responses):
                return self._finished(params["name"])
        return self._question(params, headers)

    def _need_elicitation(self, given: Json) -> None:
        if "elicitation" in given.get(meta.CAPABILITIES, {}):
            self._met_a_capable_client = True
            return
        if self._fault == "capabilities-remembered" and self._met_a_capable_client:
            return
        if self._fault == "missing-capability-unnamed":
            raise ProtocolError(-32602, "this client cannot be asked")
        if self._fault != "asks-without-capability":
            needed = {"requiredCapabilities": {"elicitation": {}}}
            raise ProtocolError(-32021, "elicitation is needed", needed)

    def _question(self, params: Json, headers: Json) -> Json:
        key, message, name, kind = QUESTIONS[params["name"]]
        schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
        form = {"mode": "form", "message": message, "requestedSchema": schema}
        asked: Json = {
            "resultType": "input_required",
            "inputRequests": {key: {"method": "elicitation/create", "params": form}},
            "requestState": self._seal(self._bound(params, headers)),
        }
        if self._fault == "asks-for-nothing":
            return {"resultType": "input_required"}
        if self._fault == "asks-in-unknown-way":
            asked["inputRequests"][key]["method"] = "notes/create"
        if self._fault == "question-cacheable":
            asked["ttlMs"] = 60_000
        return asked

    def _bound(self, params: Json, headers: Json) -> Json:
        """What a state is good for."""
        asked = json.dumps([params["name"], params.get("arguments")], sort_keys=True)
        bound = {"asked": hashlib.sha256(asked.encode()).hexdigest()[:16], "made": self._calls}
        bound["whose"] = hashlib.sha256(headers.get("authorization", "").encode()).hexdigest()[:16]
        if self._fault == "retry-tied-to-connection":
            bound["peer"] = headers.get(":peer")
        return bound

    def _verify(self, params: Json, headers: Json) -> None:
        wanted = self._bound(params, headers)
        stated = self._unsealed(str(params["requestState"]))
        unchecked = {"state-replayable": "asked", "state-of-anyone": "whose"}.get(self._fault)
        made = stated.pop("made", 0)
        if self._fault != "state-everlasting" and wanted.pop("made") - made > LIVES:
            raise ProtocolError(-32602, "the request state is too old")
        for name in stated.keys() - {unchecked}:
            if stated[name] != wanted.get(name):
                raise ProtocolError(-32602, "the request state is not for this")

    def _seal(self, bound: Json) -> str:
        payload = base64.urlsafe_b64encode(json.dumps(bound).encode()).decode()
        return f"{payload}.{_signature(payload)}"

    def _unsealed(self, state: str) -> Json:
        payload, _, signature = state.partition(".")
        if hmac.compare_digest(signature.encode(), _signature(payload).encode()):
            return dict(json.loads(base64.urlsafe_b64decode(payload)))
        if self._fault == "state-unsigned":
            return {"made": self._calls}
        code = -32603 if self._fault == "state-refused-as-internal" else -32602
        raise ProtocolError(code, "the request state is not from here")

    def _has_answer(self, name: str, responses: Any) -> bool:
        key = QUESTIONS[name][0]
        if not isinstance(responses, dict):
            raise ProtocolError(-32602, "inputResponses is an object")
        if self._fault == "unasked-answer-refused" and responses.keys() - {key}:
            raise ProtocolError(-32602, "nobody asked for that")
        if key not in responses:
            if self._fault == "missing-answer-refused":
                raise ProtocolError(-32602, "the answer is missing")
            return False
        if not isinstance(responses[key], dict) and self._fault != "malformed-answer-taken":
            raise ProtocolError(-32602, "an answer is an object")
        return True

    def _finished(self, name: str) -> Json:
        if self._fault == "retry-refused":
            raise ProtocolError(-32603, "cannot go on")
        text = {"type": "text", "text": f"{name}: done"}
        return {"content": [text], "resultType": "complete"}


def _signature(payload: str) -> str:
    return hmac.new(_KEY, payload.encode(), hashlib.sha256).hexdigest()
