"""The reference server over stdio, watched: `python watched_server.py LOG`.

Each request is a line of LOG, {"pid", "method", "tool"}. A call of the tool `silent` is never
answered, and one of `die` ends the process.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from tests.servers.answers import Answers


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Path(sys.argv[1]).open("a") as log:
        answers = Answers("", Path(folder))
        for line in sys.stdin.buffer:
            message = json.loads(line)
            tool = (message.get("params") or {}).get("name", "")
            told = {"pid": os.getpid(), "method": message.get("method"), "tool": tool}
            log.write(json.dumps(told) + "\n")
            log.flush()
            if tool == "die":
                sys.exit("the tool killed me")
            if tool == "silent":
                continue
            _, answer = answers.to_bytes(line)
            if answer is not None:
                sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
                sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
