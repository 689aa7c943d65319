"""Suites over stdio against the same number of raw calls; both sides start the server anew."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from bundles.mcp import wire
from bundles.verdict import Verdict
from tests.bench.adding import SIZES, must_add, suite
from tests.bench.measured import Measured, interleaved
from workers.endpoints import StdioEndpoint
from workers.probes.suite.live import run_live

_ROUNDS = 3
_SERVER = (sys.executable, "-m", "tests.bench.adder")
_ROOT = Path(__file__).parents[2]


def measure() -> list[Measured]:
    return [_measured(cases) for cases in SIZES]


def _measured(cases: int) -> Measured:
    made = suite(cases)
    endpoint = StdioEndpoint(_SERVER, {}, _ROOT)

    def ours() -> None:
        report = asyncio.run(run_live(endpoint, made))
        if report.verdict is not Verdict.PASS:
            msg = f"the suite did not pass: {report.verdict}"
            raise RuntimeError(msg)

    def floor() -> None:
        with subprocess.Popen(
            _SERVER, cwd=_ROOT, env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as server:
            for number in range(cases):
                params = {"name": "add", "arguments": {"a": number, "b": 1}}
                must_add(number, _call(server, number, params))

    medians = interleaved(ours, floor, rounds=_ROUNDS)
    target = 1.3 if cases == SIZES[-1] else None
    note = f"{cases:,} raw calls, a server started too"
    return Measured(f"suite of {cases:,} over stdio", *medians, target, note)


def _call(
    server: "subprocess.Popen[bytes]", number: int, params: dict[str, object]
) -> dict[str, object]:
    assert server.stdin is not None
    assert server.stdout is not None
    request = wire.modern_request("tools/call", params, number)
    server.stdin.write(wire.encode(request) + b"\n")
    server.stdin.flush()
    answer: dict[str, object] = json.loads(server.stdout.readline())
    return answer
