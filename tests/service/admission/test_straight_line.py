"""From a submitted bundle to an admitted candidate, through the use cases alone."""

from bundles.verdict import Verdict


def test_a_good_candidate_is_admitted_and_every_step_is_on_file(world):
    candidate = world.register(policy=world.lenient())
    assert candidate.state == "STATIC_VALIDATED"

    run, created = world.registry.start_run(world.me, candidate.id)
    assert created
    assert world.queue.sent == [run.id]
    held = world.claim(run)
    assert set(held.files) == {"bundle.yaml"}
    done = world.registry.conclude(held, world.stages(held))
    assert (done.state, done.verdict) == ("finished", "PASS")
    assert all(stage.evidence_id for stage in done.stages)
    candidate = world.registry.get_candidate(world.me, candidate.id)
    assert candidate.state == "SECURITY_VERIFIED"

    transition, decision = world.registry.transition(
        world.me,
        candidate.id,
        to="REGISTRY_ADMITTED",
        expected_state="SECURITY_VERIFIED",
        reason="ready",
    )
    assert transition.decision_id == decision.id
    moves = [t.to_state for t in world.registry.list_transitions(world.me, candidate.id)]
    assert moves == [
        "STATIC_VALIDATED",
        "CONFORMANCE_VERIFIED",
        "SECURITY_VERIFIED",
        "REGISTRY_ADMITTED",
    ]
    for move in world.registry.list_transitions(world.me, candidate.id):
        assert world.registry.replay_decision(world.me, move.decision_id)["agrees"]


def test_a_failing_candidate_is_rejected_and_the_decision_says_why(world):
    candidate = world.verify(world.register(policy=world.lenient()), conformance=Verdict.FAIL)
    assert candidate.state == "REJECTED"
    last = world.registry.list_transitions(world.me, candidate.id)[-1]
    decision = world.registry.get_decision(world.me, last.decision_id)
    assert decision.verdict == "FAIL"
    assert "STAGE_FAILED" in {reason["code"] for reason in decision.reasons}
    assert world.registry.replay_decision(world.me, decision.id)["agrees"]
