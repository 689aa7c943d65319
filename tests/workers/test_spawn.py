"""Candidates are started as told and leave nothing behind, whoever dies first."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bundles.errors import Unreachable
from tests.fixtures.processes import gone, until
from workers import spawn
from workers.endpoints import ProcessLimits, StdioEndpoint
from workers.spawn import STDERR_KEPT, Candidate, Parting, start

# signals 32 and 33, which no program can set through it: some machines start everything with one
# of them ignored
THE_C_LIBRARYS_OWN = 0b11 << 31
HOSTILE = Path(__file__).parents[1] / "servers" / "hostile_stdio.py"
LAUNCH = """
import asyncio, sys
from pathlib import Path
from workers.endpoints import StdioEndpoint
from workers.spawn import start

async def main():
    candidate = await start(StdioEndpoint(tuple(sys.argv[1:]), {"PATH": "/usr/bin:/bin"}))
    print("started", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def short_graces(monkeypatch: pytest.MonkeyPatch) -> None:
    """The candidates here that ignore politeness ignore it however long it lasts."""
    monkeypatch.setattr(spawn, "_EOF_GRACE_S", 0.5)
    monkeypatch.setattr(spawn, "_TERM_GRACE_S", 0.2)


def command(*behaviour: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", str(HOSTILE), *behaviour)


async def run_out(endpoint: StdioEndpoint) -> tuple[bytes, Candidate]:
    """Start, read stdout to its end, stop."""
    candidate = await start(endpoint)
    try:
        return await candidate.stdout.read(), candidate
    finally:
        await candidate.stop()


def test_a_candidate_gets_its_environment_and_nothing_else() -> None:
    env = {"PATH": "/usr/bin:/bin", "TOKEN": "a b\n=é", "EMPTY": ""}
    out, candidate = asyncio.run(run_out(StdioEndpoint(("env", "-0"), env)))
    assert sorted(out.decode().strip("\0").split("\0")) == sorted(
        f"{k}={v}" for k, v in env.items()
    )
    assert candidate.exit_code == 0


def test_a_candidate_holds_no_descriptor_but_its_three_pipes(tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as leak:
        os.set_inheritable(leak.fileno(), True)
        out, _ = asyncio.run(run_out(StdioEndpoint(("ls", "-1", "/proc/self/fd"), cwd=tmp_path)))
    # the fourth is the folder that `ls` itself has open
    assert out.split() == [b"0", b"1", b"2", b"3"]


@pytest.fixture
def under_nohup() -> Iterator[None]:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("under_nohup")
def test_a_candidate_leads_its_session_with_limits_and_default_signals(tmp_path: Path) -> None:
    limits = ProcessLimits(open_files=77, cpu_seconds=66, file_size_mib=1, memory_mib=512)
    script = "ulimit -n; ulimit -t; ulimit -f; ulimit -c; ulimit -d; ps -o pid=,sid=,pgid= -p $$; "
    script += "grep -E '^Sig(Blk|Ign)' /proc/self/status; pwd"
    endpoint = StdioEndpoint(("bash", "-c", script), cwd=tmp_path, limits=limits)
    out, _ = asyncio.run(run_out(endpoint))
    files, cpu, size, core, memory, ids, blocked, ignored, cwd = out.decode().splitlines()
    assert (files, cpu, size, core, memory) == ("77", "66", "1024", "0", str(512 << 10))
    assert len(set(ids.split())) == 1
    assert int(blocked.split()[1], 16) == int(ignored.split()[1], 16) & ~THE_C_LIBRARYS_OWN == 0
    assert cwd == str(tmp_path)


def test_a_candidate_runs_as_the_user_it_is_given_or_not_at_all() -> None:
    endpoint = StdioEndpoint(("id",), uid=65534, gid=65534)
    if os.getuid() != 0:
        with pytest.raises(Unreachable, match="not permitted"):
            asyncio.run(run_out(endpoint))
        return
    out, _ = asyncio.run(run_out(endpoint))
    assert out.startswith(b"uid=65534")
    assert b"groups=65534" in out
    assert b"(root)" not in out


@pytest.mark.parametrize(
    ("argv", "cwd"), [(("no-such-command",), "/"), (("true",), "/no/such/folder")]
)
def test_a_command_that_cannot_start_is_unreachable_with_the_reason(
    argv: tuple[str, ...], cwd: str
) -> None:
    with pytest.raises(Unreachable) as caught:
        asyncio.run(start(StdioEndpoint(argv, cwd=Path(cwd))))
    assert caught.value.reason_code == "CANDIDATE_NOT_STARTED"
    assert "No such file" in caught.value.detail


def test_a_polite_candidate_ends_by_itself_at_the_end_of_stdin() -> None:
    async def scene() -> int | None:
        candidate = await start(StdioEndpoint(command("good")))
        await candidate.stop()
        return candidate.exit_code

    assert asyncio.run(scene()) == 0


ENDED = os.WEXITED | os.WNOWAIT


def test_the_exit_code_is_not_lost_to_a_signal_that_comes_too_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = threading.Event()
    waitpid = os.waitpid

    def slowly(pid: int, options: int) -> tuple[int, int]:
        ended.wait(10)
        return waitpid(pid, options)

    async def scene() -> int | None:
        monkeypatch.setattr(os, "waitpid", slowly)
        candidate = await start(StdioEndpoint(("sh", "-c", "read line; exit 7")))
        candidate.stdin.write(b"\n")
        # the loop stands still, or some versions of asyncio would be told now
        os.waitid(os.P_PID, candidate._process.pid, ENDED)  # noqa: ASYNC222 - see above
        candidate._signal(signal.SIGTERM)  # nobody has been told yet that it ended
        ended.set()
        await candidate.stop()
        return candidate.exit_code

    assert asyncio.run(scene()) == 7


def test_stop_leaves_nobody_even_of_those_who_left_the_group(tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    async def scene() -> int | None:
        candidate = await start(
            StdioEndpoint(command("stays-on-eof", str(pids)), {"PATH": "/usr/bin:/bin"})
        )
        await asyncio.to_thread(until, "three processes", lambda: pids.exists() and _pids(pids))
        await candidate.stop()
        return candidate.exit_code

    assert asyncio.run(scene()) == 128 + signal.SIGKILL
    assert all(gone(pid) for pid in _pids(pids))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_nobody_outlives_a_killed_worker(tmp_path: Path, how: signal.Signals) -> None:
    pids = tmp_path / "pids"
    worker = subprocess.Popen(
        [sys.executable, "-c", LAUNCH, *command("stays-on-eof", str(pids))],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
    )
    try:
        until("three processes", lambda: pids.exists() and _pids(pids))
    finally:
        worker.send_signal(how)
        worker.communicate(timeout=120)
    for pid in _pids(pids):
        until(f"{pid} is gone", lambda pid=pid: gone(pid))


def test_the_candidate_dies_with_its_keeper(tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    async def scene() -> None:
        candidate = await start(
            StdioEndpoint(command("stays-on-eof", str(pids)), {"PATH": "/usr/bin:/bin"})
        )
        await asyncio.to_thread(until, "three processes", lambda: pids.exists() and _pids(pids))
        leader, *children = _pids(pids)
        os.kill(_parent(leader), signal.SIGKILL)
        await asyncio.to_thread(until, "the candidate is gone", lambda: gone(leader))
        for child in children:
            # nobody is left who could have known of them; the test cleans up
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        await candidate.stop()

    asyncio.run(scene())


def test_stop_ends_a_candidate_also_when_it_is_cancelled(tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    async def scene() -> None:
        candidate = await start(
            StdioEndpoint(command("stays-on-eof", str(pids)), {"PATH": "/usr/bin:/bin"})
        )
        await asyncio.to_thread(until, "three processes", lambda: pids.exists() and _pids(pids))
        stopping = asyncio.create_task(candidate.stop())
        await asyncio.sleep(0)
        stopping.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await stopping

    asyncio.run(scene())
    assert all(gone(pid) for pid in _pids(pids))


def test_only_the_tail_of_stderr_is_kept() -> None:
    script = "head -c 5000000 /dev/zero | tr '\\0' x >&2; printf end >&2"
    endpoint = StdioEndpoint(("sh", "-c", script), {"PATH": "/usr/bin:/bin"})
    _, candidate = asyncio.run(run_out(endpoint))
    tail = candidate.stderr_tail()
    assert len(tail) == STDERR_KEPT
    assert tail.endswith(b"xend")


def test_no_descriptor_of_ours_is_left_open() -> None:
    def descriptors() -> set[str]:
        return {entry.name for entry in Path("/proc/self/fd").iterdir()}

    async def scene() -> tuple[set[str], set[str]]:
        await run_out(StdioEndpoint(("true",)))
        before = descriptors()
        for _ in range(3):
            await run_out(StdioEndpoint(("true",)))
            with contextlib.suppress(Unreachable):
                await start(StdioEndpoint(("no-such-command",)))
        return before, descriptors()

    before, after = asyncio.run(scene())
    assert len(after) <= len(before)


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def _pids(file: Path) -> list[int]:
    return [int(pid) for pid in file.read_text().split()]


async def parted(command: tuple[str, ...], *, busy: bool = False, wait: bool = False) -> Candidate:
    """One that was stopped after its first line, or after its end."""
    candidate = await start(StdioEndpoint(command, {"PATH": "/usr/bin:/bin"}))
    await (candidate.stdout.read() if wait else candidate.stdout.readline())
    if wait:
        assert await candidate.exit_within(10) is not None
    await candidate.stop(busy=busy)
    return candidate


READS = "echo ready; cat"
DEAF = "trap 'exit 3' TERM; echo ready; while :; do sleep 0.05; done"
DEAFER = "trap '' TERM; echo ready; while :; do sleep 0.05; done"


@pytest.mark.parametrize(
    ("script", "how", "left"),
    [
        (READS, Parting.BY_ITSELF, 0),
        ("sleep 600 & echo ready; cat", Parting.BY_ITSELF, 1),
        ("setsid sleep 600 & setsid sleep 600 & echo ready; cat", Parting.BY_ITSELF, 2),
        ("sleep 0.1 & echo ready; cat", Parting.BY_ITSELF, 0),
        (DEAF, Parting.TOLD, None),
        (DEAFER, Parting.KILLED, None),
    ],
)
def test_how_a_candidate_ended_is_known_and_what_it_left_running(
    script: str, how: Parting, left: int | None
) -> None:
    candidate = asyncio.run(parted(("bash", "-c", script)))
    assert (candidate.parting, candidate.left_behind) == (how, left)


def test_a_candidate_that_ended_before_or_had_no_time_is_told_apart() -> None:
    gone_already = asyncio.run(parted(("bash", "-c", "exit 4"), wait=True))
    assert (gone_already.parting, gone_already.exit_code) == (Parting.GONE, 4)
    busy = asyncio.run(parted(("bash", "-c", DEAF), busy=True))
    assert (busy.parting, busy.left_behind) == (Parting.BUSY, None)
