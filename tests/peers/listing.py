"""A stdio server of 2026-07-28 that lists the tools of a file: `python listing.py TOOLS.json`.

Run by path: standard library only.
"""

import json
import sys
from pathlib import Path
from typing import Any

_COMPLETE = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def main() -> None:
    tools = json.loads(Path(sys.argv[1]).read_text())
    known: dict[str, dict[str, Any]] = {
        "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
        "tools/list": {"tools": tools},
    }
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        if (result := known.get(request["method"])) is None:
            answer["error"] = {"code": -32601, "message": "no such method"}
        else:
            answer["result"] = result | _COMPLETE
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
