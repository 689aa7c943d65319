"""A stdio MCP server that remembers: `python remembering.py FOLDER`, revision 2026-07-28.

It writes each of its starts to FOLDER/starts, and keeps a count in FOLDER/count.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(sys.argv[1])
with (FOLDER / "starts").open("a") as file:
    file.write(f"{os.getpid()}\n")
STARTS = len((FOLDER / "starts").read_text().splitlines())

CITY: dict[str, Any] = {
    "name": "city",
    "inputSchema": {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    },
}
OTHERS = [
    {"name": name, "inputSchema": {"type": "object", "oneOf": [{}]}}
    for name in ("count", "process", "once")
]


def count() -> int:
    kept = FOLDER / "count"
    number = int(kept.read_text()) + 1 if kept.exists() else 1
    kept.write_text(str(number))
    return number


def called(name: str, given: dict[str, Any]) -> dict[str, Any]:
    if name == "once" and STARTS > 1:
        os._exit(3)
    if name == "city" and not isinstance(given.get("name"), str):
        text = "MCP error -32602: name is a text"
        return {"content": [{"type": "text", "text": text}], "isError": True}
    said = {"count": count, "process": os.getpid}.get(name, lambda: "ok")()
    return {"content": [{"type": "text", "text": json.dumps({"said": said})}]}


for line in sys.stdin:
    request = json.loads(line)
    method, params = request["method"], request.get("params", {})
    results: dict[str, Any] = {
        "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
        "tools/list": {"tools": [CITY, *OTHERS]},
    }
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
    if method == "tools/list" and (FOLDER / "mute").exists():
        continue
    if method == "tools/list" and (FOLDER / "unlisted").exists():
        reply["error"] = {"code": -32601, "message": "no such method"}
    elif method == "tools/call":
        reply["result"] = called(params["name"], params.get("arguments", {}))
    else:
        reply["result"] = results[method]
    print(json.dumps(reply), flush=True)
