"""The small process between a worker and a candidate: it starts one, and leaves none behind.

Run by path in an isolated interpreter (`python -I -S keeper.py FD REPORT`), so it imports nothing
but the standard library. Its orders come over stdin, never over arguments or its own environment,
which other users of the machine could read: four bytes of length, then JSON {"argv", "env", "cwd",
"limits", "uid", "gid", "parent"}. What becomes of the start goes to descriptor FD: nothing (it
closes when the candidate runs), or the words of the failure. To descriptor REPORT goes, where the
candidate ended without being asked to, how many processes it left running, in digits.

What it guarantees, whoever dies first:

- the candidate leads a session and process group of its own, with the resource limits given, no
  signal blocked or ignored, and no descriptor but 0, 1 and 2;
- when the worker dies, even by SIGKILL, the keeper gets SIGTERM from the kernel and kills all;
- when the keeper dies, the candidate gets SIGKILL from the kernel (set after the uid drop, which
  clears it);
- when the candidate ends, everything it forked is killed, also what left its group: the keeper is
  the subreaper, so orphans become its children;
- SIGUSR1 asks the candidate's group to end (SIGTERM), SIGTERM kills it.

Exits with the candidate's exit code, 128 + n when signal n ended it, 127 when it did not start.
"""

import contextlib
import ctypes
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_WATCHED = {signal.SIGTERM, signal.SIGUSR1, signal.SIGCHLD}
_MIB = 1 << 20
# what ends with the candidate ends about as soon as it: a wrapper's child, a pool's worker
_LEFT_GRACE_S = 0.5

_libc = ctypes.CDLL(None, use_errno=True)


def main() -> int:
    """Take orders, start the candidate, wait, leave nothing behind."""
    started = int(sys.argv[1])
    report = int(sys.argv[2])
    for descriptor in (started, report):
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - positional only
    signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    orders = json.loads(_read_exactly(int.from_bytes(_read_exactly(4), "big")))
    if os.getppid() != orders["parent"]:
        return 127
    candidate = os.fork()
    if candidate == 0:
        _become_candidate(orders, started)
    os.close(started)
    _let_go_of_pipes()
    code, asked = _wait(candidate)
    if not asked:
        with contextlib.suppress(OSError):  # nobody reads it any more
            os.write(report, str(_left_running()).encode())
    with contextlib.suppress(ProcessLookupError):
        os.killpg(candidate, signal.SIGKILL)
    _end_descendants()
    return code


def _become_candidate(orders: dict[str, Any], started: int) -> None:
    try:
        keeper = os.getppid()
        os.setsid()
        os.chdir(orders["cwd"])
        _set_limits(orders["limits"], os.getuid() if orders["uid"] is None else orders["uid"])
        if orders["gid"] is not None:
            os.setgroups([])
            os.setgid(orders["gid"])
        if orders["uid"] is not None:
            os.setuid(orders["uid"])
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != keeper:
            os._exit(127)
        # what Python ignores (SIGPIPE, SIGXFSZ), and what whoever started the worker did (nohup)
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.execvpe(orders["argv"][0], orders["argv"], orders["env"])  # noqa: S606 - the purpose
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or str(error)
        os.write(started, words.encode("utf-8", "backslashreplace"))
    finally:
        os._exit(127)


def _set_limits(limits: dict[str, int], uid: int) -> None:
    """Lower each limit; a hard limit that is lower already stands.

    Memory is bounded by private writable pages (RLIMIT_DATA), not by address space, of which V8, Go
    and Java reserve many times what they use.
    """
    wanted = {
        resource.RLIMIT_DATA: limits["memory_mib"] * _MIB,
        resource.RLIMIT_CPU: limits["cpu_seconds"],
        resource.RLIMIT_NOFILE: limits["open_files"],
        resource.RLIMIT_NPROC: limits["processes"] + _threads_of(uid),
        resource.RLIMIT_FSIZE: limits["file_size_mib"] * _MIB,
        resource.RLIMIT_CORE: 0,
    }
    for kind, value in wanted.items():
        _, hard = resource.getrlimit(kind)
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (bound, bound))


def _threads_of(uid: int) -> int:
    """Threads a user has now: the kernel counts those of the whole machine against the limit."""
    count = 0
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and process.stat().st_uid == uid:
                count += (process / "task").stat().st_nlink - 2
    return count


def _wait(candidate: int) -> tuple[int, bool]:
    """Wait until the candidate ended; its exit code, and whether it was asked to end."""
    asked = False
    while True:
        arrived = signal.sigwait(_WATCHED)
        asked = asked or arrived != signal.SIGCHLD
        if arrived == signal.SIGUSR1:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(candidate, signal.SIGTERM)
        elif arrived == signal.SIGTERM:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(candidate, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.kill(candidate, signal.SIGKILL)  # it may not have made its group yet
        while True:
            try:
                pid, ending = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return 127, asked
            if pid == candidate:
                code = os.waitstatus_to_exitcode(ending)
                return (code if code >= 0 else 128 - code), asked
            if pid == 0:
                break


def _left_running() -> int:
    """Processes that are still there a moment after the candidate ended; none waits for nothing."""
    until = time.monotonic() + _LEFT_GRACE_S
    while True:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return 0
        left_s = until - time.monotonic()
        if not ended:
            arrived = signal.sigtimedwait(_WATCHED, left_s) if left_s > 0 else None
            if arrived is None or arrived.si_signo != signal.SIGCHLD:
                return len(_children())


def _end_descendants() -> None:
    """Kill until no child is left; killing one hands its children to us, so this goes down."""
    while True:
        for child in _children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    own = str(os.getpid()).encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            # "pid (name) state ppid …"; the name may hold spaces and parentheses
            fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
            if fields[1] == own:
                found.append(int(entry.name))
    return found


def _let_go_of_pipes() -> None:
    """Only the candidate may hold the pipes, or nobody would see it close them."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, value, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _read_exactly(size: int) -> bytes:
    chunks = []
    while size:
        chunk = os.read(0, size)
        if not chunk:
            raise SystemExit(127)
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


if __name__ == "__main__":
    sys.exit(main())
