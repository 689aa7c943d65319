"""What a forked server is: as clean as a fresh interpreter, and tied to the one that forked it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.fixtures.processes import gone, until

SERVER = """
import json, os, signal, sys
from pathlib import Path

def main():
    print("on stdout", flush=True)
    print("on stderr", file=sys.stderr)
    seen = {
        "pid": os.getpid(),
        "leads": os.getsid(0) == os.getpid(),
        "name": Path("/proc/self/comm").read_text().strip(),
        "folder": os.getcwd(),
        "environment": dict(os.environ),
        "arguments": sys.argv[1:],
        "descriptors": sorted(int(each) for each in os.listdir("/proc/self/fd")),
        "input": os.readlink("/proc/self/fd/0"),
    }
    os.write(int(sys.argv[1]), json.dumps(seen).encode() + b"\\n")
    if sys.argv[3] == "stays":
        signal.pause()
    return 7
"""

STORY = """
import os, sys
from pathlib import Path
from bundlegate.embedded import forking, swift
from bundlegate.embedded.server import GO_FD, PYTHON, READY_FD, Server

folder, kept, ending = Path(sys.argv[1]), os.open("/dev/null", os.O_RDONLY), sys.argv[2]
others = [os.open("/dev/null", os.O_RDONLY) for _ in range(5)]
forking.share()
server = Server(
    "one",
    (*PYTHON, "one", "served", READY_FD, GO_FD, ending, str(kept)),
    environment={"LANG": "C"},
    descriptors=(kept,),
)
print("said once", end="")
born = forking.fork(server, folder)
if born is None:
    raise SystemExit(swift.main())
with os.fdopen(born.ready) as ready:
    print(ready.readline(), flush=True)
if ending == "stays":
    os.kill(os.getpid(), 9)
print(os.waitstatus_to_exitcode(os.waitpid(born.pid, 0)[1]))
"""


def _play(tmp_path: Path, ending: str) -> tuple[int, dict[str, Any], list[str]]:
    """Exit code of the one that forks, what its server saw, and what followed on stdout."""
    (tmp_path / "served.py").write_text(SERVER)
    done = subprocess.run(
        [sys.executable, "-c", STORY, str(tmp_path), ending],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        text=True,
        check=False,
    )
    first, *rest = done.stdout.removeprefix("said once").splitlines()
    seen: dict[str, Any] = json.loads(first)
    return done.returncode, seen, [line for line in rest if line]


def test_a_forked_server_has_only_what_it_was_given(tmp_path: Path) -> None:
    code, seen, rest = _play(tmp_path, "ends")
    assert (code, rest) == (0, ["7"])
    ready, go, _, kept = seen["arguments"]
    listing = 1  # the descriptor that lists them
    assert {0, 1, 2, int(ready), int(go), int(kept)} < set(seen["descriptors"])
    assert len(seen["descriptors"]) == 6 + listing
    assert seen["environment"] == {"LANG": "C"}
    assert (seen["folder"], seen["input"]) == (str(tmp_path), os.devnull)
    assert (seen["leads"], seen["name"]) == (True, "bg-one")
    assert (tmp_path / "log" / "one.log").read_text() == "on stdout\non stderr\n"


def test_a_forked_server_dies_with_the_one_that_forked_it(tmp_path: Path) -> None:
    code, seen, _ = _play(tmp_path, "stays")
    assert code == -signal.SIGKILL
    until("the server is gone", lambda: gone(seen["pid"]))
