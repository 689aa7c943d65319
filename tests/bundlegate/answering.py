"""A stdio MCP server of revision 2026-07-28 whose tools are named for what they do."""

import json
import os
import sys
from typing import Any


def result(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "server/discover":
        return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
    if method == "tools/list":
        return {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
    text = json.dumps(params.get("arguments"))
    if params["name"] == "deep":
        text = "[" * 20_000 + "1" + "]" * 20_000
    return {"content": [{"type": "text", "text": text}], "isError": params["name"] == "error"}


for line in sys.stdin:
    request = json.loads(line)
    name = request.get("params", {}).get("name")
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
    if name == "die":
        os._exit(3)
    if name == "hang":
        continue
    if name == "refuse":
        reply["error"] = {"code": -32603, "message": "refused"}
    else:
        reply["result"] = result(request["method"], request.get("params", {}))
    print(json.dumps(reply), flush=True)
