"""The first start of API and worker: forked from a process that has imported what both need.

Two fresh interpreters would import the same libraries twice, side by side: most of a start. A
server that is started again later gets an interpreter of its own (`bundlegate.embedded.child`), for
by then this process has a loop. Before the fork there is neither thread nor loop, and nothing of
database or broker is open; after it a server keeps no descriptor but those it is given.
"""

import ctypes
import os
import signal
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from bundlegate.embedded.server import PYTHON, Server, fresh_log, numbered
from bundlegate.embedded.swift import growing

_SHARED = ("bundlegate.embedded.first", "workers.launchers")
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Newborn:
    """A forked server: its log, and our ends of the two pipes (`READY_FD`, `GO_FD`)."""

    pid: int
    log: Path
    ready: int
    go: int


def share() -> None:
    """Import what API and worker both need, before either is forked."""
    if not sys.flags.safe_path:
        del sys.path[0]  # as -P does it for a fresh interpreter
    with growing():
        for name in _SHARED:
            import_module(name)


def fork(server: Server, folder: Path) -> Newborn | None:
    """Fork a server whose command begins with `PYTHON`.

    Returns:
        None in the new process, which is to call `bundlegate.embedded.swift.main` and end with it.

    Raises:
        OSError: the system has no room for another process.
    """
    log, supervisor = fresh_log(folder, server.name), os.getpid()
    ready, ready_theirs = os.pipe()
    go_theirs, go = os.pipe()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()  # or both would write what is left in it
    pid = os.fork()
    if pid == 0:
        _become(server, folder, log, (ready_theirs, go_theirs), supervisor)
        return None
    os.close(ready_theirs)
    os.close(go_theirs)
    return Newborn(pid, log, ready, go)


def _become(
    server: Server, folder: Path, log: Path, pipes: tuple[int, int], supervisor: int
) -> None:
    """What `bundlegate.embedded.child.start` asks of a fresh process, in this one."""
    os.setsid()
    if ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) != 0:
        sys.exit("this system cannot tie a process to its parent")
    if os.getppid() != supervisor:
        sys.exit("the parent is gone")
    null = os.open(os.devnull, os.O_RDONLY)
    lines = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    for source, number in ((null, 0), (lines, 1), (lines, 2)):
        os.dup2(source, number)
    _close_all_but({*pipes, *server.descriptors})
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(server.environment)
    sys.argv = ["swift", *numbered(server.command[len(PYTHON) :], *pipes)]


def _close_all_but(kept: set[int]) -> None:
    """Close what this process inherited; `kept` are above the three standard ones, which stay."""
    first = 3
    for number in sorted(kept):
        os.closerange(first, number)
        first = number + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))
