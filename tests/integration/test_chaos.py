"""Whatever is killed, whenever: no run is lost, none is judged twice, no process is left.

Each story stops a run in the middle, between the first request to the candidate and its answer.
"""

import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis

from bundlegate.client import Client
from bundlegate.starter import starter_files
from bundles.archive import write_tar
from tests.fixtures.held_server import HeldServer
from tests.fixtures.processes import until
from tests.fixtures.up import Up, children

STAGES = ("conformance", "security")
QUICK = {
    "BUNDLEGATE_LEASE_S": "4",
    "BUNDLEGATE_HEARTBEAT_S": "1",
    "BUNDLEGATE_CALL_TIMEOUT_S": "60",
    "BUNDLEGATE_MAX_ATTEMPTS": "10",
}


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """A service that may reach loopback, and gives up a dead worker after 4 s."""
    service = Up(
        tmp_path_factory.mktemp("chaos") / "data", ("--allow-egress", "127.0.0.1"), **QUICK
    )
    service.start()
    yield service
    service.close()


def _start(client: Client, held: HeldServer) -> tuple[str, str]:
    """Start a run of a candidate at the held server; candidate id, run id."""
    bundle = client.submit(write_tar(starter_files("chaos", "chaos-server")))["bundle"]
    made = client.register(
        bundle_digest=bundle["digest"],
        version=f"held-{held.server_port}",
        artifact_digest="sha256:" + "0" * 64,
        targets=[{"name": "held", "kind": "mcp+http", "url": held.url}],
    )
    candidate = str(made["candidate"]["id"])
    return candidate, str(client.start_run(candidate, stages=list(STAGES))["id"])


def _is_finished_once(client: Client, candidate: str, run_id: str) -> dict[str, Any]:
    def is_over() -> bool:
        return client.run(run_id)["state"] == "finished"

    until("the run is over", is_over, seconds=240)
    run = client.run(run_id)
    evidence = [e for e in client.evidence_list(candidate_id=candidate) if e["run_id"] == run_id]
    assert sorted(each["stage"] for each in evidence) == list(STAGES)
    assert run["reason_code"] is None, run
    return run


def _pool_children(up: Up) -> list[int]:
    return children(up.server("bg-worker"))


def _kill_children(up: Up) -> None:
    for pid in _pool_children(up):
        os.kill(pid, signal.SIGKILL)


def _kill_worker(up: Up) -> None:
    os.kill(up.server("bg-worker"), signal.SIGKILL)


def _kill_broker(up: Up) -> None:
    os.kill(up.server("valkey-server"), signal.SIGKILL)


def _flush_broker(up: Up) -> None:
    broker = redis.Redis(unix_socket_path=str(up.folder / "broker.sock"))
    broker.flushall()
    broker.close()


def _kill_broker_and_worker(up: Up) -> None:
    _flush_broker(up)
    _kill_broker(up)
    _kill_worker(up)


@pytest.mark.parametrize(
    ("accident", "attempts"),
    [
        (_kill_children, {2, 3}),
        (_kill_worker, {2, 3}),
        (_kill_broker, {1}),
        (_kill_broker_and_worker, {2, 3}),
    ],
)
def test_a_run_in_the_middle_survives(
    up: Up, held: HeldServer, accident: Callable[[Up], None], attempts: set[int]
) -> None:
    with up.client() as client:
        candidate, run_id = _start(client, held)
        assert held.asked.wait(60)
        accident(up)
        held.go_on.set()
        run = _is_finished_once(client, candidate, run_id)
        assert run["attempt"] in attempts


def test_runs_forgotten_by_the_broker_are_sent_again(up: Up, held: HeldServer) -> None:
    with up.client() as client:
        candidate, first = _start(client, held)
        assert held.asked.wait(60)
        later = [str(client.start_run(candidate, stages=list(STAGES))["id"]) for _ in range(3)]
        _flush_broker(up)
        held.go_on.set()
        for run_id in (first, *later):
            _is_finished_once(client, candidate, run_id)


def test_killing_the_whole_service_loses_nothing_at_the_next_start(
    up: Up, held: HeldServer
) -> None:
    with up.client() as client:
        candidate, running = _start(client, held)
        assert held.asked.wait(60)
        queued = [str(client.start_run(candidate, stages=list(STAGES))["id"]) for _ in range(2)]
    up.stop(signal.SIGKILL)
    held.go_on.set()
    up.start()
    with up.client() as client:
        for run_id in (running, *queued):
            _is_finished_once(client, candidate, run_id)


def test_ctrl_c_in_the_middle_gives_the_run_back_and_leaves_no_process(
    up: Up, held: HeldServer
) -> None:
    with up.client() as client:
        candidate, run_id = _start(client, held)
        assert held.asked.wait(60)
    assert up.stop(signal.SIGINT) == 0
    held.go_on.set()
    up.start()
    with up.client() as client:
        _is_finished_once(client, candidate, run_id)
        given_back = [
            e["body"] for e in client.follow(run_id, wait_s=30) if "reason_code" in e["body"]
        ]
        assert [body["reason_code"] for body in given_back] == ["WORKER_STOPPED"]


def test_a_cancelled_run_stops_in_the_middle(up: Up, held: HeldServer) -> None:
    with up.client() as client:
        _, run_id = _start(client, held)
        assert held.asked.wait(60)
        client.cancel(run_id)
        until("the run is cancelled", lambda: client.run(run_id)["state"] == "cancelled")
        assert client.run(run_id)["reason_code"] == "RUN_CANCELLED"
