"""Run a module's `main`: `python -m bundlegate.embedded.swift MODULE ARG…`, for a quick start.

Nothing that a program imports is ever garbage, yet the collector searches all of it again and again
while it grows. Here it does not, and never looks at it later; a child that is forked then shares
those pages for good.
"""

import gc
import sys
from importlib import import_module


def main() -> int:
    """Import the module named first, and be that program."""
    del sys.argv[0]
    gc.disable()
    program = import_module(sys.argv[0])
    gc.freeze()
    gc.enable()
    code: int = program.main()
    return code


if __name__ == "__main__":
    sys.exit(main())
