"""`bundlegate suite run` as a command, its start and the server's included.

There is no floor to compare with: what stands beside it is what the documented reference tool was
measured to take on its machine, as far as it has been measured.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.adding import SIZES
from tests.bench.measured import Measured, seconds

_ROUNDS = 5
_SERVER = Path(__file__).parents[1] / "bundlegate" / "answering.py"
_FIXED_S, _CASE_S = 0.380, 0.0005
"""The reference tool: start and connection, and each case, over stdio."""


def measure() -> list[Measured]:
    with tempfile.TemporaryDirectory(prefix="bg-bench-") as folder:
        return [_measured(Path(folder) / f"{cases}.json", cases) for cases in SIZES]


def _measured(file: Path, cases: int) -> Measured:
    file.write_text(json.dumps(_document(cases)), encoding="utf-8")
    command = (sys.executable, "-m", "bundlegate", "suite", "run", str(file), "--")

    def run() -> None:
        subprocess.run(
            (*command, sys.executable, "-I", "-S", str(_SERVER)), check=True, capture_output=True
        )

    run()
    taken = statistics.median(seconds(run) for _ in range(_ROUNDS))
    note = "the reference tool: 380 ms and 0.5 ms a case"
    return Measured(
        f"suite run, {cases:,} over stdio", taken, _FIXED_S + _CASE_S * cases, None, note
    )


def _document(cases: int) -> dict[str, object]:
    echoed = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
    return {
        "schemaVersion": 1,
        "id": "echo",
        "name": "Echo",
        "cases": [
            {
                "id": f"echo-{number}",
                "name": f"echoes {number}",
                "operation": {"type": "callTool", "tool": "echo", "input": {"n": number}},
                "assertions": [
                    {"type": "isError", "expected": False},
                    {"type": "bodyMatchesSchema", "schema": echoed},
                ],
            }
            for number in range(cases)
        ],
    }
