"""`bundlegate up` on an empty folder until it is ready, against the imports of its API alone."""

import signal
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path

from tests.bench.measured import Measured, interleaved
from tests.fixtures.up import Up


def measure() -> list[Measured]:
    numbers = count()
    with tempfile.TemporaryDirectory(prefix="bg-bench-") as folder:

        def ours() -> None:
            up = Up(Path(folder) / str(next(numbers)))
            up.start()
            up.stop(signal.SIGKILL)

        medians = interleaved(ours, _imports, rounds=3)
    note = "a fresh interpreter that imports the API and no more"
    return [Measured("up, first start to ready", *medians, None, note)]


def _imports() -> None:
    """The least before anything can be served.

    Not the imports of API and worker in two processes: both are forked from one that has imported
    what they share, so the worker's share is no part of the longest path any more.
    """
    subprocess.run([sys.executable, "-c", "import service.app, migrations"], check=True)
