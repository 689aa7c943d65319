"""A suite of 1,000 calls over HTTP against 1,000 raw requests, at the same concurrency."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2

from bundles.mcp import wire
from bundles.suite.judge import judge_suite
from bundles.suite.model import Suite, load_suite
from bundles.verdict import Verdict
from tests.bench.measured import Measured, interleaved
from workers.budget import Budget
from workers.egress import EgressRules
from workers.endpoints import HttpEndpoint
from workers.probes.opening import open_conversation
from workers.probes.suite.recorded import run_suite

_CALLS = 1000
_ROUNDS = 5


def measure() -> list[Measured]:
    with serving() as url:
        return [_measured(url, concurrency) for concurrency in (1, 16)]


def _measured(url: str, concurrency: int) -> Measured:
    suite = load_suite(document())

    def ours() -> None:
        report = asyncio.run(_suite(url, suite, concurrency))
        if report is not Verdict.PASS:
            msg = f"the suite did not pass: {report}"
            raise RuntimeError(msg)

    def floor() -> None:
        asyncio.run(_raw(url, concurrency))

    medians = interleaved(ours, floor, rounds=_ROUNDS)
    name = f"suite of {_CALLS:,} calls over HTTP, {concurrency} at once"
    return Measured(name, *medians, 1.5, f"{_CALLS:,} raw httpx2 calls, {concurrency} at once")


def document() -> dict[str, Any]:
    """A suite of independent calls, each with its own arguments and three assertions."""
    answers = {"type": "object", "required": ["sum"], "properties": {"sum": {"type": "integer"}}}
    cases = [
        {
            "id": f"add-{number}",
            "name": f"adds {number}",
            "operation": {"type": "callTool", "tool": "add", "input": {"a": number, "b": 1}},
            "assertions": [
                {"type": "isError", "expected": False},
                {"type": "bodyMatchesSchema", "schema": answers},
                {"type": "structuredContentMatchesSchema", "schema": answers},
            ],
        }
        for number in range(_CALLS)
    ]
    return {"schemaVersion": 1, "id": "adder", "name": "Adder", "cases": cases}


async def _suite(url: str, suite: Suite, concurrency: int) -> Verdict:
    endpoint = HttpEndpoint(url, EgressRules(allow=("127.0.0.1",)))
    budget = Budget()
    async with open_conversation(endpoint, budget, revisions=[wire.MODERN]) as session:
        exchanges = await run_suite(session, suite, budget, concurrency=concurrency)
    return judge_suite(suite, exchanges).verdict


async def _raw(url: str, concurrency: int) -> None:
    """The least a client can do: build each request, send it, read and parse the answer."""
    numbers = iter(range(_CALLS))
    async with httpx2.AsyncClient(trust_env=False) as client:

        async def work() -> None:
            for number in numbers:
                params = {"name": "add", "arguments": {"a": number, "b": 1}}
                response = await client.post(
                    url,
                    content=wire.encode(wire.modern_request("tools/call", params, number)),
                    headers=_HEADERS,
                )
                if json.loads(response.content)["result"]["structuredContent"]["sum"] != number + 1:
                    msg = "the server cannot add"
                    raise RuntimeError(msg)

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
