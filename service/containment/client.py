"""Asks whether schemas can replace one another, and outlives every answer.

One process answers many pairs; where a pair ends it, that pair is `conditional/BUDGET_EXCEEDED` and
the next one gets a new process. Blocking: call it in a thread where an event loop runs.
"""

import json
import math
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from bundles.compat.verdict import BUDGET_EXCEEDED, Answer, ContentModel, Direction, Word

CPU_S = 3.0
"""Processor time for one pair."""

WALL_S = 30.0
"""Seconds for one pair. The process's own bound is processor time, which is fairer on a busy
machine; this one is for a machine that gives it none."""

MOST_OVERRUN = 5
"""Pairs that may end the process; the rest of a caller's pairs are not compared then, so that one
crafted document costs seconds and not hours."""

_MODULE = "service.containment.process"
_OVER_BUDGET = Answer(Word.CONDITIONAL, BUDGET_EXCEEDED)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two schemas, as parsed, and the question about them."""

    old: Any
    new: Any
    direction: Direction
    content_model: ContentModel = ContentModel.OPEN


class Comparisons:
    """A context manager around the process, which is started at the first question.

    Args:
        cpu_s: processor time for one pair.
        all_s: seconds for all pairs together, from the first on; the pairs that are left then are
            not compared.
    """

    def __init__(self, cpu_s: float = CPU_S, *, all_s: float = math.inf) -> None:
        self._cpu_s = cpu_s
        self._all_s = all_s
        self._until: float | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._overrun = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def compare(
        self, old: Any, new: Any, direction: Direction, content_model: ContentModel
    ) -> Answer:
        """`answer`, as those who compare whole tools ask (`bundles.compat.subjects.Contains`)."""
        return self.answer(Pair(old, new, direction, content_model))

    def answers(self, pairs: Iterable[Pair]) -> Iterator[Answer]:
        """The answer to each pair, in order, as soon as it is there."""
        for pair in pairs:
            yield self.answer(pair)

    def answer(self, pair: Pair) -> Answer:
        """Whether the new schema of a pair can replace the old one."""
        if self._until is None:
            self._until = time.monotonic() + self._all_s
        if self._overrun >= MOST_OVERRUN or time.monotonic() >= self._until:
            return _OVER_BUDGET
        question = {
            "old": pair.old,
            "new": pair.new,
            "direction": pair.direction.value,
            "content_model": pair.content_model.value,
        }
        try:
            line = self._ask(json.dumps(question).encode() + b"\n")
        except RecursionError:  # deeper than any schema that is compared
            return _OVER_BUDGET
        if line is None:
            self._overrun += 1
            self._end()
            return _OVER_BUDGET
        return Answer.from_dict(json.loads(line))

    def _ask(self, question: bytes) -> bytes | None:
        """The line that answers a question; None where the process ended or had to be."""
        process = self._started()
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        try:
            process.stdin.write(question)
            process.stdin.flush()
        except BrokenPipeError:
            return None
        said = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not said.endswith(b"\n"):
                if not selector.select(self._patience()):
                    return None
                read = os.read(process.stdout.fileno(), 1 << 16)
                if not read:
                    return None
                said += read
        return bytes(said)

    def _patience(self) -> float:
        """Seconds that may still pass without a word from the process."""
        assert self._until is not None  # noqa: S101 - set at the first question
        return min(WALL_S, max(0.0, self._until - time.monotonic()))

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603 - this very program
                [sys.executable, "-P", "-m", _MODULE, str(os.getpid()), str(self._cpu_s)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # a traceback may show what a schema says
                bufsize=-1,
                env={"PYTHONPATH": os.pathsep.join(sys.path)},  # nothing else: no credentials
            )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(BrokenPipeError):
                process.communicate()
