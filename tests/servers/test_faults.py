"""On the wire: the healthy server passes every check, and each broken twin fails its own alone."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bundles.check import Outcome, Subject, registry
from bundles.coverage_policy import CoveragePolicy
from bundles.live import judge_transcript
from bundles.plan import Plan
from bundles.verdict import Severity, Verdict, of_run
from tests.servers.answers import LEGACY, MODERN
from tests.servers.faults import FAULTS, Fault
from tests.servers.toolbox import SAFE_CALLS, SUITE, listed
from workers.budget import Budget, Caps
from workers.egress import EgressRules
from workers.endpoints import Endpoint, HttpEndpoint, StdioEndpoint
from workers.probes.observe import observe

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-B", "-m", "tests.servers.reference")
CLAIM_CHECKS = {c.id for c in registry().values() if c.claim}


@contextmanager
def running(*options: str) -> Iterator[int]:
    """A server of its own over HTTP; its port."""
    with subprocess.Popen(
        [*COMMAND, "--transport", "http", *options], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running() as number:
        yield number


def over_http(port: int, fault: str = "") -> HttpEndpoint:
    path = f"/faults/{fault}/mcp" if fault else "/mcp"
    rules = EgressRules(allow=(f"127.0.0.1:{port}",))
    return HttpEndpoint(f"http://127.0.0.1:{port}{path}", rules)


def over_stdio(folder: Path, fault: str) -> StdioEndpoint:
    alerts = folder / "alerts"
    alerts.mkdir()
    (alerts / "old.json").write_text("{}")
    options = ("--fault", fault, "--folder", str(alerts), "--walks", str(folder / "walks"))
    (folder / "walks").touch()
    return StdioEndpoint(
        argv=(*COMMAND, *options),
        env={"PATH": os.environ["PATH"]},
        cwd=ROOT,
        watch={"files": alerts},
    )


def judged(endpoint: Endpoint, revision: str, stage: str, fault: str) -> list[Outcome]:
    """Observe one stage as a run would, and judge what came back."""
    own = not fault or FAULTS[fault].pins == "own"
    plan = Plan(
        stage=stage,
        profile="default",
        revision=revision,
        transport="http" if isinstance(endpoint, HttpEndpoint) else "stdio",
        check_ids=(),
        # a case that lists tools gets no list where the list has no end
        suites=() if fault == "cursor-loop" else (SUITE,),
        # what varies from walk to walk cannot be pinned
        snapshot=None if fault == "list-varies" else tuple(listed(fault if own else "", 0)),
        safe_calls=SAFE_CALLS,
        observers=("files",),
        # running the suites again takes two more processes, so only where it is the point
        coverage=CoveragePolicy(0.1, determinism=fault in ("", "suite-answer-varies")),
    )
    budget = Budget(Caps(run_s=300, call_s=30))
    return judge_transcript(asyncio.run(observe(plan, endpoint, budget, lambda *_: None)))


def blamed(outcomes: list[Outcome]) -> set[str]:
    return {o.check.id for o in outcomes if o.findings}


def both_stages(endpoint: Endpoint, revision: str, fault: str) -> list[Outcome]:
    return [
        o for stage in ("conformance", "security") for o in judged(endpoint, revision, stage, fault)
    ]


def own_stage(fault: Fault) -> str:
    """The first stage that runs a fault's check."""
    return registry()[fault.check_id].stages[0].value


def proves(fault: Fault, outcomes: list[Outcome]) -> None:
    """The fault's own check found it, and no other check found anything."""
    assert blamed(outcomes) == {fault.check_id}
    verdicts = {o.verdict for o in outcomes if o.check.id == fault.check_id}
    must = registry()[fault.check_id].severity is Severity.MUST
    assert verdicts <= {Verdict.FAIL if must else Verdict.WARN, Verdict.PASS}


@pytest.mark.parametrize("revision", [MODERN, LEGACY])
def test_the_healthy_server_passes_every_check_over_http(port: int, revision: str) -> None:
    outcomes = both_stages(over_http(port, ""), revision, "")
    assert {o.verdict for o in outcomes if o.check.id not in CLAIM_CHECKS} <= {
        Verdict.PASS,
        Verdict.NOT_APPLICABLE,
    }
    # nobody can watch the folder of a remote server, and the evidence says so
    unwatched = {o.unverified_claim for o in outcomes if o.check.id in CLAIM_CHECKS}
    assert unwatched == {"read-only-hint", "idempotent-hint", "destructive-hint"}


@pytest.mark.parametrize("revision", [MODERN, LEGACY])
def test_the_healthy_server_passes_every_check_over_stdio(tmp_path: Path, revision: str) -> None:
    outcomes = both_stages(over_stdio(tmp_path, ""), revision, "")
    assert {o.verdict for o in outcomes} <= {Verdict.PASS, Verdict.NOT_APPLICABLE}
    assert of_run(o.verdict for o in outcomes) is Verdict.PASS
    assert {o.verdict for o in outcomes if o.check.id in CLAIM_CHECKS} == {Verdict.PASS}


@pytest.mark.parametrize("revision", [MODERN, LEGACY])
@pytest.mark.parametrize("name", [n for n, f in FAULTS.items() if "http" in f.transports])
def test_over_http_each_twin_fails_its_own_check_and_no_other(
    port: int, name: str, revision: str
) -> None:
    fault = FAULTS[name]
    if revision == MODERN:
        outcomes = both_stages(over_http(port, name), revision, name)
    else:
        outcomes = judged(over_http(port, name), revision, own_stage(fault), name)
    if revision in fault.revisions:
        proves(fault, outcomes)
    else:
        assert blamed(outcomes) == set()


@pytest.mark.parametrize("name", [n for n, f in FAULTS.items() if "stdio" in f.transports])
def test_over_stdio_each_twin_fails_its_own_check_and_no_other(tmp_path: Path, name: str) -> None:
    fault = FAULTS[name]
    revision = fault.revisions[0]
    outcomes = judged(over_stdio(tmp_path, name), revision, own_stage(fault), name)
    proves(fault, outcomes)


@pytest.mark.parametrize("name", ["dies-of-malformed", "dies-of-arguments"])
def test_a_server_that_dies_over_http_is_caught(name: str) -> None:
    with running("--fault", name) as number:
        found = blamed(judged(over_http(number), MODERN, "security", name))
    assert FAULTS[name].check_id in found
    survival = {FAULTS[n].check_id for n in ("dies-of-malformed", "dies-of-arguments")}
    assert found <= survival


def test_every_live_check_has_its_broken_twin() -> None:
    live = {c.id for c in registry().values() if c.subject is Subject.TRANSCRIPT}
    assert {fault.check_id for fault in FAULTS.values()} == live
