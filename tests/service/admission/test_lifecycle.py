"""The transition table: every pair walked, and nothing happens that the table does not say."""

from itertools import product

import pytest

from bundles.verdict import Stage
from service.admission.gate import gate
from service.admission.lifecycle import (
    AFTER_ADMISSION,
    BEFORE_ADMISSION,
    FORWARD,
    MADE_BY_EVIDENCE,
    TRANSITIONS,
    WITHDRAWALS,
    Event,
    IllegalTransition,
    event_on_failure,
    event_towards,
    held_to,
    next_by_evidence,
    next_state,
    reachable,
)
from service.admission.model import State
from tests.service.admission.gate_facts import NOW, POLICY, facts, failing

THE_LAW = """
DRAFT static_passed STATIC_VALIDATED
STATIC_VALIDATED conformance_passed CONFORMANCE_VERIFIED
CONFORMANCE_VERIFIED security_passed SECURITY_VERIFIED
SECURITY_VERIFIED admitted REGISTRY_ADMITTED
REGISTRY_ADMITTED canary_started CANARY
CANARY promoted ACTIVE
CANARY canary_stopped REGISTRY_ADMITTED
DRAFT stage_failed REJECTED
STATIC_VALIDATED stage_failed REJECTED
CONFORMANCE_VERIFIED stage_failed REJECTED
SECURITY_VERIFIED stage_failed REJECTED
REGISTRY_ADMITTED quarantined QUARANTINED
CANARY quarantined QUARANTINED
ACTIVE quarantined QUARANTINED
REGISTRY_ADMITTED retired DEPRECATED
CANARY retired DEPRECATED
ACTIVE retired DEPRECATED
REJECTED reopened DRAFT
QUARANTINED reopened DRAFT
QUARANTINED reinstated REGISTRY_ADMITTED
"""


def test_the_table_is_the_published_one_row_for_row() -> None:
    rows = {tuple(line.split()) for line in THE_LAW.strip().splitlines()}
    assert {(s.value, e.value, to.value) for (s, e), to in TRANSITIONS.items()} == rows


@pytest.mark.parametrize(("state", "event"), list(product(State, Event)))
def test_every_pair_of_state_and_event_moves_or_is_refused_with_the_ways_out(
    state: State, event: Event
) -> None:
    if (state, event) in TRANSITIONS:
        assert next_state(state, event) is TRANSITIONS[state, event]
        return
    with pytest.raises(IllegalTransition) as refused:
        next_state(state, event)
    assert refused.value.reason_code == "ILLEGAL_TRANSITION"
    assert refused.value.seen == state.value
    assert refused.value.expected == [to.value for to in reachable(state)]
    assert refused.value.next_steps


@pytest.mark.parametrize(("state", "to"), list(product(State, State)))
def test_at_most_one_event_leads_from_one_state_to_another(state: State, to: State) -> None:
    events = [e for (source, e), target in TRANSITIONS.items() if (source, target) == (state, to)]
    if events:
        assert [event_towards(state, to)] == events
        return
    with pytest.raises(IllegalTransition):
        event_towards(state, to)


def test_every_state_is_reachable_from_draft() -> None:
    seen, frontier = {State.DRAFT}, [State.DRAFT]
    while frontier:
        for to in reachable(frontier.pop()):
            if to not in seen:
                seen.add(to)
                frontier.append(to)
    assert seen == set(State)


def test_only_deprecated_is_final_and_says_so() -> None:
    assert [state for state in State if not reachable(state)] == [State.DEPRECATED]
    with pytest.raises(IllegalTransition) as refused:
        event_towards(State.DEPRECATED, State.ACTIVE)
    assert refused.value.next_steps == ("DEPRECATED is final: register a new candidate",)


def test_no_state_is_admitted_without_passing_through_security() -> None:
    entering = {s for (s, _), to in TRANSITIONS.items() if to is State.REGISTRY_ADMITTED}
    assert entering == {State.SECURITY_VERIFIED, State.CANARY, State.QUARANTINED}
    assert (*BEFORE_ADMISSION, *AFTER_ADMISSION) == FORWARD


def test_evidence_moves_a_candidate_up_to_security_verified_and_no_further() -> None:
    walked, state = [State.DRAFT], next_by_evidence(State.DRAFT)
    while state is not None:
        walked.append(state)
        state = next_by_evidence(state)
    assert tuple(walked) == BEFORE_ADMISSION
    assert not MADE_BY_EVIDENCE & WITHDRAWALS


@pytest.mark.parametrize(("state", "stage"), list(product(State, Stage)))
def test_a_failure_rejects_before_admission_and_withdraws_after(state: State, stage: Stage) -> None:
    for goal in held_to(state):
        event = event_on_failure(state, stage, goal)
        if state in BEFORE_ADMISSION:
            assert event is Event.STAGE_FAILED
        elif (state, stage) == (State.CANARY, Stage.CANARY):
            assert event is Event.CANARY_STOPPED
        elif state in AFTER_ADMISSION and goal is state:
            assert event is Event.QUARANTINED
        else:
            assert event is None
        assert event is None or (state, event) in TRANSITIONS


def test_a_candidate_is_held_to_admission_and_then_to_staying_where_it_is() -> None:
    assert {held_to(state) for state in BEFORE_ADMISSION} == {(State.REGISTRY_ADMITTED,)}
    assert held_to(State.CANARY) == (State.CANARY, State.ACTIVE)
    assert all(state in held_to(state) for state in AFTER_ADMISSION)


def test_a_failing_canary_stage_stops_the_canary() -> None:
    ruling = gate(facts(failing("canary"), state=State.CANARY, to=State.ACTIVE), POLICY, NOW)
    assert ruling.failed_stages == ("canary",)
    assert event_on_failure(State.CANARY, Stage.CANARY, State.ACTIVE) is Event.CANARY_STOPPED
