"""The whole straight line, on the embedded default and on PostgreSQL with a broker of its own.

The same code by settings alone: submit, pin, register, verify live, sign, decide, move, query.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from bundlegate.client import Client
from bundlegate.folder import read_bundle
from bundles.archive import write_tar
from tests.fixtures.broker import Broker
from tests.fixtures.up import StartUp, Up
from tests.fixtures.weather import EXAMPLES, TWINS, WEATHER, artifact_digest, write_launchers

ADMITTED = "REGISTRY_ADMITTED"
PATIENCE_S = 300


@pytest.fixture(params=["sqlite", "postgresql"])
def up(request: pytest.FixtureRequest, start_up: StartUp, tmp_path: Path) -> Up:
    """A running service with the launchers of the example."""
    options = ("--launchers", str(write_launchers(tmp_path / "operator")))
    # Each process of a candidate imports a whole SDK, which takes long on a busy machine.
    settings = {"BUNDLEGATE_CALL_TIMEOUT_S": "60"}
    if request.param == "postgresql":
        broker: Broker = request.getfixturevalue("broker")
        settings["BUNDLEGATE_DATABASE_URL"] = request.getfixturevalue("postgres_url")
        settings["BUNDLEGATE_BROKER_URL"] = broker.url
    return start_up(*options, **settings)


def _register(client: Client, digest: str, name: str) -> str:
    made = client.register(
        bundle_digest=digest,
        version=name,
        artifact_digest=artifact_digest(name),
        targets=[{"name": name, "kind": "mcp+stdio", "launcher": name}],
        policy="demo",
    )
    assert made["candidate"]["state"] == "STATIC_VALIDATED"
    return str(made["candidate"]["id"])


def _over(client: Client, run: dict[str, Any]) -> dict[str, Any]:
    kinds = [event["kind"] for event in client.follow(run["id"], wait_s=PATIENCE_S)]
    assert {"queued", "claimed", "stage-started", "stage-finished"} <= set(kinds)
    return client.run(run["id"])


def test_the_good_one_is_admitted_and_each_broken_twin_rejected_with_its_code(up: Up) -> None:
    with up.client() as client:
        client.put_policy("demo", json.loads((EXAMPLES / "policies" / "demo.json").read_text()))
        archive = write_tar(read_bundle(WEATHER / "bundle"))
        submitted = client.submit(archive)
        assert submitted["verdict"] == "PASS"
        digest = submitted["bundle"]["digest"]
        assert client.submit(archive)["bundle"]["digest"] == digest
        assert client.archive(digest) == archive

        good = _register(client, digest, "server")
        started = client.start_run(good)
        twins = {
            name: (candidate, client.start_run(candidate, stages=[stage]), codes)
            for name, (stage, codes) in TWINS.items()
            for candidate in [_register(client, digest, name)]
        }

        assert _over(client, started)["verdict"] == "PASS"
        _admit(client, good)
        for candidate, run, codes in twins.values():
            assert _over(client, run)["verdict"] == "FAIL"
            _is_rejected(client, candidate, run["id"], codes)


def test_a_run_started_as_soon_as_all_is_ready_is_sent_at_once(
    start_up: StartUp, tmp_path: Path
) -> None:
    """The dispatcher would send it again an hour later: who claims it got the first message."""
    launchers = str(write_launchers(tmp_path / "operator"))
    up = start_up("--launchers", launchers, BUNDLEGATE_LEASE_S="3600")
    with up.client() as client:
        client.put_policy("demo", json.loads((EXAMPLES / "policies" / "demo.json").read_text()))
        digest = client.submit(write_tar(read_bundle(WEATHER / "bundle")))["bundle"]["digest"]
        run = client.start_run(_register(client, digest, "server"))
        events = client.follow(run["id"], wait_s=PATIENCE_S)
        assert any(event["kind"] == "claimed" for event in events)


def _admit(client: Client, good: str) -> None:
    assert client.candidate(good)["state"] == "SECURITY_VERIFIED"
    decision = client.gate(good, to=ADMITTED)
    assert decision["verdict"] == "PASS"
    assert decision["unverified_claims"]
    moved = client.transition(
        good, to=ADMITTED, expected_state="SECURITY_VERIFIED", reason="the straight line"
    )
    assert moved["transition"]["to_state"] == ADMITTED
    assert client.replay(moved["decision"]["id"])["agrees"]
    evidence = list(client.evidence_list(candidate_id=good))
    stages = sorted((each["stage"], each["verdict"]) for each in evidence)
    assert stages == [("conformance", "PASS"), ("security", "PASS"), ("static", "PASS")]
    assert {each["binding"] for each in evidence if each["stage"] != "static"} == {"measured"}
    assert [step["to_state"] for step in client.transitions(good)] == [
        "STATIC_VALIDATED",
        "CONFORMANCE_VERIFIED",
        "SECURITY_VERIFIED",
        ADMITTED,
    ]


def _is_rejected(client: Client, candidate: str, run_id: str, codes: set[str]) -> None:
    must = {f["reason_code"] for f in client.findings(run_id) if f["severity"] == "MUST"}
    assert must == codes
    assert client.candidate(candidate)["state"] == "REJECTED"
    assert client.gate(candidate, to=ADMITTED)["verdict"] == "FAIL"


def test_another_build_behind_the_launcher_ends_the_run_with_both_digests(up: Up) -> None:
    with up.client() as client:
        digest = client.submit(write_tar(read_bundle(WEATHER / "bundle")))["bundle"]["digest"]
        made = client.register(
            bundle_digest=digest,
            version="1",
            artifact_digest=artifact_digest("renamed_output"),
            targets=[{"name": "it", "kind": "mcp+stdio", "launcher": "server"}],
        )
        candidate = made["candidate"]["id"]
        run = client.start_run(candidate)
        list(client.follow(run["id"], wait_s=PATIENCE_S))
        over = client.run(run["id"])
        assert (over["verdict"], over["reason_code"]) == (
            "INCONCLUSIVE",
            "ARTIFACT_DIGEST_MISMATCH",
        )
        assert artifact_digest("server") in over["detail"]
        assert client.candidate(candidate)["state"] == "STATIC_VALIDATED"
