"""`bundlegate --help` against a click program with nothing in it."""

import subprocess
import sys

from tests.bench.measured import Measured, interleaved

_EMPTY = "import click\nclick.command()(lambda: None)(['--help'])"


def measure() -> list[Measured]:
    def ours() -> None:
        _run("-m", "bundlegate", "--help")

    def floor() -> None:
        _run("-c", _EMPTY)

    medians = interleaved(ours, floor, rounds=15)
    return [Measured("bundlegate --help", *medians, 1.5, "start of an empty click program")]


def _run(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, cwd="/")
