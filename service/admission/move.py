"""Moving: states change by decisions, and by nothing else.

Up to SECURITY_VERIFIED a candidate moves by itself when evidence lands; the rest is asked for, and
each asks the gate at that moment. Everything here runs under the candidate's lock.
"""

from dataclasses import replace

from bundles.errors import Conflict, Invalid
from bundles.verdict import Stage, Verdict
from service.admission import ids
from service.admission.decide import (
    EVERYWHERE,
    decide,
    facts_about,
    keep_decision,
    locked,
    state_named,
)
from service.admission.desk import Desk, known_id, note, require, unknown
from service.admission.gate import gate
from service.admission.lifecycle import (
    WITHDRAWALS,
    Event,
    event_on_failure,
    event_towards,
    held_to,
    next_by_evidence,
    next_state,
)
from service.admission.model import Candidate, Decision, Principal, State, Transition
from service.admission.policies import policy_of, read_stored
from service.admission.record import touched
from service.admission.refusals import (
    CANDIDATE_UNKNOWN,
    GATE_REFUSED,
    GATE_UNDECIDED,
    REASON_MISSING,
    STATE_MISMATCH,
    GateRefused,
)
from service.admission.static_stage import judge_statically, write_static
from service.admission.storage import Unit
from service.admission.words import name, sentence

SYSTEM = "registry"
"""Actor of what happens by itself when evidence lands."""

_LONGEST_REASON = 2000


def advance(desk: Desk, unit: Unit, candidate: Candidate, now: int) -> Candidate:
    """Let landed evidence do what it does by itself: move up to SECURITY_VERIFIED, or out.

    The decision that moved, or kept from moving, is stored; one that could not tell moves nothing.
    """
    record = policy_of(unit, candidate)
    policy = read_stored(record)
    for goal in held_to(candidate.state):
        ruling = gate(facts_about(unit, candidate, policy, goal, EVERYWHERE), policy, now)
        for stage in ruling.failed_stages:
            event = event_on_failure(candidate.state, Stage(stage), goal)
            if event is not None:
                decision = keep_decision(desk, unit, candidate, ruling, record, now=now)
                why = f"the {stage} stage failed"
                return _move(unit, candidate, event, decision, reason=why, actor=SYSTEM, now=now)[0]
    while (to := next_by_evidence(candidate.state)) is not None:
        decision = decide(desk, unit, candidate, to=to, environment=EVERYWHERE, now=now)
        if decision.verdict != Verdict.PASS:
            break
        event = event_towards(candidate.state, to)
        why = f"evidence passed for {to.value}"
        candidate, _ = _move(unit, candidate, event, decision, reason=why, actor=SYSTEM, now=now)
    return candidate


def transition(
    desk: Desk,
    principal: Principal,
    candidate_id: str,
    *,
    to: str,
    expected_state: str,
    reason: str,
    environment: str,
) -> tuple[Transition, Decision]:
    """See `Registry.transition`."""
    require(principal, "transitions:write")
    known_id(ids.CANDIDATE, candidate_id, CANDIDATE_UNKNOWN, "candidate")
    wanted, expected = state_named(to), state_named(expected_state)
    name(environment, "the environment", "/environment")
    if not reason.strip() or len(reason) > _LONGEST_REASON:
        raise Invalid(
            REASON_MISSING,
            f"a reason of 1 to {_LONGEST_REASON} characters is needed",
            pointer="/reason",
            seen=len(reason),
        )
    now = desk.clock.now()
    # a reopened candidate starts from fresh static evidence: what was before no longer counts
    fresh = None
    if wanted is State.DRAFT:
        with desk.store.read() as unit:
            known = unit.candidates.get(principal.namespace, candidate_id)
        if known is None:
            raise unknown(CANDIDATE_UNKNOWN, "candidate", candidate_id)
        _event(known, expected, wanted)  # what is refused costs no judgement
        fresh = judge_statically(desk, known, now)
    with desk.store.write() as unit:
        candidate = locked(unit, principal.namespace, candidate_id)
        event = _event(candidate, expected, wanted)
        decision = decide(desk, unit, candidate, to=wanted, environment=environment, now=now)
        # trust can always be taken away: a canary is stopped whatever its evidence says
        if decision.verdict == Verdict.PASS or event in WITHDRAWALS:
            why = sentence(reason.strip(), _LONGEST_REASON)
            candidate, made = _move(
                unit, candidate, event, decision, reason=why, actor=principal.token_id, now=now
            )
            if fresh is not None:
                write_static(desk, unit, fresh, now)
                advance(desk, unit, touched(unit, candidate, now), now)
            return made, decision
        note(
            unit,
            candidate.namespace,
            actor=principal.token_id,
            action="transition.refuse",
            subject=candidate.id,
            at=now,
            body={"to": wanted.value, "decision_id": decision.id},
        )
    # raised after the commit: the decision that refused is on file
    certain = decision.verdict == Verdict.FAIL
    raise GateRefused(
        GATE_REFUSED if certain else GATE_UNDECIDED,
        f"the gate {'says no' if certain else 'cannot tell yet'}: {_first_reason(decision)}",
        decision,
    )


def _move(
    unit: Unit,
    candidate: Candidate,
    event: Event,
    decision: Decision,
    *,
    reason: str,
    actor: str,
    now: int,
) -> tuple[Candidate, Transition]:
    moved = replace(
        candidate,
        state=next_state(candidate.state, event),
        state_version=candidate.state_version + 1,
        inputs_version=candidate.inputs_version + 1,
        route_enabled=_route_after(event, enabled=candidate.route_enabled),
        reopened_at=now if event is Event.REOPENED else candidate.reopened_at,
        updated_at=now,
    )
    if not unit.candidates.move(moved, candidate.state_version):
        raise Conflict(
            STATE_MISMATCH,
            "the candidate moved at the same moment",
            seen=moved.state.value,
            expected=candidate.state.value,
        )
    made = Transition(
        id=ids.new_id(ids.TRANSITION),
        candidate_id=candidate.id,
        event=event.value,
        from_state=candidate.state,
        to_state=moved.state,
        decision_id=decision.id,
        reason=reason,
        actor=actor,
        at=now,
    )
    unit.candidates.add_transition(made, moved.state_version)
    body = {"event": event.value, "from": candidate.state.value, "to": moved.state.value}
    note(
        unit,
        candidate.namespace,
        actor=actor,
        action="transition",
        subject=candidate.id,
        at=now,
        body={**body, "decision_id": decision.id},
    )
    return moved, made


def _route_after(event: Event, *, enabled: bool) -> bool:
    """A route is taken away with the trust in it, and given back where traffic is to start."""
    if event in {Event.CANARY_STOPPED, Event.QUARANTINED, Event.RETIRED}:
        return False
    return True if event in {Event.CANARY_STARTED, Event.PROMOTED} else enabled


def _event(candidate: Candidate, expected: State, wanted: State) -> Event:
    """The event that is asked for. Raises Conflict: STATE_MISMATCH, ILLEGAL_TRANSITION."""
    if candidate.state is not expected:
        raise Conflict(
            STATE_MISMATCH,
            f"the candidate is {candidate.state.value}, not {expected.value}",
            seen=candidate.state.value,
            expected=expected.value,
        )
    return event_towards(candidate.state, wanted)


def _first_reason(decision: Decision) -> str:
    return str(decision.reasons[0]["detail"]) if decision.reasons else "no reason is on file"
