"""A stdio MCP server that writes down every tool that is called, in the file named by CALLED.

TOOLS, where it is set, are the tools to list instead of its own.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

NAMED = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
TOOLS = [
    {"name": "read", "inputSchema": NAMED, "annotations": {"readOnlyHint": True}},
    {"name": "erase", "inputSchema": NAMED},
    {"name": "careless", "inputSchema": NAMED},
    {"name": "odd", "inputSchema": {"type": "object", "allOf": [{"type": "object"}]}},
]


if "TOOLS" in os.environ:
    TOOLS = json.loads(os.environ["TOOLS"])


def called(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    with Path(os.environ["CALLED"]).open("a") as sink:
        sink.write(name + "\n")
    refused = name != "careless" and not isinstance(arguments.get("name"), str)
    return {"content": [{"type": "text", "text": name}], "isError": refused}


def result(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "server/discover":
        return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
    if method == "tools/list":
        return {"tools": TOOLS}
    return called(params["name"], params["arguments"])


for line in sys.stdin:
    request = json.loads(line)
    answer = result(request["method"], request.get("params", {}))
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": answer}), flush=True)
