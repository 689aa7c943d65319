"""One server of the embedded service: started, tied to this process, watched, ended."""

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path
from typing import Protocol

from bundlegate.embedded.forking import Newborn
from bundlegate.embedded.server import Server, fresh_log, numbered

_TETHER = Path(__file__).with_name("tether.py")


class _Process(Protocol):
    """What is asked of a process, however it began."""

    @property
    def pid(self) -> int: ...

    async def wait(self) -> int:
        """Its exit code, negative for a signal. Any number may wait."""

    def send_signal(self, signal: int) -> None:
        """Raises ProcessLookupError when it is gone."""


class _Forked:
    """A process that this one forked, behind a descriptor that no other process can take over."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._descriptor = os.pidfd_open(pid)
        self._end = asyncio.create_task(self._reaped())

    async def wait(self) -> int:
        return await asyncio.shield(self._end)

    def send_signal(self, signal_: int) -> None:
        if self._end.done():
            raise ProcessLookupError(self.pid)
        signal.pidfd_send_signal(self._descriptor, signal_)

    async def _reaped(self) -> int:
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._descriptor, over.set)
        try:
            await over.wait()
            _, ending = os.waitpid(self.pid, 0)  # noqa: ASYNC222 - it has ended
            return os.waitstatus_to_exitcode(ending)
        finally:
            loop.remove_reader(self._descriptor)
            os.close(self._descriptor)


class Child:
    """A started server. Made by `start`, or by `adopt` of one that was forked.

    `line` ends with what it writes once those after it may begin, b"" when it never will.
    """

    def __init__(
        self,
        server: Server,
        process: _Process,
        log: Path,
        line: asyncio.Task[bytes],
        go: int,
    ) -> None:
        self.server = server
        self.line = line
        self._go: int | None = go
        self._process = process
        self._log = log

    @property
    def pid(self) -> int:
        """Process id, also that of its session."""
        return self._process.pid

    def go(self) -> None:
        """Let it begin."""
        if self._go is not None:
            os.close(self._go)
            self._go = None

    async def ended(self) -> int:
        """Wait for its end; exit code, negative for a signal."""
        return await self._process.wait()

    async def stop(self, grace_s: float) -> None:
        """SIGTERM, and SIGKILL after the grace. Returns when it is gone."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        self.go()
        try:
            async with asyncio.timeout(grace_s):
                await self._process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                # The whole session: its own children would outlive it otherwise.
                os.killpg(self.pid, signal.SIGKILL)
            await self._process.wait()

    def last_words(self) -> str:
        """The last lines it wrote, for a message about its death."""
        with self._log.open("rb") as file:
            file.seek(max(0, self._log.stat().st_size - 2000))
            return file.read().decode("utf-8", errors="replace").strip()


async def start(server: Server, folder: Path) -> Child:
    """Start a server in `folder`, with its log below it."""
    log = fresh_log(folder, server.name)
    ready, ready_theirs = os.pipe()
    go_theirs, go = os.pipe()
    command = numbered(server.command, ready_theirs, go_theirs)
    try:
        with log.open("ab") as file:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", str(_TETHER), str(os.getpid()), *command),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=file if server.ready is None else asyncio.subprocess.PIPE,
                stderr=file,
                env=dict(server.environment),
                cwd=folder,
                pass_fds=(ready_theirs, go_theirs, *server.descriptors),
                # A Ctrl-C at the terminal is this process's to pass on, in order.
                start_new_session=True,
            )
    except BaseException:
        os.close(ready)
        os.close(go)
        raise
    finally:
        os.close(ready_theirs)
        os.close(go_theirs)
    if process.stdout is None or server.ready is None:
        return Child(server, process, log, asyncio.create_task(_line_comes(ready)), go)
    os.close(ready)
    words = asyncio.Event()
    pump = asyncio.create_task(_pump(process.stdout, log, server.ready, words))
    line = asyncio.create_task(_words_come(server.ready, words, pump))
    return Child(server, process, log, line, go)


def adopt(server: Server, newborn: Newborn) -> Child:
    """Take over a server that was forked before there was a loop."""
    line = asyncio.create_task(_line_comes(newborn.ready))
    return Child(server, _Forked(newborn.pid), newborn.log, line, newborn.go)


async def _line_comes(descriptor: int) -> bytes:
    """The line that arrives, b"" when the other end closes without one."""
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", 0)
    )
    try:
        return await reader.readline()
    finally:
        transport.close()


async def _words_come(ready: bytes, words: asyncio.Event, pump: asyncio.Task[None]) -> bytes:
    """The answer of the pump, which goes on with the server's output until its end."""
    said = asyncio.create_task(words.wait())
    await asyncio.wait({said, pump}, return_when=asyncio.FIRST_COMPLETED)
    said.cancel()
    return ready if words.is_set() else b""


async def _pump(
    stdout: asyncio.StreamReader, log: Path, ready: bytes, words: asyncio.Event
) -> None:
    with log.open("ab", buffering=0) as file:
        while line := await stdout.readline():
            file.write(line)
            if ready in line:
                words.set()
