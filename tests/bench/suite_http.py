"""Suites over HTTP against the same number of raw requests, at the same concurrency."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2

from bundles.mcp import wire
from bundles.suite.model import Suite
from bundles.verdict import Verdict
from tests.bench.adding import SIZES, must_add, suite
from tests.bench.measured import Measured, interleaved
from workers.egress import EgressRules
from workers.endpoints import HttpEndpoint
from workers.probes.suite.live import run_live

_ROUNDS = 5


def measure() -> list[Measured]:
    with serving() as url:
        alone = [_measured(url, cases, 1) for cases in SIZES]
        return [*alone, _measured(url, SIZES[-1], 16)]


def _measured(url: str, cases: int, concurrency: int) -> Measured:
    made = suite(cases)

    def ours() -> None:
        asyncio.run(_suite(url, made, concurrency))

    def floor() -> None:
        asyncio.run(_raw(url, cases, concurrency))

    medians = interleaved(ours, floor, rounds=_ROUNDS)
    target = 1.3 if cases == SIZES[-1] else None
    note = f"{cases:,} raw httpx2 calls, {concurrency} at once"
    return Measured(f"suite of {cases:,} over HTTP, {concurrency} at once", *medians, target, note)


async def _suite(url: str, made: Suite, concurrency: int) -> None:
    endpoint = HttpEndpoint(url, EgressRules(allow=("127.0.0.1",)))
    report = await run_live(endpoint, made, concurrency=concurrency)
    if report.verdict is not Verdict.PASS:
        msg = f"the suite did not pass: {report.verdict}"
        raise RuntimeError(msg)


async def _raw(url: str, cases: int, concurrency: int) -> None:
    """The least a client can do: build each request, send it, read and parse the answer."""
    numbers = iter(range(cases))
    async with httpx2.AsyncClient(trust_env=False) as client:

        async def work() -> None:
            for number in numbers:
                params = {"name": "add", "arguments": {"a": number, "b": 1}}
                response = await client.post(
                    url,
                    content=wire.encode(wire.modern_request("tools/call", params, number)),
                    headers=_HEADERS,
                )
                must_add(number, json.loads(response.content))

        await asyncio.gather(*(work() for _ in range(concurrency)))


_HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": wire.MODERN,
    "mcp-method": "tools/call",
    "mcp-name": "add",
}


@contextmanager
def serving() -> Iterator[str]:
    """The URL of a real MCP server of the stock SDK, in a process of its own."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)
        listener.set_inheritable(True)
        host, port = listener.getsockname()
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.adder", str(listener.fileno())],
            pass_fds=[listener.fileno()],
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        try:
            yield f"http://{host}:{port}/mcp"
        finally:
            server.terminate()
            server.wait()
