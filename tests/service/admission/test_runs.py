from concurrent.futures import ThreadPoolExecutor

import pytest

from bundles.check import Subject, checks_for
from bundles.errors import Conflict, Invalid, NotFound
from bundles.verdict import Stage, Verdict
from service.admission import record, static_stage, submit
from service.admission.model import Target
from tests.fixtures.world import OTHER_ARTIFACT, World, outcome_of

TARGETS = (
    Target(name="a", kind="mcp+stdio", launcher="example", profile="one"),
    Target(name="b", kind="mcp+stdio", launcher="example", profile="two"),
)


def test_a_run_covers_what_the_policy_asks_for_under_every_profile(world):
    run = world.start(world.register(targets=TARGETS))
    assert [(s.stage, s.profile) for s in run.stages] == [
        ("conformance", "one"),
        ("conformance", "two"),
        ("security", "one"),
        ("security", "two"),
    ]
    assert (run.state, run.attempt, run.max_attempts) == ("queued", 0, 3)
    assert run == world.registry.get_run(world.me, run.id)
    assert world.queue.sent == [run.id]


def test_a_run_may_be_asked_to_cover_less(world):
    candidate = world.register(targets=TARGETS)
    run = world.start(candidate, stages=["security"], profiles=["two"])
    assert [(s.stage, s.profile) for s in run.stages] == [("security", "two")]
    with pytest.raises(Invalid, match="STAGE_UNKNOWN"):
        world.start(candidate, stages=["static"])
    with pytest.raises(Invalid, match="STAGE_UNKNOWN"):
        world.start(candidate, stages=[])
    with pytest.raises(Invalid, match="PROFILE_WITHOUT_TARGET"):
        world.start(candidate, profiles=["three"])


def test_a_run_renews_static_evidence_that_is_not_of_today(world):
    def static():
        found = world.registry.list_evidence(world.me, candidate_id=candidate.id, stage="static")
        return [evidence.verified_at for evidence in found.items]

    candidate = world.admitted()
    world.verify(candidate)
    assert len(static()) == 1
    world.clock.advance(31 * 86_400)
    ended = world.registry.ask_gate(world.me, candidate.id, to="CANARY")
    assert "static" in {reason["stage"] for reason in ended.reasons}
    world.verify(candidate)
    assert static()[0] == world.clock.now()
    assert world.registry.ask_gate(world.me, candidate.id, to="CANARY").verdict == "PASS"


def test_an_upgraded_harness_judges_the_bundle_again_with_the_next_run(world, monkeypatch):
    candidate = world.register(policy=world.lenient())
    for module in (record, static_stage, submit):
        monkeypatch.setattr(module, "HARNESS_VERSION", "0.2.0")
    document = {**world.registry.get_policy(world.me, "lenient").document}
    world.registry.put_policy(world.me, "lenient", {**document, "harness_versions": ["0.2.0"]})
    before = world.registry.ask_gate(world.me, candidate.id, to="STATIC_VALIDATED")
    assert [reason["code"] for reason in before.reasons] == ["HARNESS_NOT_ACCEPTED"]
    assert world.verify(candidate).state == "SECURITY_VERIFIED"
    assert world.registry.get_bundle(world.me, candidate.bundle_digest).harness_version == "0.2.0"


def test_a_bundle_that_an_upgraded_harness_fails_takes_its_candidate_along(world, monkeypatch):
    candidate = world.admitted()
    failing = next(check for check in checks_for(Subject.BUNDLE, Stage.STATIC))
    monkeypatch.setattr(static_stage, "judge_bundle", lambda _: [outcome_of(failing, Verdict.FAIL)])
    world.clock.advance(2 * 86_400)
    world.start(candidate)
    assert world.registry.get_candidate(world.me, candidate.id).state == "QUARANTINED"


@pytest.fixture
def judged(monkeypatch):
    """The digests of the bundles that were judged since."""
    judge, seen = static_stage.judge_bundle, []

    def noted(contract):
        seen.append(contract.digest)
        return judge(contract)

    monkeypatch.setattr(static_stage, "judge_bundle", noted)
    return seen


def test_a_run_that_is_refused_or_was_made_before_judges_no_bundle(world, judged):
    candidate, closed = world.register(), world.register("2.0.0")
    world.verify(closed, security=Verdict.FAIL)
    made, _ = world.registry.start_run(world.me, candidate.id, idempotency_key="k")
    world.clock.advance(2 * 86_400)
    judged.clear()
    assert world.registry.start_run(world.me, candidate.id, idempotency_key="k") == (made, False)
    for asked, code in (
        ({"idempotency_key": "k", "stages": ["security"]}, "IDEMPOTENCY_KEY_REUSED"),
        ({"stages": ["static"]}, "STAGE_UNKNOWN"),
        ({"profiles": ["none-such"]}, "PROFILE_WITHOUT_TARGET"),
    ):
        with pytest.raises((Conflict, Invalid), match=code):
            world.start(candidate, **asked)
    with pytest.raises(Conflict, match="CANDIDATE_CLOSED"):
        world.start(closed)
    assert judged == []
    world.start(candidate)
    assert judged == [candidate.bundle_digest]


def test_whether_a_run_would_judge_the_bundle_is_known_before(world):
    def due(candidate):
        return world.registry.run_renews_static(world.me, candidate.id)

    candidate, closed = world.register(), world.register("2.0.0")
    world.verify(closed, security=Verdict.FAIL)
    assert not due(candidate)
    world.clock.advance(2 * 86_400)
    assert due(candidate)
    assert not due(closed)
    world.start(candidate)
    assert not due(candidate)
    with pytest.raises(NotFound, match="CANDIDATE_UNKNOWN"):
        world.registry.run_renews_static(world.me, "cand_" + "0" * 32)


def test_runs_that_judge_a_bundle_at_the_same_time_renew_its_evidence_once(world):
    candidate = world.register()
    world.clock.advance(2 * 86_400)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: world.start(candidate), range(4)))
    found = world.registry.list_evidence(world.me, candidate_id=candidate.id, stage="static")
    assert len(found.items) == 2, "that of registration, and one new"


def test_the_same_request_under_one_key_is_one_run(world):
    candidate = world.register()
    with ThreadPoolExecutor(8) as pool:
        made = list(
            pool.map(
                lambda _: world.registry.start_run(world.me, candidate.id, idempotency_key="k"),
                range(16),
            )
        )
    assert len({run.id for run, _ in made}) == 1
    assert sum(created for _, created in made) == 1
    assert len(world.registry.list_runs(world.me).items) == 1
    with pytest.raises(Conflict, match="IDEMPOTENCY_KEY_REUSED"):
        world.start(candidate, idempotency_key="k", stages=["security"])
    with pytest.raises(Invalid, match="IDEMPOTENCY_KEY_INVALID"):
        world.start(candidate, idempotency_key="line\nbreak")


def test_a_rejected_candidate_is_not_run(world):
    candidate = world.verify(world.register(), security=Verdict.FAIL)
    with pytest.raises(Conflict, match="CANDIDATE_CLOSED"):
        world.start(candidate)


def test_of_many_workers_one_gets_the_run(world):
    run = world.start(world.register())
    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(lambda n: world.registry.claim(run.id, f"w-{n}"), range(16)))
    (held,) = [claim for claim in claims if claim is not None]
    assert (held.run.state, held.run.attempt, held.fence) == ("running", 1, 1)
    assert world.registry.claim("run_" + "0" * 32, "w") is None
    assert world.registry.claim("nonsense", "w") is None


def test_a_late_worker_changes_nothing(world):
    late = world.claim(world.start(world.register(policy=world.lenient())))
    world.clock.advance(61)
    held = world.claim(late.run)
    assert (held.fence, held.run.attempt) == (2, 2)
    for act in (
        lambda: world.registry.heartbeat(late.run.id, late.fence),
        lambda: world.registry.progress(late.run.id, late.fence, "stimulus", {}),
        lambda: world.registry.conclude(late, world.stages(late, security=Verdict.FAIL)),
        lambda: world.registry.abandon(late, "WORKER_STOPPED", "stopping"),
    ):
        with pytest.raises(Conflict, match="LEASE_LOST"):
            act()
    assert world.registry.run_outcomes(world.me, late.run.id) == []
    done = world.registry.conclude(held, world.stages(held))
    assert done.verdict == "PASS"
    with pytest.raises(Conflict, match="LEASE_LOST"):
        world.registry.conclude(held, world.stages(held))
    found = world.registry.list_evidence(world.me, candidate_id=held.candidate.id)
    assert sorted(e.stage for e in found.items) == ["conformance", "security", "static"]


def test_a_worker_whose_lease_is_over_has_lost_it_though_nobody_took_the_run(world):
    held = world.claim(world.start(world.register()))
    world.clock.advance(61)
    with pytest.raises(Conflict, match="LEASE_LOST"):
        world.registry.conclude(held, world.stages(held))


def test_heartbeats_keep_the_lease(world):
    held = world.claim(world.start(world.register()))
    for _ in range(10):
        world.clock.advance(40)
        assert world.registry.heartbeat(held.run.id, held.fence) is True
    assert world.registry.claim(held.run.id, "thief") is None
    assert world.registry.conclude(held, world.stages(held)).state == "finished"


def test_an_abandoned_run_is_offered_again_at_once_until_attempts_run_out(fresh_world):
    world = fresh_world
    candidate = world.register(policy=world.lenient())
    run = world.start(candidate)
    for attempt in (1, 2):
        held = world.claim(run)
        given_back = world.registry.abandon(held, "WORKER_STOPPED", "going down")
        assert (given_back.state, given_back.attempt) == ("queued", attempt)
        assert world.registry.dispatchable() == [run.id]
        assert world.registry.dispatchable() == []
    ended = world.registry.abandon(world.claim(run), "WORKER_STOPPED", "nul\0 and half\ud800")
    assert (ended.state, ended.verdict, ended.reason_code) == (
        "finished",
        "INCONCLUSIVE",
        "WORKER_STOPPED",
    )
    assert [stage.verdict for stage in ended.stages] == ["INCONCLUSIVE"] * 2
    decision = world.registry.ask_gate(world.me, candidate.id, to="CONFORMANCE_VERIFIED")
    assert decision.verdict == "INCONCLUSIVE"
    assert world.registry.get_candidate(world.me, candidate.id).state == "STATIC_VALIDATED"


def test_a_refusal_that_would_come_again_ends_the_run_at_once(world):
    held = world.claim(world.start(world.register()))
    ended = world.registry.abandon(held, "LAUNCHER_UNKNOWN", "no such launcher", retry=False)
    assert (ended.state, ended.verdict, ended.attempt) == ("finished", "INCONCLUSIVE", 1)


def test_runs_nobody_took_are_offered_again_after_a_lease_time(fresh_world):
    world = fresh_world
    runs = [world.start(world.register(version=str(n))).id for n in range(3)]
    assert world.registry.dispatchable() == []
    world.clock.advance(60)
    assert world.registry.dispatchable(limit=2) == runs[:2]
    assert world.registry.dispatchable() == runs[2:]
    assert world.registry.dispatchable() == []


def test_two_dispatchers_never_offer_the_same_run_twice(fresh_world):
    world = fresh_world
    runs = [world.start(world.register(version=str(n))).id for n in range(12)]
    world.clock.advance(60)
    with ThreadPoolExecutor(6) as pool:
        offered = list(pool.map(lambda _: world.registry.dispatchable(limit=5), range(6)))
    assert sorted(run for some in offered for run in some) == sorted(runs)


def test_dead_workers_runs_come_back_and_end_inconclusive_after_the_last_attempt(fresh_world):
    world = fresh_world
    run = world.start(world.register())
    for _ in range(2):
        world.claim(run)
        assert world.registry.expire_leases() == 0
        world.clock.advance(60)
        assert world.registry.expire_leases() == 1
        waiting = world.registry.get_run(world.me, run.id)
        assert (waiting.state, waiting.reason_code) == ("queued", "ATTEMPT_LOST")
    world.claim(run)
    world.clock.advance(60)
    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(lambda _: world.registry.expire_leases(), range(4))) == 1
    ended = world.registry.get_run(world.me, run.id)
    assert (ended.state, ended.verdict, ended.reason_code) == (
        "finished",
        "INCONCLUSIVE",
        "ATTEMPTS_EXHAUSTED",
    )
    assert world.registry.claim(run.id, "w") is None


def test_a_queued_run_is_cancelled_at_once_and_a_running_one_at_its_heartbeat(world):
    candidate = world.register()
    queued = world.start(candidate)
    assert world.registry.cancel_run(world.me, queued.id).state == "cancelled"
    assert world.registry.claim(queued.id, "w") is None

    held = world.claim(world.start(candidate))
    running = world.registry.cancel_run(world.me, held.run.id)
    assert (running.state, running.cancel_requested) == ("running", True)
    assert world.registry.cancel_run(world.me, held.run.id).state == "running"
    assert world.registry.heartbeat(held.run.id, held.fence) is False
    ended = world.registry.abandon(held, "RUN_CANCELLED", "asked to stop")
    assert (ended.state, ended.reason_code) == ("cancelled", "RUN_CANCELLED")
    assert world.registry.cancel_run(world.me, held.run.id) == ended

    held = world.claim(world.start(candidate))
    world.registry.conclude(held, world.stages(held))
    with pytest.raises(Conflict, match="RUN_FINISHED"):
        world.registry.cancel_run(world.me, held.run.id)


def test_a_stage_the_worker_forgot_makes_the_run_inconclusive(world):
    held = world.claim(world.start(world.register()))
    done = world.registry.conclude(held, world.stages(held)[:1])
    assert (done.verdict, done.reason_code) == ("INCONCLUSIVE", "STAGE_NOT_CONCLUDED")
    assert [(s.stage, s.verdict) for s in done.stages] == [
        ("conformance", "PASS"),
        ("security", "INCONCLUSIVE"),
    ]
    assert done.stages[1].evidence_id is None


def test_an_older_pass_never_stands_in_for_the_latest_run(world):
    candidate = world.admitted()
    asked = {"to": "REGISTRY_ADMITTED"}
    assert world.registry.ask_gate(world.me, candidate.id, **asked).verdict == "PASS"
    world.start(candidate)
    pending = world.registry.ask_gate(world.me, candidate.id, **asked)
    assert pending.verdict == "INCONCLUSIVE"
    assert {reason["code"] for reason in pending.reasons} == {"STAGE_RUNNING"}


def test_an_overtaken_run_does_not_become_the_latest_word(world):
    candidate = world.register(policy=world.lenient())
    slow = world.claim(world.start(candidate))
    quick = world.claim(world.start(candidate))
    world.registry.conclude(quick, world.stages(quick))
    world.registry.conclude(slow, world.stages(slow, conformance=Verdict.INCONCLUSIVE))
    assert world.registry.get_candidate(world.me, candidate.id).state == "SECURITY_VERIFIED"
    assert world.registry.ask_gate(world.me, candidate.id, to="REGISTRY_ADMITTED").verdict == "PASS"


def test_evidence_about_another_artifact_is_refused_by_name(world):
    candidate = world.register(policy=world.lenient())
    held = world.claim(world.start(candidate))
    wrong = [
        world.stage(held, s.stage, s.profile, Verdict.PASS, artifact_digest=OTHER_ARTIFACT)
        for s in held.run.stages
    ]
    world.registry.conclude(held, wrong)
    decision = world.registry.ask_gate(world.me, candidate.id, to="CONFORMANCE_VERIFIED")
    (reason, *_) = decision.reasons
    assert (decision.verdict, reason["code"]) == ("INCONCLUSIVE", "DIGEST_MISMATCH")
    assert OTHER_ARTIFACT in reason["detail"]


def test_what_a_run_left_is_read_back(world):
    held = world.claim(world.start(world.register()))
    world.registry.progress(held.run.id, held.fence, "stimulus", {"said": "nul\0 half\ud800"})
    done = world.registry.conclude(held, world.stages(held, security=Verdict.FAIL))
    registry, me, run = world.registry, world.me, held.run.id
    events = registry.run_events(me, run)
    assert [event.kind for event in events] == ["queued", "claimed", "stimulus", "finished"]
    assert [event.seq for event in events] == [1, 2, 3, 4]
    assert events[2].body == {"said": "nul\0 half\ud800"}
    assert registry.run_events(me, run, after_seq=3) == events[3:]
    outcomes = registry.run_outcomes(me, run)
    assert {o["stage"] for o in outcomes} == {"conformance", "security"}

    first = registry.run_findings(me, run, limit=1)
    rest = registry.run_findings(me, run, cursor=first.next, limit=200)
    findings = [*first.items, *rest.items]
    assert findings
    assert {(f["stage"], f["profile"]) for f in findings} == {("security", "default")}

    for kept in registry.run_transcripts(me, run):
        content = registry.run_transcript(me, run, kept.id)
        assert len(content) == kept.size
        (evidence,) = [
            registry.get_evidence(me, s.evidence_id) for s in done.stages if s.stage == kept.stage
        ]
        assert evidence.transcript_digest == kept.digest
    with pytest.raises(NotFound, match="TRANSCRIPT_UNKNOWN"):
        registry.run_transcript(me, run, "tx_" + "0" * 32)


def test_what_moved_on_is_known_in_two_statements(world: World):
    candidate = world.register()
    run = world.start(candidate)
    seen = world.registry.get_candidate(world.me, candidate.id).inputs_version
    watched = {"runs": {run.id: 1}, "candidates": {candidate.id: seen}}
    with world.counting() as statements:
        assert world.registry.changed_since(**watched) == frozenset()
    assert len(statements) == 2
    held = world.claim(run)
    assert world.registry.changed_since(**watched) == {run.id}
    world.registry.conclude(held, world.stages(held))
    assert world.registry.changed_since(**watched) == {run.id, candidate.id}
    assert world.registry.changed_since(runs={}, candidates={}) == frozenset()
