"""Run a module's `main`: `python -m bundlegate.embedded.swift NAME MODULE ARG…`, for a quick start.

The process shows as `bg-NAME` in `ps` and `top`, whether it was forked or has a command of its own.

Nothing that a program imports is ever garbage, yet the collector searches all of it again and again
while it grows. Here it does not (`growing`); a child that is forked then shares those pages for
good.
"""

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

_PR_SET_NAME = 15


@contextmanager
def growing() -> Iterator[None]:
    """What is made here stays: the collector neither searches it now nor looks at it later."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def main() -> int:
    """Take the name, import the module, and be that program."""
    ctypes.CDLL(None).prctl(_PR_SET_NAME, f"bg-{sys.argv[1]}".encode(), 0, 0, 0)
    del sys.argv[:2]
    with growing():
        program = import_module(sys.argv[0])
    code: int = program.main()
    return code


if __name__ == "__main__":
    sys.exit(main())
