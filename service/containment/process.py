"""The process that compares schemas, one pair after another.

Run as `python -m service.containment.process PARENT_PID CPU_SECONDS` by its client. The engine is
native code that holds the interpreter: a crafted pair keeps it busy for longer than there is time,
so the kernel ends the process when one pair took its processor time, and the client counts that
pair as undecided.

Questions come over stdin, answers go to stdout, each one line of JSON: {"old", "new", "direction",
"content_model"} and `bundles.compat.verdict.Answer.to_dict`. Both ends are this program.
"""

import ctypes
import json
import os
import resource
import signal
import sys

from bundles.compat.containment import compare
from bundles.compat.verdict import ContentModel, Direction

MEMORY = 1 << 30
"""Bytes of private writable memory."""

_PR_SET_PDEATHSIG = 1


def main() -> int:
    """Answer until stdin ends."""
    if ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        return 1
    if os.getppid() != int(sys.argv[1]):
        return 1
    cpu_s = float(sys.argv[2])
    # the caller's signals are not ours: its Ctrl-C reaches the whole group
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # no handler: native code would not let one run, but the kernel's own answer ends it
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    _limit(resource.RLIMIT_DATA, MEMORY)
    _limit(resource.RLIMIT_CORE, 0)
    for line in sys.stdin.buffer:
        question = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, cpu_s)
        answer = compare(
            question["old"],
            question["new"],
            Direction(question["direction"]),
            ContentModel(question["content_model"]),
        )
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.stdout.write(json.dumps(answer.to_dict()) + "\n")
        sys.stdout.flush()
    return 0


def _limit(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (bound, bound))


if __name__ == "__main__":
    sys.exit(main())
