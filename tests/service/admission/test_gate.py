"""The gate, one reason at a time: each has its code, its evidence and its next step."""

import json
from copy import deepcopy
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from bundles.check import registry
from bundles.claims import CLAIMS
from bundles.verdict import Verdict
from service.admission.facts import FindingFact, GateInputs, UnverifiedClaim
from service.admission.gate import DAY_US, LONGEST_RULING_US, STATIC_PROFILE, gate
from service.admission.lifecycle import FORWARD, TRANSITIONS, WITHDRAWALS, Event
from service.admission.model import State
from service.admission.policy import DEFAULT_POLICY, GATED_STATES, Policy, read_policy
from tests.service.admission.gate_facts import (
    ARTIFACT,
    BUNDLE,
    NOW,
    OTHER,
    POLICY,
    evidence,
    facts,
    failing,
    without,
    word,
)


def policy(**changes: Any) -> Policy:
    document = deepcopy(dict(DEFAULT_POLICY))
    document["claims"].update(changes.pop("claims", {}))
    for requirement in document["transitions"].values():
        requirement.update(changes)
    return read_policy(document)


def test_a_candidate_whose_every_stage_passed_is_admitted_without_reasons() -> None:
    ruling = gate(facts(), POLICY, NOW)
    assert ruling.verdict is Verdict.PASS
    assert ruling.reasons == ()
    assert ruling.next_steps == ()
    assert ruling.failed_stages == ()


SPOILT = {
    "missing": (
        without(facts(), "security"),
        "STAGE_MISSING",
        "run the security stage for profile default",
    ),
    "queued": (
        facts(word("security", state="queued", verdict=None, evidence=None)),
        "STAGE_RUNNING",
        "wait for run run_security to conclude",
    ),
    "running": (
        facts(word("security", state="running", verdict=None, evidence=None)),
        "STAGE_RUNNING",
        "wait for run run_security to conclude",
    ),
    "inconclusive": (
        facts(word("security", verdict="INCONCLUSIVE", evidence__verdict="INCONCLUSIVE")),
        "STAGE_INCONCLUSIVE",
        "run the security stage again for profile default",
    ),
    "row says pass, evidence does not": (
        facts(word("security", evidence__verdict="INCONCLUSIVE")),
        "STAGE_INCONCLUSIVE",
        "run the security stage again for profile default",
    ),
    "given up": (
        facts(word("security", verdict="INCONCLUSIVE", evidence=None, detail="server hung")),
        "STAGE_INCONCLUSIVE",
        "run the security stage again for profile default",
    ),
    "cancelled": (
        facts(word("security", state="cancelled", verdict=None, evidence=None)),
        "STAGE_INCONCLUSIVE",
        "run the security stage again for profile default",
    ),
    "unsigned": (
        facts(word("security", evidence=None)),
        "EVIDENCE_MISSING",
        "run the security stage again for profile default",
    ),
    "expired": (
        facts(word("security", evidence__expires_at=NOW)),
        "EVIDENCE_EXPIRED",
        "run the security stage again for profile default",
    ),
    "older than policy accepts": (
        facts(word("security", evidence__verified_at=NOW - 30 * DAY_US)),
        "EVIDENCE_EXPIRED",
        "run the security stage again for profile default",
    ),
    "from before reopening": (
        facts(word("security", created_at=NOW - 2 * DAY_US), reopened_at=NOW - 2 * DAY_US + 1),
        "EVIDENCE_BEFORE_REOPENING",
        "run the security stage again for profile default",
    ),
    "other artifact": (
        facts(word("security", evidence__artifact_digest=OTHER)),
        "DIGEST_MISMATCH",
        "verify this exact build: evidence never moves from one digest to another",
    ),
    "other bundle": (
        facts(word("security", evidence__bundle_digest=OTHER)),
        "DIGEST_MISMATCH",
        "verify this exact build: evidence never moves from one digest to another",
    ),
    "stale harness": (
        facts(word("security", evidence__harness_version="0.0.9")),
        "HARNESS_NOT_ACCEPTED",
        "run the stage again with an accepted harness version",
    ),
    "weak binding": (
        facts(word("security", evidence__binding="claimed")),
        "BINDING_TOO_WEAK",
        "verify through a launcher that measures what it starts",
    ),
    "unwatched claim": (
        facts(
            word(
                "security",
                evidence__unverified_claims=(
                    UnverifiedClaim("read-only-hint", "mcp.a", "no observer was attached"),
                ),
            )
        ),
        "CLAIM_NOT_VERIFIED",
        "attach the observer that can watch it and run again, or name a policy that lets it stand",
    ),
    "marked": (
        facts(needs_reverification=True),
        "REVERIFICATION_DUE",
        "run every required stage again",
    ),
    "no target": (
        facts(profiles=()),
        "NO_PROFILE",
        "register the candidate with at least one target",
    ),
}


@pytest.mark.parametrize("case", SPOILT)
def test_what_is_not_known_is_not_yet_and_says_which_step_would_tell(case: str) -> None:
    inputs, code, step = SPOILT[case]
    ruling = gate(inputs, POLICY, NOW)
    assert ruling.verdict is Verdict.INCONCLUSIVE
    assert [reason.code for reason in ruling.reasons] == [code]
    assert ruling.next_steps == (step,)
    assert ruling.failed_stages == ()


def test_a_failed_stage_is_a_certain_no_with_the_findings_and_their_evidence() -> None:
    ruling = gate(facts(failing("security")), POLICY, NOW)
    assert ruling.verdict is Verdict.FAIL
    assert [r.code for r in ruling.reasons] == ["STAGE_FAILED", "BLOCKING_FINDING"]
    assert all(r.evidence_id == "ev_security_default" for r in ruling.reasons)
    assert ruling.reasons[1].finding is not None
    assert ruling.reasons[1].finding.reason_code == "X_BROKEN"
    assert ruling.failed_stages == ("security",)


def test_a_failure_is_never_masked_by_an_unknown_and_stands_first() -> None:
    inputs = without(facts(failing("security"), needs_reverification=True), "conformance")
    ruling = gate(inputs, POLICY, NOW)
    assert ruling.verdict is Verdict.FAIL
    codes = [reason.code for reason in ruling.reasons]
    assert codes == ["STAGE_FAILED", "BLOCKING_FINDING", "REVERIFICATION_DUE", "STAGE_MISSING"]


def test_a_failure_stays_one_when_its_evidence_has_expired() -> None:
    spoilt = word("security", verdict="FAIL", evidence__verdict="FAIL", evidence__expires_at=NOW)
    ruling = gate(facts(spoilt), POLICY, NOW)
    assert ruling.verdict is Verdict.FAIL
    assert {reason.code for reason in ruling.reasons} == {"STAGE_FAILED", "EVIDENCE_EXPIRED"}


def test_a_run_row_that_failed_is_not_saved_by_evidence_that_passed() -> None:
    assert gate(facts(word("security", verdict="FAIL")), POLICY, NOW).verdict is Verdict.FAIL


def test_a_warning_blocks_only_where_policy_says_so() -> None:
    warned = FindingFact("mcp.y", "Y_ODD", "SHOULD", "", "y is odd")
    inputs = facts(word("conformance", evidence__findings=(warned,)))
    assert gate(inputs, POLICY, NOW).verdict is Verdict.PASS
    strict = gate(inputs, policy(blocking_severity="SHOULD"), NOW)
    assert strict.verdict is Verdict.FAIL
    assert [reason.code for reason in strict.reasons] == ["BLOCKING_FINDING"]


def test_a_suite_that_drifted_from_its_approval_blocks_only_where_policy_says_so() -> None:
    approval = registry()["bundle.suites.approval-current"]
    (found,) = approval.judge(approval.rejects[0]).findings
    drifted = FindingFact(
        found.check_id, found.reason_code, found.severity, found.path, found.message
    )
    inputs = facts(word("static", STATIC_PROFILE, evidence__findings=(drifted,)))
    assert gate(inputs, policy(blocking_severity="SHOULD"), NOW).verdict is Verdict.PASS
    strict = gate(inputs, policy(blocking_severity="POLICY"), NOW)
    assert strict.verdict is Verdict.FAIL
    (reason,) = strict.reasons
    assert reason.code == "BLOCKING_FINDING"
    assert reason.finding is not None
    assert reason.finding.reason_code == "SUITE_APPROVAL_DRIFTED"


def test_digests_that_differ_are_named() -> None:
    ruling = gate(facts(word("security", evidence__artifact_digest=OTHER)), POLICY, NOW)
    assert ruling.reasons[0].detail == (
        f"evidence exists for artifact {OTHER}, you asked about {ARTIFACT}"
    )


def test_evidence_of_another_build_is_named_where_the_own_is_missing_and_counts_for_nothing() -> (
    None
):
    other = evidence("security", artifact_digest=OTHER)
    ruling = gate(without(facts(elsewhere=(other,)), "security"), POLICY, NOW)
    assert ruling.verdict is Verdict.INCONCLUSIVE
    assert [reason.code for reason in ruling.reasons] == ["DIGEST_MISMATCH"]
    assert OTHER in ruling.reasons[0].detail
    assert ruling.reasons[0].evidence_id == other.id
    assert ruling.next_steps == ("run the security stage for profile default",)


def test_every_profile_the_candidate_is_observed_under_is_required() -> None:
    inputs = without(facts(profiles=("default", "tenant-b")), "security", "tenant-b")
    ruling = gate(inputs, POLICY, NOW)
    assert ruling.next_steps == ("run the security stage for profile tenant-b",)


def test_a_profile_that_policy_names_is_required_even_if_nothing_observes_it() -> None:
    ruling = gate(facts(), policy(profiles=["default", "tenant-b"]), NOW)
    assert ruling.verdict is Verdict.INCONCLUSIVE
    assert {reason.profile for reason in ruling.reasons} == {"tenant-b"}


def test_binding_is_asked_per_environment_and_not_of_static_evidence() -> None:
    rule = policy(binding={"default": "claimed", "production": "measured"})
    attested = facts(word("security", evidence__binding="attested"))
    assert gate(attested, rule, NOW).verdict is Verdict.PASS
    ruling = gate(replace(attested, environment="production"), rule, NOW)
    assert [reason.code for reason in ruling.reasons] == ["BINDING_TOO_WEAK"]


def test_what_the_bundle_does_not_cover_is_shown_with_the_yes_and_the_no() -> None:
    silent = word("static", STATIC_PROFILE, evidence__not_covered=("suites", "golden"))
    for other in (word("security"), failing("security")):
        ruling = gate(facts(silent, other), POLICY, NOW)
        assert ruling.not_covered == ("suites", "golden")


def test_a_claim_policy_lets_stand_is_shown_with_the_yes() -> None:
    unwatched = UnverifiedClaim("authorization", "", "no credentials")
    ruling = gate(
        facts(word("security", evidence__unverified_claims=(unwatched,))),
        policy(claims={"authorization": "shown"}),
        NOW,
    )
    assert ruling.verdict is Verdict.PASS
    assert [dict(claim) for claim in ruling.unverified_claims] == [
        {
            "claim": "authorization",
            "check_id": "",
            "why": "no credentials",
            "stage": "security",
            "profile": "default",
            "evidence_id": "ev_security_default",
            "accepted": True,
        }
    ]


@pytest.mark.parametrize("claim", CLAIMS)
def test_every_claim_blocks_under_the_default_policy_when_nobody_watched(claim: str) -> None:
    unwatched = UnverifiedClaim(claim, "", "nobody watched")
    ruling = gate(facts(word("security", evidence__unverified_claims=(unwatched,))), POLICY, NOW)
    assert [reason.code for reason in ruling.reasons] == ["CLAIM_NOT_VERIFIED"]
    assert ruling.unverified_claims[0]["accepted"] is False


@pytest.mark.parametrize(("state", "to"), list(product(State, State)))
def test_the_gate_says_yes_only_where_the_table_knows_a_way(state: State, to: State) -> None:
    ruling = gate(facts(state=state, to=to), POLICY, NOW)
    moves = {
        event for (source, event), target in TRANSITIONS.items() if (source, target) == (state, to)
    }
    line = state in FORWARD and to in GATED_STATES
    stays = line and FORWARD.index(to) <= FORWARD.index(state)
    if ruling.verdict is Verdict.PASS:
        assert moves or stays
    codes = {reason.code for reason in ruling.reasons}
    if to is State.REJECTED:
        assert codes == {"DECIDED_BY_EVIDENCE"}
    elif (state, to) == (State.QUARANTINED, State.REGISTRY_ADMITTED):
        assert codes == {"APPROVALS_MISSING"}
    elif moves or stays:
        assert ruling.verdict is Verdict.PASS
    elif state in FORWARD and to in GATED_STATES and FORWARD.index(to) > FORWARD.index(state):
        assert codes == {"STATE_NOT_REACHED"}
    else:
        assert codes == {"ILLEGAL_TRANSITION"}
        assert ruling.verdict is Verdict.FAIL


def test_moves_that_take_trust_away_need_no_evidence() -> None:
    for (state, event), to in TRANSITIONS.items():
        if event in WITHDRAWALS - {Event.CANARY_STOPPED}:
            ruling = gate(facts(state=state, to=to, latest=()), POLICY, NOW)
            assert ruling.verdict is Verdict.PASS, (state, to)


def test_a_question_about_a_state_passed_already_still_rests_on_evidence() -> None:
    for state, to in product(FORWARD, GATED_STATES):
        if FORWARD.index(to) <= FORWARD.index(state):
            assert gate(facts(state=state, to=to), POLICY, NOW).rests_on_evidence
            bare = gate(facts(state=state, to=to, latest=()), POLICY, NOW)
            assert bare.verdict is Verdict.INCONCLUSIVE, (state, to)


def test_a_rejected_candidate_is_told_why_and_that_it_must_be_reopened() -> None:
    ruling = gate(facts(failing("conformance"), state=State.REJECTED), POLICY, NOW)
    assert [r.code for r in ruling.reasons] == [
        "ILLEGAL_TRANSITION",
        "STAGE_FAILED",
        "BLOCKING_FINDING",
    ]
    assert ruling.next_steps[0] == "from REJECTED a candidate can become DRAFT"


def test_a_ruling_holds_until_the_first_evidence_ends_and_never_longer_than_a_day() -> None:
    soon = gate(facts(word("security", evidence__expires_at=NOW + 5)), POLICY, NOW)
    assert soon.valid_until == NOW + 5
    assert gate(facts(), POLICY, NOW).valid_until == NOW + LONGEST_RULING_US
    aged = gate(facts(word("security", evidence__verified_at=NOW - 30 * DAY_US + 7)), POLICY, NOW)
    assert aged.valid_until == NOW + 7


def test_a_ruling_can_be_replayed_from_the_json_of_its_inputs() -> None:
    for spoilt, _, _ in SPOILT.values():
        ruling = gate(spoilt, POLICY, NOW)
        stored = json.loads(json.dumps(ruling.inputs))
        assert stored["policy_digest"] == POLICY.digest
        again = GateInputs.from_dict(stored["facts"])
        assert again == spoilt
        assert gate(again, POLICY, NOW) == ruling


def test_reasons_are_plain_json_without_empty_members() -> None:
    for reason in gate(facts(failing("security")), POLICY, NOW).reasons:
        members = json.loads(json.dumps(reason.to_dict()))
        assert None not in members.values()
        assert {"code", "verdict", "detail", "next_step", "stage", "profile"} <= set(members)


def test_a_thousand_findings_give_a_short_answer_that_says_how_many() -> None:
    many = tuple(FindingFact("mcp.x", "X", "MUST", str(n), "x") for n in range(1000))
    bad = word("security", verdict="FAIL", evidence__verdict="FAIL", evidence__findings=many)
    ruling = gate(facts(bad), POLICY, NOW)
    assert len(ruling.reasons) == 21
    assert "1000 blocking findings" in ruling.reasons[0].detail
    assert BUNDLE not in ruling.reasons[0].detail


def test_findings_that_say_the_same_are_said_once_and_counted() -> None:
    same = (FindingFact("mcp.x", "X", "MUST", "call", "x"),) * 3
    bad = word("security", verdict="FAIL", evidence__verdict="FAIL", evidence__findings=same)
    ruling = gate(facts(bad), POLICY, NOW)
    assert [reason.code for reason in ruling.reasons] == ["STAGE_FAILED", "BLOCKING_FINDING"]
    assert "3 blocking findings" in ruling.reasons[0].detail
    assert len(ruling.next_steps) == 1
