"""Runs the reference server, healthy or as a broken twin, and judges what a run would see of it."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

from bundles.check import Outcome, registry
from bundles.coverage_policy import CoveragePolicy
from bundles.live import judge_transcript
from bundles.plan import Plan
from bundles.verdict import Severity, Verdict
from tests.servers.deployments import is_guarded
from tests.servers.faults import FAULTS, Fault
from tests.servers.issuer import issued
from tests.servers.toolbox import SAFE_CALLS, SUITE, listed
from tests.servers.visits import DECLARED
from workers.budget import Budget, Caps
from workers.egress import EgressRules
from workers.endpoints import Endpoint, HttpEndpoint, OtherCredentials, StdioEndpoint
from workers.probes.observe import observe

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-B", "-m", "tests.servers.reference")
ENDLESS = ("cursor-loop", "cursor-ignored", "cursor-empty")
VARYING = ("list-varies", "default-varies")
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


def over_http(port: int, fault: str = "") -> HttpEndpoint:
    path = f"/faults/{fault}/mcp" if fault else "/mcp"
    rules = EgressRules(allow=(f"127.0.0.1:{port}",))
    endpoint = HttpEndpoint(f"http://127.0.0.1:{port}{path}", rules)
    return endpoint if fault != "state-of-anyone" else for_two(endpoint)


def for_two(endpoint: HttpEndpoint) -> HttpEndpoint:
    """The endpoint with the credentials of one principal, and of another one."""
    other = OtherCredentials(principal={"authorization": "Bearer of-babbage"})
    return replace(endpoint, headers={"authorization": "Bearer of-ada"}, others=other)


def over_stdio(folder: Path, fault: str = "") -> StdioEndpoint:
    """A process of its own that writes into a new folder below `folder`."""
    folder = Path(mkdtemp(dir=folder))
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


@contextmanager
def deployment_server() -> Iterator[int]:
    """The process of `tests.servers.deployments`; its port."""
    command = (sys.executable, "-B", "-m", "tests.servers.deployments")
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.terminate()


def deployed(port: int, fault: str = "none", *, two: bool = False) -> HttpEndpoint:
    """A protected deployment as a profile that names everything reaches it, or one of two
    instances.
    """
    root = f"http://127.0.0.1:{port}"
    rules = EgressRules(allow=(f"127.0.0.1:{port}",))
    if two or not is_guarded(fault):
        first, second = (f"{root}/two/{fault}/{which}/mcp" for which in ("first", "second"))
        return HttpEndpoint(first, rules, instances=(second,))
    url = f"{root}/guarded/{fault}/mcp"
    tokens = {
        "expired": issued(url, seconds=-60),
        "other_audience": issued("https://other.example/mcp"),
        "other_issuer": issued(url, issuer="https://elsewhere.example"),
        "in_url": issued(url, seconds=1800),
        "narrow_scope": issued(url, scope="call"),
    }
    others = OtherCredentials(
        tokens={name: f"Bearer {token}" for name, token in tokens.items()},
        principal={"authorization": f"Bearer {issued(url, subject='bob')}"},
        narrow_tool="save_alert",
        denied=("save_alert",),
    )
    return HttpEndpoint(url, rules, {"authorization": f"Bearer {issued(url)}"}, others)


def judged(endpoint: Endpoint, revision: str, stage: str, fault: str) -> list[Outcome]:
    """Observe one stage as a run would, and judge what came back."""
    own = not fault or FAULTS[fault].pins == "own"
    asking = not fault or FAULTS[fault].check_id.startswith("mcp.mrtr.")
    plan = Plan(
        stage=stage,
        profile="default",
        revision=revision,
        transport="http" if isinstance(endpoint, HttpEndpoint) else "stdio",
        check_ids=(),
        # a case that lists tools gets no list where the list has no end
        suites=() if fault in ENDLESS else (SUITE,),
        # what varies from walk to walk cannot be pinned
        snapshot=None if fault in VARYING else tuple(listed(fault if own else "", 0)),
        safe_calls=SAFE_CALLS,
        observers=("files",),
        mrtr_tools=DECLARED if asking else {},
        # running the suites again takes two more processes, so only where it is the point
        coverage=CoveragePolicy(0.05, determinism=fault in ("", "suite-answer-varies")),
    )
    budget = Budget(Caps(run_s=300, call_s=30))
    return judge_transcript(asyncio.run(observe(plan, endpoint, budget, lambda *_: None)))


def blamed(outcomes: list[Outcome]) -> set[str]:
    return {o.check.id for o in outcomes if o.findings}


def both_stages(target: Callable[[], Endpoint], revision: str, fault: str = "") -> list[Outcome]:
    """Each stage on a target of its own: what one wrote is not the other's business."""
    conformance = judged(target(), revision, "conformance", fault)
    return [*conformance, *judged(target(), revision, "security", fault)]


def own_stage(fault: Fault) -> str:
    """The first stage that runs a fault's check."""
    return registry()[fault.check_id].stages[0].value


def proves(fault: Fault, outcomes: list[Outcome]) -> None:
    """The fault's own check found it, and no other check found anything."""
    assert blamed(outcomes) == {fault.check_id}
    # in its other stage a check may have nothing to look at
    verdicts = {o.verdict for o in outcomes if o.check.id == fault.check_id}
    verdicts -= {Verdict.NOT_APPLICABLE}
    must = registry()[fault.check_id].severity is Severity.MUST
    assert verdicts <= {Verdict.FAIL if must else Verdict.WARN, Verdict.PASS}
