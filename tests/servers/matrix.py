"""No other check: every twin × both revisions × its transports, over every check of both stages.

Minutes of work, so that `make test` leaves it out; `make matrix` and the pipeline run it.
"""

from functools import partial
from pathlib import Path

import pytest

from tests.servers.answers import LEGACY, MODERN
from tests.servers.deployments import DEPLOYED
from tests.servers.faults import FAULTS
from tests.servers.twins import (
    blamed,
    both_stages,
    deployed,
    judged,
    over_http,
    over_stdio,
    proves,
    running,
)

DEADLY = ("dies-of-malformed", "dies-of-arguments")
COMBINATIONS = [
    (name, transport, revision)
    for transport in ("stdio", "http")  # the slowest first
    for name, fault in FAULTS.items()
    if transport in fault.transports
    for revision in ((MODERN,) if fault.one_era else (MODERN, LEGACY))
]


@pytest.mark.parametrize(("name", "transport", "revision"), COMBINATIONS)
def test_each_twin_fails_its_own_check_and_no_other(
    port: int, tmp_path: Path, name: str, transport: str, revision: str
) -> None:
    target = partial(over_http, port) if transport == "http" else partial(over_stdio, tmp_path)
    outcomes = both_stages(partial(target, name), revision, name)
    if revision in FAULTS[name].revisions:
        proves(FAULTS[name], outcomes)
    else:
        assert blamed(outcomes) == set()


@pytest.mark.parametrize("revision", [MODERN, LEGACY])
@pytest.mark.parametrize("name", DEADLY)
def test_a_server_that_dies_over_http_is_blamed_for_that_alone(name: str, revision: str) -> None:
    with running("--fault", name) as number:
        found = blamed(judged(over_http(number), revision, "security", name))
    assert FAULTS[name].check_id in found
    # what comes after a death goes unanswered too, whichever of them it was
    assert found <= {FAULTS[n].check_id for n in (*DEADLY, "stuck-after-text")}


@pytest.mark.parametrize("revision", [MODERN, LEGACY])
@pytest.mark.parametrize("name", DEPLOYED)
def test_each_broken_deployment_fails_its_own_check_and_no_other(
    deployments: int, name: str, revision: str
) -> None:
    outcomes = both_stages(partial(deployed, deployments, name), revision)
    if revision in DEPLOYED[name].revisions:
        proves(DEPLOYED[name], outcomes)
    else:
        assert blamed(outcomes) == set()
