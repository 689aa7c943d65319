"""What the reference server takes for a JSON-RPC message, and the bytes it answers with."""

import json
from typing import Any

Json = dict[str, Any]


def problem(fault: str, message: Any) -> str:
    """Why a parsed body is no message for a server, "" when it is one."""
    if not isinstance(message, dict):
        return "not one JSON-RPC 2.0 message"
    if message.get("jsonrpc") != "2.0" and fault != "jsonrpc-unchecked":
        return "not JSON-RPC 2.0"
    if "method" not in message and fault != "response-accepted":
        return "a server takes requests and notifications"
    if "params" in message and not isinstance(message["params"], dict):
        return "" if fault == "params-unchecked" else "params is an object"
    return _id_problem(fault, message["id"]) if "id" in message else ""


def _id_problem(fault: str, request_id: Any) -> str:
    if request_id is None:
        allowed = fault in {"null-id-served", "null-id-ignored"}
    elif isinstance(request_id, float):
        allowed = fault == "fractional-id-served"
    else:
        allowed = isinstance(request_id, int | str) and not isinstance(request_id, bool)
    return "" if allowed else "an id is a text or a whole number"


def has_unread_params(fault: str, message: Json) -> bool:
    """True where the fault serves a request whose params nobody could read."""
    return fault == "params-unchecked" and isinstance(message.get("params"), list)


def is_request(fault: str, message: Json) -> bool:
    """True for what gets an answer."""
    if fault == "null-id-ignored" and message.get("id") is None:
        return False
    return "id" in message and "method" in message


def taken_note(fault: str, message: Json) -> tuple[int, Json | None]:
    """HTTP status and body for what gets no answer."""
    if fault == "notification-answered" and "method" in message:
        return 200, {"jsonrpc": "2.0", "id": None, "result": {}}
    return 202, None


def echoed(fault: str, request_id: Any) -> Any:
    """The id an answer carries."""
    if fault == "large-id-stringified" and isinstance(request_id, int) and request_id > 1 << 32:
        return str(request_id)
    digits = isinstance(request_id, str) and request_id.isdecimal()
    return int(request_id) if fault == "id-converted" and digits else request_id


def encoded(fault: str, answer: Any) -> bytes:
    """The bytes of an answer: UTF-8, unless they are the fault."""
    if isinstance(answer, bytes):
        return answer
    text = json.dumps(answer, ensure_ascii=False)
    if fault == "answer-in-code-page":
        return text.encode("cp1252", "replace")
    if fault == "answer-with-half-character":
        text = text.replace("\N{PARTY POPPER}", "\\ud83c")
    return text.encode()
