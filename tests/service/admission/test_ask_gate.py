import json
import sqlite3
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import pytest

from bundles.check import Subject, checks_for
from bundles.contract import files_contract
from bundles.errors import Conflict, Forbidden, Invalid, NotFound
from bundles.verdict import Severity, Stage, Verdict
from service.admission import static_stage
from service.admission.evidence import EXTENSION
from service.admission.policy import DEFAULT_POLICY
from service.admission.refusals import GateRefused
from service.store import tables
from tests.fixtures.world import outcome_of

DAY_S = 86_400


def ask(world, candidate, **more):
    return world.registry.ask_gate(world.me, candidate.id, **{"to": "REGISTRY_ADMITTED", **more})


def test_a_decided_gate_costs_one_statement_and_writes_nothing(world):
    candidate = world.admitted()
    first = ask(world, candidate)
    with world.counting() as statements:
        assert ask(world, candidate) == first
    assert len(statements) == 1
    assert statements[0].lstrip().startswith("SELECT")


def test_the_cost_of_the_gate_does_not_grow_with_history(world):
    candidate = world.admitted()
    ask(world, candidate)

    def costs():
        world.registry.put_policy(
            world.me, "lenient", {**DEFAULT_POLICY, "claims": {"default": next(rules)}}
        )
        with world.counting() as statements:
            ask(world, candidate)
        undecided = len(statements)
        with world.counting() as statements:
            ask(world, candidate)
        return undecided, len(statements)

    rules = iter(("verified", "shown") * 2)
    costs()  # both versions of the policy are kept from here on
    costs()
    few = costs()
    add_history(world, candidate, 10_000)
    assert costs() == few
    assert few[1] == 1


def add_history(world, candidate, count):
    """Evidence and decisions as a long life leaves them, written by the database itself."""
    postgresql = world.store.engine.dialect.name == "postgresql"
    numbers = (
        f"SELECT generate_series(1, {count}) AS n"
        if postgresql
        else "WITH RECURSIVE numbers(n) AS "
        f"(SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count}) SELECT n FROM numbers"
    )
    fresh_id = (
        "CAST(lpad(to_hex(n), 16, '0') || substr(replace(CAST(id AS text), '-', ''), 17) AS uuid)"
        if postgresql
        else "printf('%016x', n) || substr(id, 17)"
    )
    hexed = candidate.id.partition("_")[2]
    with world.store.engine.begin() as connection:
        for table, instead in (
            (tables.evidence, {"run_id": "NULL", "summary": "'{}'"}),
            (tables.decision, {"inputs_version": "0", "inputs": "'{}'"}),
        ):
            columns = [column.name for column in table.columns]
            values = {"id": fresh_id, "envelope": "key_id", **instead}
            if postgresql:
                values["envelope"] = "CAST(key_id AS bytea)"
            connection.exec_driver_sql(
                f"INSERT INTO {table.name} ({', '.join(columns)}) "
                f"SELECT {', '.join(values.get(c, c) for c in columns)} "
                f"FROM (SELECT * FROM {table.name} WHERE candidate_id = '{hexed}' LIMIT 1) AS one, "
                f"({numbers}) AS numbered"
            )


def test_many_askers_at_once_get_one_decision(world):
    candidate = world.admitted()
    with ThreadPoolExecutor(8) as pool:
        made = {d.id for d in pool.map(lambda _: ask(world, candidate, to="CANARY"), range(24))}
    assert len(made) == 1


def test_a_decision_holds_until_it_expires_and_is_then_made_anew(world):
    candidate = world.admitted()
    first = ask(world, candidate)
    world.clock.advance((first.valid_until - world.clock.now()) / 1_000_000 - 1)
    assert ask(world, candidate).id == first.id
    world.clock.advance(2)
    second = ask(world, candidate)
    assert second.id != first.id
    assert second.verdict == "PASS"
    world.clock.advance(31 * DAY_S)
    stale = ask(world, candidate)
    assert stale.verdict == "INCONCLUSIVE"
    assert {reason["code"] for reason in stale.reasons} == {"EVIDENCE_EXPIRED"}


def test_a_policy_edit_decides_again_and_voids_no_evidence(world):
    candidate = world.admitted()
    lenient = ask(world, candidate)
    world.registry.put_policy(world.me, "lenient", DEFAULT_POLICY)
    strict = ask(world, candidate)
    assert (lenient.verdict, strict.verdict) == ("PASS", "INCONCLUSIVE")
    assert lenient.policy_digest != strict.policy_digest
    assert {reason["code"] for reason in strict.reasons} == {"CLAIM_NOT_VERIFIED"}
    world.lenient()
    assert ask(world, candidate).verdict == "PASS"


def test_each_environment_is_a_question_of_its_own(world):
    candidate = world.admitted()
    staging, production = (ask(world, candidate, environment=e) for e in ("staging", "production"))
    assert staging.id != production.id
    assert production.environment == "production"


def test_every_stored_decision_replays_to_itself(world):
    candidate = world.register()
    seen = [ask(world, candidate, to=to) for to in ("CONFORMANCE_VERIFIED", "ACTIVE", "DRAFT")]
    world.verify(candidate, security=Verdict.INCONCLUSIVE)
    seen += [ask(world, candidate), ask(world, candidate, to="SECURITY_VERIFIED")]
    world.clock.advance(40 * DAY_S)
    seen.append(ask(world, candidate))
    for decision in seen:
        stored = world.registry.get_decision(world.me, decision.id)
        assert stored == decision
        replayed = world.registry.replay_decision(world.me, decision.id)
        assert replayed["agrees"], replayed
        assert replayed["stored"]["verdict"] == decision.verdict


def test_a_decision_survives_the_policy_it_was_made_under(world):
    candidate = world.register()
    decision = ask(world, candidate)
    assert decision.policy_name == "default"
    world.registry.put_policy(world.me, "default", {**DEFAULT_POLICY, "harness_versions": ["0"]})
    assert ask(world, candidate).policy_digest != decision.policy_digest
    assert world.registry.replay_decision(world.me, decision.id)["agrees"]


def test_evidence_of_another_build_is_named_where_ones_own_is_missing(world):
    world.verify(world.register(policy=world.lenient()))
    other = "sha256:" + "c" * 64
    newer = world.register(version="2.0.0", artifact_digest=other, policy="lenient")
    decision = ask(world, newer, to="CONFORMANCE_VERIFIED")
    assert decision.verdict == "INCONCLUSIVE"
    (reason,) = decision.reasons
    assert reason["code"] == "DIGEST_MISMATCH"
    assert other in reason["detail"]


def test_a_question_that_makes_no_sense_is_refused(world):
    candidate = world.register()
    with pytest.raises(Invalid, match="STATE_UNKNOWN"):
        ask(world, candidate, to="ADMITTED")
    with pytest.raises(Invalid, match="NAME_INVALID"):
        ask(world, candidate, environment="a b")
    for nothing in ("cand_" + "0" * 32, "cand_x", "run_" + "0" * 32, "nul\0"):
        with pytest.raises(NotFound, match="CANDIDATE_UNKNOWN"):
            world.registry.ask_gate(world.me, nothing, to="ACTIVE")


def move(world, candidate, to, expected, reason="because"):
    return world.registry.transition(
        world.me, candidate.id, to=to, expected_state=expected, reason=reason
    )


def signed(decision):
    payload = b64decode(json.loads(decision.envelope)["payload"])
    return json.loads(payload)["predicate"]


def test_a_stale_expectation_moves_nothing_and_names_the_actual_state(world):
    candidate = world.admitted()
    with pytest.raises(Conflict, match="STATE_MISMATCH") as refused:
        move(world, candidate, "CANARY", "SECURITY_VERIFIED")
    assert refused.value.seen == "REGISTRY_ADMITTED"
    with pytest.raises(Conflict, match="ILLEGAL_TRANSITION"):
        move(world, candidate, "SECURITY_VERIFIED", "REGISTRY_ADMITTED")
    with pytest.raises(Invalid, match="REASON_MISSING"):
        move(world, candidate, "CANARY", "REGISTRY_ADMITTED", reason="  ")


def test_of_many_movers_at_once_one_moves(world):
    candidate = world.admitted()

    def attempt(_):
        try:
            return move(world, candidate, "CANARY", "REGISTRY_ADMITTED")[0].id
        except Conflict as error:
            return error.reason_code

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(attempt, range(16)))
    assert said.count("STATE_MISMATCH") == 15
    after = world.registry.get_candidate(world.me, candidate.id)
    assert (after.state, after.state_version) == ("CANARY", candidate.state_version + 1)


def test_a_gate_that_cannot_tell_moves_nothing_and_its_decision_is_kept(world):
    candidate = world.verify(world.register())
    with pytest.raises(GateRefused, match="GATE_UNDECIDED") as refused:
        move(world, candidate, "SECURITY_VERIFIED", "CONFORMANCE_VERIFIED")
    decision = refused.value.decision
    assert decision == world.registry.get_decision(world.me, decision.id)
    assert refused.value.next_steps == decision.next_steps
    assert world.registry.get_candidate(world.me, candidate.id).state == "CONFORMANCE_VERIFIED"


def test_a_failed_re_verification_quarantines_and_closes_the_route(world):
    candidate = world.verify(world.admitted(), security=Verdict.FAIL)
    assert (candidate.state, candidate.route_enabled) == ("QUARANTINED", False)
    with pytest.raises(GateRefused):
        move(world, candidate, "REGISTRY_ADMITTED", "QUARANTINED")


def test_a_reopened_candidate_starts_over_and_old_evidence_no_longer_counts(world):
    candidate = world.verify(world.admitted(), security=Verdict.FAIL)
    world.clock.advance(1)
    made, decision = move(world, candidate, "DRAFT", "QUARANTINED", "a false alarm, verify again")
    assert (made.event, made.to_state, decision.verdict) == ("reopened", "DRAFT", "PASS")
    candidate = world.registry.get_candidate(world.me, candidate.id)
    assert (candidate.state, candidate.reopened_at) == ("STATIC_VALIDATED", world.clock.now())
    again = ask(world, candidate, to="CONFORMANCE_VERIFIED")
    assert {reason["code"] for reason in again.reasons} == {"EVIDENCE_BEFORE_REOPENING"}
    assert world.verify(candidate).state == "SECURITY_VERIFIED"


def test_only_a_yes_that_rests_on_evidence_is_signed_as_verified(world):
    admitted = world.admitted()
    canary = move(world, admitted, "CANARY", "REGISTRY_ADMITTED")[1]
    world.clock.advance(40 * 86_400)
    retired = ask(world, admitted, to="DEPRECATED")
    assert {canary.verdict, retired.verdict} == {"PASS"}
    assert signed(canary)["verificationResult"] == "PASSED"
    assert signed(retired)["verificationResult"] == "FAILED"


def test_a_canary_is_stopped_on_evidence_too_old_for_a_yes(world):
    admitted = world.admitted()
    move(world, admitted, "CANARY", "REGISTRY_ADMITTED")
    world.clock.advance(40 * 86_400)
    assert ask(world, admitted, to="REGISTRY_ADMITTED").verdict == "INCONCLUSIVE"
    made, decision = move(world, admitted, "REGISTRY_ADMITTED", "CANARY", "errors in canary")
    assert (made.event, made.to_state) == ("canary_stopped", "REGISTRY_ADMITTED")
    assert decision.verdict == "INCONCLUSIVE"
    assert not world.registry.get_candidate(world.me, admitted.id).route_enabled


def test_what_the_bundle_does_not_cover_stands_in_evidence_and_decision(world):
    candidate = world.register()
    (static,) = world.registry.list_evidence(world.me, candidate_id=candidate.id).items
    absent = files_contract().not_covered
    assert absent
    assert tuple(signed(static)[EXTENSION]["not_covered"]) == absent
    decision = ask(world, candidate)
    assert decision.not_covered == absent
    assert tuple(signed(decision)[EXTENSION]["not_covered"]) == absent
    assert world.registry.get_decision(world.me, decision.id) == decision


def test_a_run_under_a_profile_without_a_snapshot_says_that_it_compared_no_tools(world):
    candidate = world.verify(world.register())
    told = {
        e.stage: list(signed(e)[EXTENSION]["not_covered"])
        for e in world.registry.list_evidence(world.me, candidate_id=candidate.id).items
    }
    assert told["conformance"] == ["declarations.mcp_tools of profile default"]
    assert told["security"] == []


def test_what_only_promotion_forbids_keeps_a_candidate_in_canary(world):
    candidate = world.admitted()
    move(world, candidate, "CANARY", "REGISTRY_ADMITTED")
    document = json.loads(json.dumps(world.registry.get_policy(world.me, "lenient").document))
    document["transitions"]["ACTIVE"]["blocking_severity"] = "SHOULD"
    world.registry.put_policy(world.me, "lenient", document)
    held = world.claim(world.start(candidate, stages=["conformance"]))
    (seen,) = world.stages(held)
    checks = checks_for(Subject.TRANSCRIPT, Stage.CONFORMANCE)
    warns = next(check for check in checks if check.severity is Severity.SHOULD)
    told = outcome_of(warns, Verdict.FAIL)
    world.registry.conclude(held, [replace(seen, outcomes=(*seen.outcomes, told))])
    assert world.registry.get_candidate(world.me, candidate.id).state == "CANARY"
    blocked = ask(world, candidate, to="ACTIVE")
    assert "BLOCKING_FINDING" in {reason["code"] for reason in blocked.reasons}


def test_a_bundle_is_judged_before_the_transaction_that_reopens(sqlite_world, monkeypatch):
    candidate = sqlite_world.verify(sqlite_world.admitted(), security=Verdict.FAIL)
    judge, database = static_stage.judge_bundle, sqlite_world.store.engine.url.database
    judged = []

    def judge_while_others_write(contract):
        with closing(sqlite3.connect(database, timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")
        judged.append(contract.digest)
        return judge(contract)

    monkeypatch.setattr(static_stage, "judge_bundle", judge_while_others_write)
    move(sqlite_world, candidate, "DRAFT", "QUARANTINED")
    assert judged == [candidate.bundle_digest]


def test_a_reopening_that_is_refused_judges_no_bundle(sqlite_world, monkeypatch):
    rejected = sqlite_world.verify(sqlite_world.register("2.0.0"), security=Verdict.FAIL)
    admitted = sqlite_world.admitted()
    monkeypatch.setattr(static_stage, "judge_bundle", lambda _: pytest.fail("judged"))
    with pytest.raises(Conflict, match="STATE_MISMATCH"):
        move(sqlite_world, rejected, "DRAFT", "QUARANTINED")
    with pytest.raises(Conflict, match="ILLEGAL_TRANSITION"):
        move(sqlite_world, admitted, "DRAFT", "REGISTRY_ADMITTED")


def test_moving_needs_its_scope(world):
    reader = world.principal(world.me.namespace, "runs:write")
    candidate = world.register()
    with pytest.raises(Forbidden, match="SCOPE_MISSING"):
        world.registry.transition(
            reader, candidate.id, to="DRAFT", expected_state="REJECTED", reason="x"
        )
