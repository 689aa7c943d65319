"""Deciding: the gate asked with stored facts, and its answer kept.

A stored decision is current while its inputs, its policy and its validity are; then a question
costs one statement and takes no lock. A new one is made under the candidate's lock.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bundles.canonical import semantic_digest
from bundles.errors import Invalid
from service.admission import ids
from service.admission.desk import Desk, known_id, unknown
from service.admission.dsse import seal
from service.admission.evidence import DecisionFacts, decision_statement, statement_bytes
from service.admission.facts import EvidenceFacts, GateInputs, Ruling
from service.admission.gate import gate, required_cells
from service.admission.model import (
    Candidate,
    Decision,
    PolicyRecord,
    Principal,
    State,
)
from service.admission.policies import policy_of, read_stored, stored_digest_or_built_in
from service.admission.policy import Policy
from service.admission.record import keep_key
from service.admission.refusals import (
    CANDIDATE_UNKNOWN,
    DECISION_UNKNOWN,
    STATE_UNKNOWN,
)
from service.admission.storage import Unit
from service.admission.words import name

EVERYWHERE = "default"
"""The environment a question is about when none is named."""

_NAMED_ELSEWHERE = 20


def ask_gate(
    desk: Desk, principal: Principal, candidate_id: str, *, to: str, environment: str
) -> Decision:
    """See `Registry.ask_gate`."""
    known_id(ids.CANDIDATE, candidate_id, CANDIDATE_UNKNOWN, "candidate")
    state = state_named(to)
    name(environment, "the environment", "/environment")
    now = desk.clock.now()
    with desk.store.read() as unit:
        standing = unit.decisions.standing(
            principal.namespace, candidate_id, state.value, environment
        )
    if standing is None:
        raise unknown(CANDIDATE_UNKNOWN, "candidate", candidate_id)
    decision = standing.decision
    policy_digest = stored_digest_or_built_in(standing.policy, standing.policy_digest)
    if decision is not None and _is_current(decision, policy_digest, now):
        return decision
    with desk.store.write() as unit:
        candidate = locked(unit, principal.namespace, candidate_id)
        return decide(desk, unit, candidate, to=state, environment=environment, now=now)


def decide(
    desk: Desk, unit: Unit, candidate: Candidate, *, to: State, environment: str, now: int
) -> Decision:
    """The current decision on a question: the stored one, or a new one that is then stored."""
    record = policy_of(unit, candidate)
    standing = unit.decisions.standing(candidate.namespace, candidate.id, to.value, environment)
    decision = None if standing is None else standing.decision
    if decision is not None and _is_current(decision, record.digest, now):
        return decision
    policy = read_stored(record)
    ruling = gate(facts_about(unit, candidate, policy, to, environment), policy, now)
    return keep_decision(desk, unit, candidate, ruling, record, now=now)


def replay_decision(desk: Desk, principal: Principal, decision_id: str) -> Mapping[str, Any]:
    """See `Registry.replay_decision`."""
    known_id(ids.DECISION, decision_id, DECISION_UNKNOWN, "decision")
    with desk.store.read() as unit:
        stored = unit.decisions.get(principal.namespace, decision_id)
        if stored is None:
            raise unknown(DECISION_UNKNOWN, "decision", decision_id)
        record = unit.policies.by_digest(stored.namespace, stored.policy_name, stored.policy_digest)
    assert record is not None, "the policy of a decision is kept with it"  # noqa: S101
    facts = GateInputs.from_dict(stored.inputs["facts"])
    ruling = gate(facts, read_stored(record), stored.decided_at)
    before = {"verdict": stored.verdict, "reasons": list(stored.reasons)}
    again = {
        "verdict": ruling.verdict.value,
        "reasons": _plain([reason.to_dict() for reason in ruling.reasons]),
    }
    inputs_digest = semantic_digest(_plain(ruling.inputs))
    return {
        "agrees": before == again and inputs_digest == stored.inputs_digest,
        "stored": before,
        "recomputed": again,
    }


def _is_current(decision: Decision, policy_digest: str | None, now: int) -> bool:
    return decision.policy_digest == policy_digest and decision.valid_until > now


def facts_about(
    unit: Unit, candidate: Candidate, policy: Policy, to: State, environment: str
) -> GateInputs:
    """What the gate is told about a candidate: two statements, whatever its history."""
    facts = GateInputs(
        candidate_id=candidate.id,
        artifact_digest=candidate.artifact_digest,
        bundle_digest=candidate.bundle_digest,
        state=candidate.state,
        reopened_at=candidate.reopened_at,
        needs_reverification=candidate.needs_reverification,
        profiles=tuple(dict.fromkeys(target.profile for target in candidate.targets)),
        latest=unit.evidence.latest(candidate.id),
        to=to,
        environment=environment,
    )
    requirement = policy.transitions.get(to)
    cells = () if requirement is None else required_cells(facts, requirement)
    if all(facts.latest_for(stage, profile) is not None for stage, profile in cells):
        return facts
    others = unit.evidence.elsewhere(candidate, _NAMED_ELSEWHERE)
    return replace(facts, elsewhere=tuple(EvidenceFacts.of(evidence) for evidence in others))


def keep_decision(
    desk: Desk,
    unit: Unit,
    candidate: Candidate,
    ruling: Ruling,
    policy: PolicyRecord,
    *,
    now: int,
) -> Decision:
    """Sign and store a ruling as a decision, with everything a replay needs."""
    # through JSON at once: a decision reads the same when it is made and when it is read back
    reasons = tuple(_plain([reason.to_dict() for reason in ruling.reasons]))
    claims = tuple(_plain(ruling.unverified_claims))
    inputs = _plain(ruling.inputs)
    asked = inputs["facts"]
    latest = (entry["evidence"] for entry in asked["latest"])
    facts = DecisionFacts(
        decision_id=ids.new_id(ids.DECISION),
        namespace=candidate.namespace,
        candidate_id=candidate.id,
        artifact_digest=candidate.artifact_digest,
        bundle_digest=candidate.bundle_digest,
        to=asked["to"],
        environment=asked["environment"],
        verdict=ruling.verdict.value,
        policy_name=policy.name,
        policy_digest=policy.digest,
        inputs_digest=semantic_digest(inputs),
        decided_at=now,
        valid_until=ruling.valid_until,
        attestations=[entry["envelope_digest"] for entry in latest if entry is not None],
        reasons=reasons,
        unverified_claims=claims,
        not_covered=ruling.not_covered,
        rests_on_evidence=ruling.rests_on_evidence,
    )
    decision = Decision(
        id=facts.decision_id,
        namespace=facts.namespace,
        candidate_id=facts.candidate_id,
        to=facts.to,
        environment=facts.environment,
        verdict=facts.verdict,
        reasons=reasons,
        next_steps=ruling.next_steps,
        unverified_claims=claims,
        not_covered=ruling.not_covered,
        inputs=inputs,
        inputs_digest=facts.inputs_digest,
        policy_name=facts.policy_name,
        policy_digest=facts.policy_digest,
        decided_at=now,
        valid_until=facts.valid_until,
        envelope=seal(statement_bytes(decision_statement(facts)), desk.signer),
        key_id=desk.signer.key_id,
    )
    keep_key(desk, unit, now)
    # a built-in policy may be another one tomorrow: the version that decided is kept
    unit.policies.keep(candidate.namespace, replace(policy, current=False))
    unit.decisions.add(decision, candidate.inputs_version)
    return decision


def _plain(value: object) -> Any:
    return json.loads(json.dumps(value))


def locked(unit: Unit, namespace: str, candidate_id: str) -> Candidate:
    """The candidate, nobody else's until the transaction ends.

    Raises:
        NotFound: CANDIDATE_UNKNOWN.
    """
    candidate = unit.candidates.get(namespace, candidate_id, lock=True)
    if candidate is None:
        raise unknown(CANDIDATE_UNKNOWN, "candidate", candidate_id)
    return candidate


def state_named(text: str) -> State:
    """A registry state.

    Raises:
        Invalid: STATE_UNKNOWN.
    """
    try:
        return State(text)
    except ValueError:
        raise Invalid(
            STATE_UNKNOWN,
            "there is no such state",
            seen=text[:200],
            expected=[state.value for state in State],
        ) from None
