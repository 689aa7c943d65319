"""Starting a candidate over stdio, bounded from its first byte to its last process.

The environment is exactly the endpoint's; the process group, and whatever left it, is gone when
`stop` returns, also when the candidate forked, and also when the worker was killed instead
(`workers.keeper`). Linux only: it relies on PDEATHSIG and subreapers.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections import deque
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path

from bundles.errors import Unreachable
from bundles.reasons import reason
from workers.endpoints import StdioEndpoint

CANDIDATE_NOT_STARTED = reason(
    "CANDIDATE_NOT_STARTED",
    "The command of a launcher could not be started.",
    "check that the command exists on the PATH that is passed to it, and its working folder",
)

STDERR_KEPT = 64 << 10
"""Bytes of stderr kept: the last ones."""

_KEEPER = Path(__file__).with_name("keeper.py")
_START_S = 10.0
_EOF_GRACE_S = 3.0  # on a machine that has a core for everybody, see `_eof_grace_s`
_MOST_SHARED = 5.0
_BUSY_GRACE_S = 0.1
_TERM_GRACE_S = 1.0
# after the kill: all ends of the pipes are closed, so this is never waited for
_SETTLE_S = 5.0
_CHUNK = 64 << 10


class Parting(StrEnum):
    """How a candidate ended."""

    GONE = "gone"  # before anybody asked it to
    BY_ITSELF = "by-itself"  # when its stdin ended
    BUSY = "busy"  # it was not given the time to
    TOLD = "told"  # SIGTERM
    KILLED = "killed"  # SIGKILL


class Candidate:
    """A running candidate: its pipes, the tail of its stderr, and its end.

    Attributes:
        parting: how it ended, None until `stop` was called.
        left_behind: processes it left running when it ended by itself, None where that is unknown.
    """

    def __init__(self, process: asyncio.subprocess.Process, report: int) -> None:
        assert process.stdin is not None  # noqa: S101 - all three are pipes, see `start`
        assert process.stdout is not None  # noqa: S101
        assert process.stderr is not None  # noqa: S101
        self._process = process
        self._report = report
        self.parting: Parting | None = None
        self.left_behind: int | None = None
        self.stdin = process.stdin
        self.stdout = process.stdout
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._draining = asyncio.create_task(self._drain(process.stderr))

    @property
    def exit_code(self) -> int | None:
        """Exit code once it ended (128 + n by signal n), None while it runs."""
        return self._process.returncode

    def stderr_tail(self) -> bytes:
        """The last `STDERR_KEPT` bytes it wrote to stderr so far."""
        return b"".join(self._tail)[-STDERR_KEPT:]

    async def stop(self, *, busy: bool = False) -> None:
        """End it: stdin EOF, then SIGTERM to its group, then SIGKILL to all. Never raises.

        Args:
            busy: it still works on something nobody waits for any more, and will hardly read of
                its end before that is done: SIGTERM comes almost at once.
        """
        try:
            parting = Parting.GONE if self.exit_code is not None else Parting.BY_ITSELF
            self.stdin.close()
            if not await self._ended_within(_BUSY_GRACE_S if busy else _eof_grace_s()):
                self._signal(signal.SIGUSR1)
                told = await self._ended_within(_TERM_GRACE_S)
                parting = Parting.TOLD if told else Parting.KILLED
            self.parting = Parting.BUSY if busy and parting is not Parting.GONE else parting
        finally:
            # also when cancelled: nobody may be left, whatever became of the politeness
            self._signal(signal.SIGTERM)
            await asyncio.shield(self._settle())

    async def exit_within(self, seconds: float) -> int | None:
        """Exit code if it ends in time, else None."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._process.wait()
        return self._process.returncode

    async def _ended_within(self, seconds: float) -> bool:
        """True when it ended in time; its stdout is read away, or it could not come to its end."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._read_away()
                await self._process.wait()
        return self._process.returncode is not None

    async def _settle(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_SETTLE_S):
                await self._read_away()
                await self._process.wait()
                await self._draining
        self._draining.cancel()
        self._read_report()

    def _read_report(self) -> None:
        """What the keeper told of the end; it alone held the other end, and is gone."""
        if self._report < 0:
            return
        with contextlib.suppress(BlockingIOError):
            told = os.read(self._report, 16)
            self.left_behind = int(told) if told else None
        if self.left_behind is not None and self.parting in {Parting.TOLD, Parting.KILLED}:
            self.parting = Parting.BY_ITSELF  # the keeper still looked at what was left
        os.close(self._report)
        self._report = -1

    async def _read_away(self) -> None:
        while await self.stdout.read(_CHUNK):
            pass

    def _signal(self, number: signal.Signals) -> None:
        # not `Process.send_signal`: that asks whether the process ended, which takes its exit code
        # away from the one who waits for it, who then reports 255 and says so on our stderr
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, number)

    async def _drain(self, stderr: asyncio.StreamReader) -> None:
        while chunk := await stderr.read(_CHUNK):
            self._tail.append(chunk)
            self._tail_size += len(chunk)
            while self._tail_size - len(self._tail[0]) >= STDERR_KEPT:
                self._tail_size -= len(self._tail.popleft())


def _eof_grace_s() -> float:
    """Seconds to end in: longer where processes wait for a core, which is no fault of any."""
    shared = os.getloadavg()[0] / (os.cpu_count() or 1)
    return _EOF_GRACE_S * min(max(1.0, shared), _MOST_SHARED)


async def start(endpoint: StdioEndpoint) -> Candidate:
    """Start the candidate of an endpoint.

    Raises:
        Unreachable: CANDIDATE_NOT_STARTED, with the words of the operating system.
    """
    ours, theirs = os.pipe()
    report, reported = os.pipe()
    os.set_blocking(report, False)
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", str(_KEEPER), str(theirs), str(reported)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={},
            cwd="/",
            pass_fds=(theirs, reported),
            start_new_session=True,  # a Ctrl-C at the terminal is ours to pass on, in order
        )
    except BaseException:
        os.close(ours)
        os.close(report)
        raise
    finally:
        os.close(theirs)
        os.close(reported)
    candidate = Candidate(process, report)
    try:
        candidate.stdin.write(_orders(endpoint))
        failure = await _failure_to_start(ours)
    except BaseException:
        await candidate.stop()
        raise
    if failure:
        await candidate.stop()
        told = f"{endpoint.argv[0]}: {failure}"
        raise Unreachable(CANDIDATE_NOT_STARTED, told, seen=endpoint.argv[0])
    return candidate


def _orders(endpoint: StdioEndpoint) -> bytes:
    orders = json.dumps(
        {
            "argv": endpoint.argv,
            "env": dict(endpoint.env),
            "cwd": str(endpoint.cwd),
            "limits": asdict(endpoint.limits),
            "uid": endpoint.uid,
            "gid": endpoint.gid,
            "parent": os.getpid(),
        }
    ).encode()
    return len(orders).to_bytes(4, "big") + orders


async def _failure_to_start(descriptor: int) -> str:
    """Words of the failure; "" when the pipe closed empty, which exec does."""
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", buffering=0)
    )
    try:
        async with asyncio.timeout(_START_S):
            said = await reader.read()
    except TimeoutError:
        return f"it was not running after {_START_S:.0f} s"
    finally:
        transport.close()
    return said.decode("utf-8", "replace")
