"""What is kept for later: audit, policies, keys, summaries, signatures over the very bytes."""

import json
from dataclasses import replace

import pytest

from bundles.digest import raw_digest
from bundles.errors import Conflict, Forbidden, Invalid, NotFound, Unreachable
from bundles.transcript_json import transcript_from_json
from bundles.verdict import Verdict
from service.admission.dsse import TrustedKey
from service.admission.evidence import VERIFIER_ID
from service.admission.policies import read_stored
from service.admission.policy import DEFAULT_POLICY
from service.admission.verifier import verify
from tests.fixtures.world import ARTIFACT, OTHER_ARTIFACT, SIGNER, World

WRITES = {
    "token.create",
    "bundle.submit",
    "policy.put",
    "candidate.register",
    "run.start",
    "run.conclude",
    "transition",
    "transition.refuse",
}


def test_every_write_has_its_audit_entry(world):
    candidate = world.admitted()
    world.registry.transition(
        world.me, candidate.id, to="CANARY", expected_state="REGISTRY_ADMITTED", reason="go"
    )
    with pytest.raises(Forbidden, match="GATE_UNDECIDED"):
        world.registry.transition(
            world.me, candidate.id, to="ACTIVE", expected_state="CANARY", reason="go on"
        )
    admin = world.principal(world.me.namespace, "admin")
    entries = world.registry.audit(admin, limit=200).items
    assert {entry.action for entry in entries} == WRITES
    assert [e.at for e in entries] == sorted((e.at for e in entries), reverse=True)
    with pytest.raises(Forbidden, match="SCOPE_MISSING"):
        world.registry.audit(world.me)


def test_evidence_and_decisions_verify_with_the_public_key_alone(world):
    candidate = world.admitted()
    (key,) = [k for k in world.registry.keys(world.me) if k.key_id == SIGNER.key_id]
    trusted = [TrustedKey.from_pem(key.public_pem.encode(), VERIFIER_ID)]
    subjects = {"artifact": ARTIFACT}
    for evidence in world.registry.list_evidence(world.me).items:
        assert verify(evidence.envelope, trusted, subjects)
    decision = world.registry.ask_gate(world.me, candidate.id, to="CANARY")
    assert verify(decision.envelope, trusted, subjects)


def test_a_stored_transcript_is_read_back_as_the_worker_saw_it(world):
    held = world.claim(world.start(world.register()))
    found = world.stages(held)
    world.registry.conclude(held, found)
    stored = {
        record.stage: json.loads(world.registry.run_transcript(world.me, held.run.id, record.id))
        for record in world.registry.run_transcripts(world.me, held.run.id)
    }
    for stage in found:
        assert transcript_from_json(stored[stage.plan.stage]) == stage.transcript


def test_the_summary_tells_what_counts_now(world):
    candidate = world.register()
    pending = world.registry.candidate_verification(world.me, candidate.id)
    assert pending["profiles_passed"] == []
    world.verify(candidate)
    summary = world.registry.candidate_verification(world.me, candidate.id)
    assert summary["profiles_passed"] == ["default"]
    assert summary["producer_digest"] == ARTIFACT
    assert summary["verified_at"] == world.clock.now()
    world.clock.advance(31 * 86_400)
    assert world.registry.candidate_verification(world.me, candidate.id)["profiles_passed"] == []
    world.clock.advance(-31 * 86_400)
    world.verify(candidate, security=Verdict.INCONCLUSIVE)
    assert world.registry.candidate_verification(world.me, candidate.id)["profiles_passed"] == []


def test_the_summary_counts_every_stage_of_this_very_build_since_it_was_reopened(world):
    def passed(candidate):
        return world.registry.candidate_verification(world.me, candidate.id)["profiles_passed"]

    other = world.register(policy=world.lenient())
    held = world.claim(world.start(other))
    wrong = [
        world.stage(held, s.stage, s.profile, Verdict.PASS, artifact_digest=OTHER_ARTIFACT)
        for s in held.run.stages
    ]
    world.registry.conclude(held, wrong)
    assert passed(other) == []

    half = world.register("2.0.0", policy="lenient")
    held = world.claim(world.start(half, stages=["conformance"]))
    world.registry.conclude(held, world.stages(held))
    assert passed(half) == []

    whole = world.admitted()
    assert passed(whole) == ["default"]
    for to, expected in (("QUARANTINED", "REGISTRY_ADMITTED"), ("DRAFT", "QUARANTINED")):
        world.clock.advance(1)
        world.registry.transition(
            world.me, whole.id, to=to, expected_state=expected, reason="a false alarm"
        )
    assert passed(whole) == []


def test_policies_are_versions_of_which_one_decides(world):
    registry, me = world.registry, world.me
    assert registry.get_policy(me, "default").created_by == "built in"
    shown = {**DEFAULT_POLICY, "claims": {"default": "shown"}}
    first, created = registry.put_policy(me, "canary", shown)
    assert created
    assert registry.put_policy(me, "canary", shown) == (first, False)
    second, _ = registry.put_policy(me, "canary", DEFAULT_POLICY)
    assert registry.get_policy(me, "canary") == second
    back, created = registry.put_policy(me, "canary", shown)
    assert (back, created) == (first, False)
    assert [p.name for p in registry.list_policies(me)] == ["canary", "default"]
    with pytest.raises(NotFound, match="POLICY_UNKNOWN"):
        registry.get_policy(me, "other")
    with pytest.raises(Invalid, match="POLICY_INVALID"):
        registry.put_policy(me, "canary", {"stages": []})
    with pytest.raises(Forbidden, match="SCOPE_MISSING"):
        registry.put_policy(world.principal(me.namespace, "runs:write"), "canary", shown)


def test_a_policy_document_that_was_altered_in_the_database_decides_nothing(world):
    strict, _ = world.registry.put_policy(world.me, "strict", DEFAULT_POLICY)
    lax = {**strict.document, "claims": dict.fromkeys(strict.document["claims"], "shown")}
    assert read_stored(strict).digest == strict.digest
    altered = replace(strict, digest=raw_digest(b"never read before"), document=lax)
    with pytest.raises(Conflict) as refused:
        read_stored(altered)
    assert refused.value.reason_code == "POLICY_ALTERED"


def test_readiness_asks_database_and_broker(fresh_world):
    assert fresh_world.registry.ready() == {"database": True, "broker": True}
    fresh_world.queue.up = False
    with fresh_world.store.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE namespace RENAME TO elsewhere")
    assert fresh_world.registry.ready() == {"database": False, "broker": False}


def test_a_database_that_is_away_is_said_to_be_away(tmp_path):
    with pytest.raises(Unreachable, match="STORE_UNREACHABLE") as refused:
        World(f"postgresql://nobody:secret@/none?host={tmp_path}")
    assert "secret" not in str(refused.value.to_dict())
