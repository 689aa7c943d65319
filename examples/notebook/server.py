"""A notebook as an MCP server over stdio (revision 2026-07-28), without any library.

It has what `suite.json` beside it shows: tools that make, read and remove notes; one that asks
before it removes all of them; one that fails at first; a prompt; resources and their template.
"""

import json
import sys
from typing import Any

Json = dict[str, Any]

REVISION = "2026-07-28"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
VERSION = "io.modelcontextprotocol/protocolVersion"
ABOUT: Json = {"io.modelcontextprotocol/serverInfo": {"name": "notebook", "version": "1.0.0"}}
PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, METHOD_NOT_FOUND = -32700, -32600, -32602, -32601
MISSING_CAPABILITY, UNSUPPORTED_VERSION = -32021, -32022

_ID = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
_NOTHING: Json = {"type": "object", "properties": {}, "additionalProperties": False}
_TAGS = {"type": "array", "items": {"type": "string"}}
TOOLS: list[Json] = [
    {
        "name": "write_note",
        "description": "Keeps a note and answers with its id.",
        "inputSchema": {
            "type": "object",
            "properties": {"text": {"type": "string"}, "tags": _TAGS},
            "required": ["text"],
        },
    },
    {"name": "read_note", "description": "Answers with a note.", "inputSchema": _ID},
    {"name": "remove_note", "description": "Removes a note.", "inputSchema": _ID},
    {"name": "remove_all", "description": "Removes every note.", "inputSchema": _NOTHING},
    {"name": "sync", "description": "Succeeds the second time.", "inputSchema": _NOTHING},
]
PROMPT: Json = {"name": "summarise", "arguments": [{"name": "topic", "required": True}]}
WELCOME: Json = {"uri": "note:///welcome", "name": "welcome", "mimeType": "application/json"}
TEMPLATE: Json = {"uriTemplate": "note:///{id}", "name": "note"}
QUESTION: Json = {
    "method": "elicitation/create",
    "params": {
        "mode": "form",
        "message": "Remove every note?",
        "requestedSchema": {"type": "object", "properties": {"sure": {"type": "boolean"}}},
    },
}


class Refused(Exception):
    """A JSON-RPC error to answer with."""

    def __init__(self, code: int, message: str, **data: Any) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message} | ({"data": data} if data else {})


class Notebook:
    """The notes of one process."""

    def __init__(self) -> None:
        self.notes: dict[str, Json] = {}
        self.written = 0
        self.synced = False

    def answer(self, method: str, params: Json) -> Json:
        """The result of a request.

        Raises:
            Refused: there is none.
        """
        meta = params.get("_meta", {})
        asked = meta.get(VERSION)
        if not isinstance(asked, str) or not isinstance(meta.get(CAPABILITIES), dict):
            raise Refused(INVALID_PARAMS, "_meta names no protocol version or no capabilities")
        if asked != REVISION:
            why = "unsupported protocol version"
            raise Refused(UNSUPPORTED_VERSION, why, supported=[REVISION], requested=asked)
        if method == "server/discover":
            return {
                "ttlMs": 0,
                "cacheScope": "private",
                "supportedVersions": [REVISION],
                "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
            }
        listed: dict[str, Json] = {
            "tools/list": {"tools": TOOLS},
            "prompts/list": {"prompts": [PROMPT]},
            "resources/list": {"resources": [WELCOME]},
            "resources/templates/list": {"resourceTemplates": [TEMPLATE]},
        }
        if method in listed:
            return listed[method] | {"ttlMs": 0, "cacheScope": "private"}
        if method == "prompts/get":
            return self.prompt(params)
        if method == "resources/read":
            return self.resource(params["uri"])
        if method == "tools/call":
            return self.call(params)
        raise Refused(METHOD_NOT_FOUND, f"no method {method}")

    def prompt(self, params: Json) -> Json:
        if params.get("name") != PROMPT["name"]:
            raise Refused(INVALID_PARAMS, "unknown prompt")
        said = f"Summarise what the notes say about {params['arguments']['topic']}."
        return {"messages": [{"role": "user", "content": {"type": "text", "text": said}}]}

    def resource(self, uri: str) -> Json:
        if uri == WELCOME["uri"]:
            note: Json = {"text": "welcome", "tags": []}
        else:
            note = self.notes.get(uri.removeprefix("note:///"), {})
        if not note:
            raise Refused(INVALID_PARAMS, f"no resource {uri}")
        said = json.dumps(note)
        contents = [{"uri": uri, "mimeType": "application/json", "text": said}]
        return {"contents": contents, "ttlMs": 0, "cacheScope": "private"}

    def call(self, params: Json) -> Json:
        name, given = params.get("name"), params.get("arguments", {})
        if name == "write_note":
            self.written += 1
            note_id = f"n{self.written}"
            self.notes[note_id] = {"text": given.get("text"), "tags": given.get("tags", [])}
            return said({"id": note_id, "number": self.written})
        if name in ("read_note", "remove_note"):
            note_id = str(given.get("id"))
            note = self.notes.get(note_id)
            if note is None:
                return failed(f"no note {note_id}")
            if name == "remove_note":
                del self.notes[note_id]
            return said(note)
        if name == "remove_all":
            return self.remove_all(params)
        if name == "sync":
            first, self.synced = not self.synced, True
            return failed("the other side is still starting") if first else said({"synced": True})
        raise Refused(INVALID_PARAMS, f"unknown tool {name}")

    def remove_all(self, params: Json) -> Json:
        """Ask first; the answer comes with the same call, made again."""
        given = params.get("inputResponses", {}).get("sure")
        if given is None:
            if "elicitation" not in params.get("_meta", {}).get(CAPABILITIES, {}):
                raise Refused(MISSING_CAPABILITY, "needs elicitation")
            return {
                "resultType": "input_required",
                "inputRequests": {"sure": QUESTION},
                "requestState": "remove-all",
            }
        if given.get("action") != "accept" or not given["content"]["sure"]:
            return said({"removed": 0})
        removed = len(self.notes)
        self.notes.clear()
        return said({"removed": removed})


def said(value: Json) -> Json:
    """A tool's result, as structure and as text."""
    return {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value}


def failed(text: str) -> Json:
    """A tool's own error."""
    return {"content": [{"type": "text", "text": text}], "isError": True}


def is_message(request: Any) -> bool:
    """Whether this is a request or a notification: an id is a text or a whole number."""
    if not isinstance(request, dict) or request.get("jsonrpc") != "2.0":
        return False
    number = request.get("id", 0)
    whole = isinstance(number, int | str) and not isinstance(number, bool)
    return whole and isinstance(request.get("method"), str)


def answered(notebook: Notebook, line: bytes) -> Json | None:
    """What is said to one line; None to a notification."""
    answer: Json = {"jsonrpc": "2.0", "id": None}
    try:
        request = json.loads(line)
        if not is_message(request):
            return answer | {"error": {"code": INVALID_REQUEST, "message": "no request"}}
        if "id" not in request:
            return None
        answer["id"] = request["id"]
        result = notebook.answer(request["method"], request.get("params", {}))
        answer["result"] = {"resultType": "complete", "_meta": ABOUT} | result
    except Refused as refusal:
        answer["error"] = refusal.error
    except (ValueError, RecursionError):
        answer["error"] = {"code": PARSE_ERROR, "message": "no JSON"}
    except (AttributeError, KeyError, TypeError):
        answer["error"] = {"code": INVALID_PARAMS, "message": "parameters are missing, or odd"}
    return answer


def main() -> None:
    """One message a line, until stdin ends."""
    notebook = Notebook()
    for line in sys.stdin.buffer:
        answer = answered(notebook, line)
        if answer is not None:
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
