"""One server of the embedded service: started, tied to this process, watched, ended."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

READY_FD = "{ready}"
"""Stands in a command for the descriptor that gets one line once servers after it may begin."""

GO_FD = "{go}"
"""Stands in a command for the descriptor that ends when the server may begin: it can import what
it needs meanwhile."""

_TETHER = Path(__file__).with_name("tether.py")
_LOG_BYTES = 10 << 20


@dataclass(frozen=True, slots=True)
class Server:
    """What to start.

    Attributes:
        name: of the log file, and in messages.
        command: program and arguments, `READY_FD` and `GO_FD` among them where it takes those.
        ready: the words on stdout that say it serves, for one that takes none.
        descriptors: passed on, as they are numbered here.
        hear: called with the line it wrote, at the first start; raises what is amiss.
        confirm: awaited after that, before anybody is told; returns once it serves, or raises.
    """

    name: str
    command: Sequence[str]
    ready: bytes | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    descriptors: tuple[int, ...] = ()
    hear: Callable[[bytes], None] | None = None
    confirm: Callable[[], Awaitable[None]] | None = None


class Child:
    """A started server. Made by `start`.

    `line` ends with what it writes once those after it may begin, b"" when it never will.
    """

    def __init__(
        self,
        server: Server,
        process: asyncio.subprocess.Process,
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
    log = _fresh_log(folder / "log" / f"{server.name}.log")
    ready, ready_theirs = os.pipe()
    go_theirs, go = os.pipe()
    numbers = {READY_FD: str(ready_theirs), GO_FD: str(go_theirs)}
    command = [numbers.get(part, part) for part in server.command]
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


def _fresh_log(path: Path) -> Path:
    """The log file; when it has grown it becomes the one older file that is kept."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    if path.exists() and path.stat().st_size > _LOG_BYTES:
        path.replace(path.with_suffix(".log.1"))
    return path
