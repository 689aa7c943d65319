"""The process that thinks about what a server said: its schemas, its answers, its texts.

Run as `python -m workers.judging_process` by `workers.judging`, which ends it when it takes too
long: a schema can ask its validator for more steps than there is time, and a validator in native
code hears neither a deadline nor a signal handler. It holds no credential and needs no network.

Questions come over stdin, answers go to stdout, each a pickle after four bytes of length. A
question is (name, arguments); an answer is ("said", value) any number of times, then ("done", None)
or ("fault", the kind of an exception). Both ends are this program.
"""

import ctypes
import os
import pickle
import resource
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

from bundles.mcp.arguments import valid_arguments
from bundles.mcp.other_arguments import other_arguments
from bundles.transcript import Transcript

if TYPE_CHECKING:
    from bundles.mcp.derived import Both

CPU_S = 20
"""Processor time after which the kernel ends it: on a busy machine a fairer bound than time."""

MEMORY = 3 << 30
"""Bytes of private writable memory."""

_PR_SET_PDEATHSIG = 1


def main() -> int:
    """Answer until stdin ends."""
    if ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        return 1
    if os.getppid() != int(sys.argv[1]):
        return 1
    # the worker's signals are not ours: its Ctrl-C reaches the whole group
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit(resource.RLIMIT_CPU, CPU_S)
    _limit(resource.RLIMIT_DATA, MEMORY)
    _limit(resource.RLIMIT_CORE, 0)
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    while question := _read(questions):
        name, arguments = pickle.loads(question)  # noqa: S301 - the other end is this program
        try:
            answer = _ANSWERS[name]
            for said in answer(*arguments):
                _write(answers, ("said", said))
        except MemoryError:
            return 1  # the server's doing, as when the kernel ends it: not a fault of ours
        except (
            Exception
        ) as error:  # a fault of ours is told by its kind: its words may hold secrets
            _write(answers, ("fault", type(error).__name__))
        else:
            _write(answers, ("done", None))
    return 0


def _outcomes(transcript: Transcript, check_ids: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    """(verdict, findings, why) of each check, in the order asked."""
    from bundles.check import registry  # noqa: PLC0415 - half a second that arguments do not need

    checks = registry()
    for check_id in check_ids:
        outcome = checks[check_id].judge(transcript)
        yield outcome.verdict, outcome.findings, outcome.why


def _valid(schema: object) -> Iterator[dict[str, Any] | None]:
    yield valid_arguments(schema)


def _derived(schema: object, valid: Mapping[str, Any]) -> Iterator["Both"]:
    from bundles.mcp.derived import derived_arguments  # noqa: PLC0415 - as above

    yield derived_arguments(schema, valid)


def _other(schema: object, arguments: Mapping[str, Any]) -> Iterator[dict[str, Any] | None]:
    yield other_arguments(schema, arguments)


_ANSWERS: Mapping[str, Callable[..., Iterator[Any]]] = {
    "outcomes": _outcomes,
    "valid": _valid,
    "derived": _derived,
    "other": _other,
}


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (bound, bound))


def _read(stream: BinaryIO) -> bytes:
    """One frame, b"" at the end."""
    head = stream.read(4)
    return stream.read(int.from_bytes(head, "big")) if head else b""


def _write(stream: BinaryIO, answer: tuple[str, Any]) -> None:
    framed = pickle.dumps(answer)
    stream.write(len(framed).to_bytes(4, "big") + framed)
    stream.flush()


if __name__ == "__main__":
    sys.exit(main())
