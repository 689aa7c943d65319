"""Start a program that dies with its parent: `python -I -S tether.py PARENT_PID PROGRAM ARG…`.

A file of its own with no imports of ours: it runs between fork and exec of every server, and is
gone once the program takes its place.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Tie this process to its parent, then become the program."""
    parent, program = int(sys.argv[1]), sys.argv[2:]
    if ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) != 0:
        sys.exit("this system cannot tie a process to its parent")
    if os.getppid() != parent:
        # It died before the tie was made; nobody would end us.
        sys.exit("the parent is gone")
    os.execvp(program[0], program)  # noqa: S606 - the command is this package's own


if __name__ == "__main__":
    main()
