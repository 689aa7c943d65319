"""Servers made with the stock SDK are not blamed: a wrong FAIL is as bad as a wrong PASS."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from bundles.live import judge_transcript
from bundles.mcp.schema import LEGACY, MODERN
from bundles.plan import Plan
from bundles.verdict import Verdict
from tests.servers.stock import SHAPES, TOKEN
from workers.budget import Budget, Caps
from workers.egress import EgressRules
from workers.endpoints import Endpoint, HttpEndpoint, StdioEndpoint
from workers.probes.observe import observe

SAFE_CALLS = {
    "paged": {"echo-4": [{"text": "hello"}]},
    "resources-only": {},
    "stateless": {"add": []},
    "constrained": {"book": [], "rooms": []},
}
CALCULATOR = {"add": [{"a": 1, "b": 2}]}
_UNTOLD_SCOPE = ("mcp.auth.challenge-names-scope",)
BOTH_REVISIONS = pytest.mark.parametrize("revision", [MODERN, LEGACY])
BOTH_STAGES = pytest.mark.parametrize("stage", ["conformance", "security"])


@pytest.fixture(scope="module")
def ports() -> Iterator[Mapping[str, int]]:
    command = (sys.executable, "-m", "tests.servers.stock")
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield json.loads(server.stdout.readline())
        finally:
            server.terminate()


def verdicts(
    port: int, shape: str, revision: str, stage: str, **headers: str
) -> dict[str, Verdict]:
    rules = EgressRules(allow=(f"127.0.0.1:{port}",))
    endpoint = HttpEndpoint(f"http://127.0.0.1:{port}/mcp", rules, headers)
    return verdicts_at(endpoint, shape, revision, stage)


def verdicts_at(endpoint: Endpoint, shape: str, revision: str, stage: str) -> dict[str, Verdict]:
    plan = Plan(
        stage=stage,
        profile="default",
        revision=revision,
        transport="http" if isinstance(endpoint, HttpEndpoint) else "stdio",
        check_ids=(),
        suites=(),
        snapshot=None,
        safe_calls=SAFE_CALLS.get(shape, CALCULATOR),
        observers=(),
        mrtr_tools={"book": "elicitation", "cancel": "elicitation"} if shape == "asking" else {},
    )
    budget = Budget(Caps(run_s=120, call_s=30))
    transcript = asyncio.run(observe(plan, endpoint, budget, lambda *_: None))
    return {o.check.id: o.verdict for o in judge_transcript(transcript)}


@BOTH_STAGES
@BOTH_REVISIONS
@pytest.mark.parametrize("shape", list(SHAPES))
def test_a_stock_server_is_not_blamed(
    ports: Mapping[str, int], shape: str, revision: str, stage: str
) -> None:
    headers = {"authorization": f"Bearer {TOKEN}"} if shape == "protected" else {}
    found = verdicts(ports[shape], shape, revision, stage, **headers)
    # both official SDKs report an unknown tool as a result, which policy decides about
    unknown_tool = found.pop("mcp.calls.unknown-tool-protocol-error", Verdict.PASS)
    assert unknown_tool in {Verdict.WARN, Verdict.PASS}
    # nor do its challenges name scopes, which they should
    for name in _UNTOLD_SCOPE if shape == "protected" else ():
        assert found.pop(name, Verdict.WARN) is Verdict.WARN
    # the SDK answers a wrong prompts/get with another code than -32602, which is a SHOULD
    for check_id in ("mcp.prompts.unknown-refused", "mcp.prompts.missing-argument-refused"):
        wrong = Verdict.WARN if (shape, stage) == ("constrained", "conformance") else None
        assert found.pop(check_id, None) in {wrong, Verdict.NOT_APPLICABLE}
    # over HTTP nobody watches what a refused call does
    assert found.pop("mcp.calls.refused-call-does-nothing", Verdict.PASS) in {
        Verdict.PASS,
        Verdict.NOT_APPLICABLE,
        Verdict.NOT_RUN,
    }
    assert set(found.values()) <= {Verdict.PASS, Verdict.NOT_APPLICABLE}
    assert list(found.values()).count(Verdict.PASS) >= 5
    if (shape, revision, stage) == ("asking", MODERN, "conformance"):
        assert found["mcp.mrtr.state-protected"] is Verdict.PASS


def test_a_stock_server_is_not_blamed_over_stdio() -> None:
    command = (sys.executable, "-m", "tests.servers.stock", "--stdio")
    endpoint = StdioEndpoint(command, {"PATH": os.environ["PATH"]}, cwd=Path(__file__).parents[2])
    found = verdicts_at(endpoint, "plain", MODERN, "conformance")
    assert found.pop("mcp.calls.unknown-tool-protocol-error") is Verdict.WARN
    assert set(found.values()) <= {Verdict.PASS, Verdict.NOT_APPLICABLE}
    assert list(found.values()).count(Verdict.PASS) >= 20


@BOTH_STAGES
@BOTH_REVISIONS
def test_a_protected_server_neither_passes_nor_fails_without_credentials(
    ports: Mapping[str, int], revision: str, stage: str
) -> None:
    outcomes = verdicts(ports["protected"], "protected", revision, stage)
    found = {told for name, told in outcomes.items() if not name.startswith("mcp.auth.")}
    assert found <= {Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE}
    assert Verdict.INCONCLUSIVE in found
    # what it publishes can be judged without; the SDK names no scope in its challenge
    published = {told for name, told in outcomes.items() if name not in _UNTOLD_SCOPE}
    assert not published & {Verdict.FAIL, Verdict.WARN}
