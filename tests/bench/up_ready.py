"""`bundlegate up` on an empty folder until it is ready, against the imports of its two servers."""

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
    note = "importing API and worker in two processes at once"
    return [Measured("up, first start to ready", *medians, None, note)]


def _imports() -> None:
    """The least two fresh interpreters need before they can serve and work."""
    imports = [
        subprocess.Popen([sys.executable, "-c", f"import {name}"])
        for name in ("service.app, migrations", "workers.app")
    ]
    for each in imports:
        each.wait()
