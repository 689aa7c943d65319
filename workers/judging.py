"""Judging apart: what a server said is thought about in a process that can be ended.

A server chooses its own schemas and answers. A validator may need longer for them than the sun
lasts (a few dozen references, each used twice) or more memory than there is, and native code cannot
be interrupted: done here it would hold the worker, its lease and every deadline with it. What is
not finished in time is INCONCLUSIVE, never a pass.
"""

import asyncio
import contextlib
import io
import os
import pickle
import sys
from collections.abc import AsyncIterator, Iterable, Mapping
from types import TracebackType
from typing import Any, Self

from bundles.check import Outcome
from bundles.live import chosen_checks
from bundles.mcp.derived import Both
from bundles.transcript import Transcript
from bundles.verdict import Verdict

JUDGING_S = 60.0
"""Seconds for one question: all checks of a stage over its transcript, or arguments for a tool."""

_MODULE = "workers.judging_process"
_PIECE = 1 << 20


class JudgingFault(Exception):
    """A check raised: a fault of this program, not of the server."""


class _Unfinished(Exception):
    """No further answer comes, and why."""


class Judge:
    """An async context manager around one process, which is started at its first question.

    A process that had to be ended is replaced at the next question about a transcript; arguments
    are not asked for again (see `arguments`).
    """

    def __init__(self, seconds: float = JUDGING_S) -> None:
        self._seconds = seconds
        self._process: asyncio.subprocess.Process | None = None
        self._overran = False
        self._asking = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._end()

    async def outcomes(
        self, transcript: Transcript, check_ids: Iterable[str] | None = None
    ) -> list[Outcome]:
        """What `bundles.live.judge_transcript` concludes; INCONCLUSIVE where it did not end.

        Raises:
            Invalid: CHECK_UNKNOWN.
            JudgingFault: a check raised.
        """
        checks = chosen_checks(transcript.stage, check_ids)
        made: list[Outcome] = []
        why = ""
        try:
            question = ("outcomes", (transcript, tuple(check.id for check in checks)))
            async for verdict, findings, words in self._ask(question):
                made.append(Outcome(checks[len(made)], verdict, findings, words))
        except _Unfinished as unfinished:
            why = str(unfinished)
        for check in checks[len(made) :]:
            made.append(Outcome(check, Verdict.INCONCLUSIVE, (), f"not judged: {why}"))
            why = "the check before it did not end" if len(made) < len(checks) else why
        return made

    async def valid_arguments(self, schema: object) -> dict[str, Any] | None:
        """`bundles.mcp.arguments.valid_arguments`, None also where it does not end."""
        made: dict[str, Any] | None = await self._arguments(("valid", (schema,)))
        return made

    async def derived_arguments(self, schema: object, valid: Mapping[str, Any]) -> Both:
        """`bundles.mcp.derived.derived_arguments`, nothing also where it does not end."""
        made: Both | None = await self._arguments(("derived", (schema, valid)))
        return Both((), ()) if made is None else made

    async def other_arguments(
        self, schema: object, arguments: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """`bundles.mcp.other_arguments.other_arguments`, None also where it does not end."""
        made: dict[str, Any] | None = await self._arguments(("other", (schema, arguments)))
        return made

    async def _arguments(self, question: tuple[str, Any]) -> Any:
        """One overrun is enough: a server with fifty such tools would cost fifty of them."""
        if self._overran:
            return None
        made = None
        with contextlib.suppress(_Unfinished):
            async for said in self._ask(question):
                made = said
        return made

    async def _ask(self, question: tuple[str, Any]) -> AsyncIterator[Any]:
        """Everything the process says to one question."""
        async with self._asking:
            finished = False
            try:
                async with asyncio.timeout(self._seconds):
                    process = await self._started()
                    assert process.stdin is not None  # noqa: S101 - both are pipes
                    await _write(process.stdin, question)
                    while (answer := await _read(process))[0] == "said":
                        yield answer[1]
                finished = True
            except TimeoutError:
                raise _Unfinished(f"it took more than {self._seconds:.0f} s") from None
            except (asyncio.IncompleteReadError, ConnectionError):
                raise _Unfinished("it needed more time or memory than there is") from None
            finally:
                if not finished:
                    self._overran = True
                    await self._end()
            if answer[0] == "fault":
                raise JudgingFault(answer[1])

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", _MODULE, str(os.getpid())),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,  # a traceback may show what a server said
                env={"PYTHONPATH": os.pathsep.join(sys.path)},  # nothing else: no credentials
            )
        return self._process

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            # not `wait`: that waits for the pipes too, and one full of answers is not being read
            await process.communicate()


async def _write(stream: asyncio.StreamWriter, question: tuple[str, Any]) -> None:
    """Send a question, holding no second copy of what may be large."""
    framed = io.BytesIO()
    pickler = pickle.Pickler(framed)
    # without it every text a server sent is remembered, which takes as much as the text
    pickler.fast = True
    pickler.dump(question)
    whole = framed.getbuffer()
    stream.write(len(whole).to_bytes(4, "big"))
    for at in range(0, len(whole), _PIECE):
        stream.write(whole[at : at + _PIECE])
        await stream.drain()


async def _read(process: asyncio.subprocess.Process) -> tuple[str, Any]:
    assert process.stdout is not None  # noqa: S101 - a pipe
    size = int.from_bytes(await process.stdout.readexactly(4), "big")
    answer: tuple[str, Any] = pickle.loads(  # noqa: S301 - the other end is this program
        await process.stdout.readexactly(size)
    )
    return answer
