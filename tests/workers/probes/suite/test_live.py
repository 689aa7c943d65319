"""Suites on real servers: what is kept, what else a server says, and how it is lost."""

import asyncio
import gc
import sys
import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bundles.suite.judge import SuiteReport
from bundles.suite.model import Suite, load_suite
from bundles.suite.outcomes import CaseStatus
from bundles.verdict import Verdict
from tests.fixtures.scripted import ScriptedSession
from tests.servers.hostile_http import Hostile, Request, answer, serve, whole
from workers import spawn
from workers.budget import Budget
from workers.egress import EgressRules
from workers.endpoints import HttpEndpoint, StdioEndpoint
from workers.probes.suite.judged import judged
from workers.probes.suite.live import run_live

PASSED, NOT_RUN, NO_RESULT = CaseStatus.PASSED, CaseStatus.NOT_RUN, CaseStatus.OPERATION_FAILED


@pytest.fixture(autouse=True)
def short_graces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawn, "_EOF_GRACE_S", 0.5)
    monkeypatch.setattr(spawn, "_TERM_GRACE_S", 0.2)


def suite(*tools: str, timeout_ms: int = 10_000) -> Suite:
    cases = [
        {
            "id": f"{number}-{tool}",
            "name": tool,
            "operation": {"type": "callTool", "tool": tool, "input": {}},
            "assertions": [{"type": "isError", "expected": False}],
        }
        for number, tool in enumerate(tools)
    ]
    head = {"schemaVersion": 1, "id": "s", "name": "S", "defaultTimeoutMs": timeout_ms}
    return load_suite(head | {"cases": cases})


def statuses(report: SuiteReport) -> list[CaseStatus]:
    return [case.status for case in report.cases]


_SERVER = """
import json, os, sys, time
for line in sys.stdin:
    request = json.loads(line)
    name = request.get("params", {}).get("name")
    if name == "exit":
        print("out of cheese", file=sys.stderr, flush=True)
        os._exit(7)
    if name == "close-stdout":
        os.close(1)
        time.sleep(600)
    if name == "noise":
        print("a line for people", flush=True)
        print("{} is no message", flush=True)
    if name == "mute":
        continue
    reply = {"jsonrpc": "2.0", "id": request["id"]}
    if name == "refuse":
        reply["error"] = {"code": -32603, "message": "no"}
    elif request["method"] == "server/discover":
        reply["result"] = {"supportedVersions": ["2026-07-28"], "capabilities": {}}
    else:
        reply["result"] = {"content": [], "isError": name == "fail"}
    print(json.dumps(reply), flush=True)
"""


def over_stdio(made: Suite, **options: Any) -> SuiteReport:
    endpoint = StdioEndpoint((sys.executable, "-I", "-S", "-c", _SERVER), {}, Path.cwd())
    return asyncio.run(run_live(endpoint, made, **options))


def test_a_protocol_error_and_a_tool_error_are_told_apart() -> None:
    report = over_stdio(suite("fail", "refuse", "x"))
    assert statuses(report) == [CaseStatus.FAILED, NO_RESULT, PASSED]
    assert report.cases[0].operation.error is None
    assert report.cases[1].operation.error == {"code": -32603, "message": "no"}
    assert (report.verdict, report.stopped) == (Verdict.FAIL, None)


def test_noise_on_stdout_is_survived_and_named() -> None:
    report = over_stdio(suite("x", "noise", "x"))
    assert statuses(report) == [PASSED] * 3
    assert report.server.noise == ("a line for people", "{} is no message")


def test_a_timeout_stops_nothing_and_is_not_waited_for_afterwards() -> None:
    report = over_stdio(suite("x", "mute", "mute", "mute", "x", timeout_ms=300))
    assert statuses(report) == [PASSED, *[CaseStatus.TIMED_OUT] * 3, PASSED]


def test_a_process_that_ends_is_lost_with_its_exit_code_and_its_last_words() -> None:
    report = over_stdio(suite("x", "exit", "x", "x"))
    assert statuses(report) == [PASSED, NO_RESULT, NOT_RUN, NOT_RUN]
    assert report.stopped is not None
    assert report.stopped.infrastructure
    assert (report.stopped.case, report.stopped.why) == ("1-exit", "it ended with exit code 7")
    assert report.server.stderr == "out of cheese\n"
    assert report.revision == "2026-07-28"


def test_a_process_that_closes_its_stdout_is_lost() -> None:
    report = over_stdio(suite("x", "close-stdout", "x"))
    assert statuses(report) == [PASSED, NO_RESULT, NOT_RUN]
    assert report.stopped is not None
    assert report.stopped.why == "it closed its stdout"


@pytest.mark.parametrize("concurrency", [1, 3])
def test_calls_that_were_in_flight_when_the_server_ended_prove_nothing(concurrency: int) -> None:
    report = over_stdio(suite(*["exit"] * 6), concurrency=concurrency)
    in_flight = statuses(report).count(NO_RESULT)
    assert 1 <= in_flight <= concurrency
    assert statuses(report).count(NOT_RUN) == 6 - in_flight
    assert report.verdict is Verdict.INCONCLUSIVE


def over_http(made: Suite) -> tuple[SuiteReport, Hostile]:
    async def run() -> tuple[SuiteReport, Hostile]:
        async def behave(request: Request, writer: asyncio.StreamWriter) -> None:
            name = request.message["params"].get("name")
            if name == "leave":
                hostile.stop()
            if name in ("leave", "cut"):
                writer.transport.abort()
                return
            results: dict[str, Any] = {
                "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {}},
                "tools/list": {"tools": []},
            }
            result = results.get(request.message["method"], {"content": []})
            writer.write(whole(answer(request, result)))

        async with serve(behave) as hostile:
            endpoint = HttpEndpoint(hostile.url, EgressRules(("127.0.0.1",)))
            return await run_live(endpoint, made), hostile

    return asyncio.run(run())


def test_an_http_server_that_left_is_lost() -> None:
    report, _ = over_http(suite("x", "leave", "x", "x"))
    assert statuses(report) == [PASSED, NO_RESULT, NOT_RUN, NOT_RUN]
    assert report.stopped is not None
    assert (report.stopped.infrastructure, report.stopped.case) == (True, "1-leave")


def test_an_http_server_that_cuts_answers_short_is_not_lost() -> None:
    report, hostile = over_http(suite("cut", "cut", "x"))
    assert statuses(report) == [NO_RESULT, NO_RESULT, PASSED]
    assert report.stopped is None
    asked = [request.message["method"] for request in hostile.requests]
    assert asked.count("server/discover") == 3


def test_one_connection_serves_a_whole_suite() -> None:
    report, hostile = over_http(suite(*["x"] * 50))
    assert report.verdict is Verdict.PASS
    assert hostile.connections == 1


_ANSWER = 20_000


def _peak(cases: int) -> int:
    """Bytes that a run held at most, besides the suite itself."""

    def long(_method: str, params: Mapping[str, Any]) -> Any:
        text = f"{params['name']}{'y' * _ANSWER}"
        return {"content": [{"type": "text", "text": text}]}

    made = suite(*["x"] * cases)
    gc.collect()
    tracemalloc.start()
    try:
        report = asyncio.run(judged(ScriptedSession(long), made, Budget()))
        assert len(report.cases) == cases
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_nothing_of_an_answer_is_kept_but_its_outcome() -> None:
    few, many = _peak(200), _peak(2000)
    assert (many - few) / 1800 < _ANSWER / 10, "bytes a case, answers of 20,000 bytes"
