"""On the wire: the healthy server passes every check, and each broken twin fails its own.

Each twin runs once here, in the stage of its check. That no other check blames it, in either stage,
revision and transport, is what `make matrix` proves (`matrix.py`).
"""

from functools import partial
from pathlib import Path

import pytest

from bundles.check import Subject, registry
from bundles.verdict import Verdict, of_run
from tests.servers.answers import LEGACY, MODERN
from tests.servers.deployments import DEPLOYED
from tests.servers.faults import FAULTS
from tests.servers.twins import (
    CLAIM_CHECKS,
    both_stages,
    judged,
    over_http,
    over_stdio,
    own_stage,
    proves,
)


@pytest.mark.parametrize("revision", [MODERN, LEGACY])
def test_the_healthy_server_passes_every_check_over_http(port: int, revision: str) -> None:
    outcomes = both_stages(partial(over_http, port), revision)
    assert {o.verdict for o in outcomes if o.check.id not in CLAIM_CHECKS} <= {
        Verdict.PASS,
        Verdict.NOT_APPLICABLE,
    }
    # nobody can watch the folder of a remote server, and the evidence says so
    unwatched = {o.unverified_claim for o in outcomes if o.check.id in CLAIM_CHECKS}
    hints = {"read-only-hint", "idempotent-hint", "destructive-hint"}
    assert unwatched == {*hints, "refused-calls"}


@pytest.mark.parametrize("revision", [MODERN, LEGACY])
def test_the_healthy_server_passes_every_check_over_stdio(tmp_path: Path, revision: str) -> None:
    outcomes = both_stages(partial(over_stdio, tmp_path), revision)
    assert {o.verdict for o in outcomes} <= {Verdict.PASS, Verdict.NOT_APPLICABLE}
    assert of_run(o.verdict for o in outcomes) is Verdict.PASS
    assert {o.verdict for o in outcomes if o.check.id in CLAIM_CHECKS} == {Verdict.PASS}


@pytest.mark.parametrize("name", FAULTS)
def test_each_twin_fails_its_own_check_and_no_other_of_its_stage(
    port: int, tmp_path: Path, name: str
) -> None:
    fault = FAULTS[name]
    endpoint = over_http(port, name) if "http" in fault.transports else over_stdio(tmp_path, name)
    proves(fault, judged(endpoint, fault.revisions[0], own_stage(fault), name))


def test_every_live_check_has_its_broken_twin() -> None:
    live = {c.id for c in registry().values() if c.subject is Subject.TRANSCRIPT}
    assert {fault.check_id for fault in (FAULTS | DEPLOYED).values()} == live
