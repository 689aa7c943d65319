"""Suites on the wire: a good server passes, each broken twin fails its own check and no other."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bundles.live import judge_transcript, live_checks
from bundles.plan import Plan
from bundles.transcript_json import transcript_from_json, transcript_to_json
from bundles.verdict import Verdict
from tests.servers.reference import HttpServer
from tests.servers.toolbox import SAFE_CALLS, SUITE
from workers.budget import Budget
from workers.egress import EgressRules
from workers.endpoints import HttpEndpoint
from workers.probes import observe

SUITE_CHECKS = {"mcp.suite.cases-pass", "mcp.suite.calls-complete"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of the reference server, each fault at a path of its own."""
    serving = HttpServer(0, "", Path(tmp_path_factory.mktemp("written")))
    thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{serving.server_address[1]}"
    serving.shutdown()
    serving.server_close()
    thread.join()


def verdicts(url: str, revision: str) -> dict[str, Verdict]:
    """What every live check of the stage says, after a way through stored JSON."""
    checks = tuple(check.id for check in live_checks("conformance"))
    plan = Plan(
        "conformance", "default", revision, "http", checks, suites=(SUITE,), safe_calls=SAFE_CALLS
    )
    endpoint = HttpEndpoint(url, EgressRules(("127.0.0.1",)))
    seen = asyncio.run(observe(plan, endpoint, Budget(), lambda *_: None))
    stored = transcript_from_json(transcript_to_json(seen))
    return {outcome.check.id: outcome.verdict for outcome in judge_transcript(stored)}


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
@pytest.mark.parametrize(
    ("fault", "failing", "not_judged"),
    [
        ("", set(), set()),
        ("suite-answer-wrong", {"mcp.suite.cases-pass"}, set()),
        ("suite-call-refused", {"mcp.suite.calls-complete"}, {"mcp.suite.cases-pass"}),
    ],
)
def test_a_fault_fails_the_check_that_is_for_it(
    server: str, revision: str, fault: str, failing: set[str], not_judged: set[str]
) -> None:
    path = f"/faults/{fault}/mcp" if fault else "/mcp"
    said = verdicts(server + path, revision)
    assert {name for name, verdict in said.items() if verdict is Verdict.FAIL} == failing
    unknown = {name for name in SUITE_CHECKS if said[name] is Verdict.INCONCLUSIVE}
    assert unknown == not_judged
    assert all(said[name] is Verdict.PASS for name in SUITE_CHECKS - failing - not_judged)
