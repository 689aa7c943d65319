"""A full check of a healthy server against the same requests by a bare client, one at a time."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx2

from bundles.live import live_checks
from bundles.mcp.wire import MODERN
from bundles.plan import Plan
from bundles.transcript import Transcript
from bundles.verdict import Verdict, of_run
from tests.bench.measured import Measured, interleaved
from tests.bench.suite_http import serving
from workers.budget import Budget
from workers.egress import EgressRules
from workers.endpoints import Endpoint, HttpEndpoint, StdioEndpoint
from workers.judging import Judge
from workers.probes.observe import observe

_ROUNDS = 3
_ROOT = Path(__file__).parents[2]
_SERVER = (sys.executable, "-m", "tests.bench.adder")
_STAGES = ("conformance", "security")
_CALLS = {"add": [{"a": 1, "b": 2}]}


def measure() -> list[Measured]:
    """Over HTTP and over stdio, where each process a check needs to itself starts a server."""
    with serving() as url:
        endpoint = HttpEndpoint(url, EgressRules(allow=("127.0.0.1",)))
        requests = _requests(asyncio.run(_observed(endpoint)))
        over_http = interleaved(
            lambda: asyncio.run(_check(endpoint)),
            lambda: asyncio.run(_post(url, requests)),
            rounds=_ROUNDS,
        )
    launched = StdioEndpoint(_SERVER, {}, _ROOT)
    over_stdio = interleaved(lambda: asyncio.run(_check(launched)), _start, rounds=_ROUNDS)
    note = f"its {len(requests)} requests by raw httpx2, nothing judged"
    return [
        Measured("full check over HTTP", *over_http, None, note),
        Measured("full check over stdio", *over_stdio, None, "one start of the server, one answer"),
    ]


async def _check(endpoint: Endpoint) -> None:
    """Both stages, judged as a worker judges them."""
    async with Judge() as judge:
        outcomes = [
            outcome
            for transcript in await _observed(endpoint)
            for outcome in await judge.outcomes(transcript, _checks(transcript.stage))
        ]
    verdict = of_run(outcome.verdict for outcome in outcomes if not outcome.unverified_claim)
    if verdict is not Verdict.PASS:
        raise RuntimeError([str(o.check.id) for o in outcomes if o.findings])


async def _observed(endpoint: Endpoint) -> list[Transcript]:
    made = []
    for stage in _STAGES:
        plan = Plan(
            stage=stage,
            profile="default",
            revision=MODERN,
            transport="http" if isinstance(endpoint, HttpEndpoint) else "stdio",
            check_ids=_checks(stage),
            safe_calls=_CALLS,
        )
        made.append(await observe(plan, endpoint, Budget(), lambda *_: None))
    return made


def _checks(stage: str) -> tuple[str, ...]:
    about_bundles = ("mcp.snapshot.", "mcp.suite.")
    return tuple(c.id for c in live_checks(stage) if not c.id.startswith(about_bundles))


def _requests(transcripts: Sequence[Transcript]) -> list[tuple[dict[str, str], bytes]]:
    """The well-formed requests that were made, as headers and bodies."""
    return [
        (
            exchange.request["headers"],
            json.dumps({"jsonrpc": "2.0", **_message(exchange.request)}).encode(),
        )
        for transcript in transcripts
        for exchange in transcript.exchanges
        if exchange.request.keys() >= {"headers", "id"} and exchange.message is not None
        # its stream ends when the client leaves
        if exchange.request["method"] != "subscriptions/listen"
    ]


def _message(request: Mapping[str, object]) -> dict[str, object]:
    return {name: request[name] for name in ("id", "method", "params") if name in request}


async def _post(url: str, requests: Sequence[tuple[dict[str, str], bytes]]) -> None:
    async with httpx2.AsyncClient(trust_env=False) as client:
        for headers, body in requests:
            response = await client.post(url, content=body, headers=headers)
            json.loads(response.content.rpartition(b"data: ")[2])


def _start() -> None:
    """The least a process costs: start, one answer, end."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    with subprocess.Popen(
        _SERVER, cwd=_ROOT, env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(request).encode() + b"\n")
        server.stdin.flush()
        json.loads(server.stdout.readline())
        server.stdin.close()
