"""The states of a candidate, and the only ways between them.

`TRANSITIONS` is the whole law: a pair that is absent does not happen. Nothing here decides whether
evidence suffices; that is `service.admission.gate`.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from bundles.errors import Conflict
from bundles.reasons import reason
from bundles.verdict import Stage
from service.admission.model import State

ILLEGAL_TRANSITION = reason(
    "ILLEGAL_TRANSITION",
    "The registry's table knows no way from the candidate's state to the one asked for.",
    "read the candidate's state and ask for a state that can be reached from it",
)


class Event(StrEnum):
    """What moves a candidate."""

    STATIC_PASSED = "static_passed"
    CONFORMANCE_PASSED = "conformance_passed"
    SECURITY_PASSED = "security_passed"
    ADMITTED = "admitted"
    CANARY_STARTED = "canary_started"
    PROMOTED = "promoted"
    CANARY_STOPPED = "canary_stopped"
    STAGE_FAILED = "stage_failed"
    QUARANTINED = "quarantined"
    RETIRED = "retired"
    REOPENED = "reopened"
    REINSTATED = "reinstated"


class IllegalTransition(Conflict):
    """No such way in the table. `seen` is the actual state, `expected` the reachable ones."""


BEFORE_ADMISSION = (
    State.DRAFT,
    State.STATIC_VALIDATED,
    State.CONFORMANCE_VERIFIED,
    State.SECURITY_VERIFIED,
)
AFTER_ADMISSION = (State.REGISTRY_ADMITTED, State.CANARY, State.ACTIVE)

FORWARD = (*BEFORE_ADMISSION, *AFTER_ADMISSION)
"""The straight line, in order."""

TRANSITIONS: Mapping[tuple[State, Event], State] = MappingProxyType(
    {
        (State.DRAFT, Event.STATIC_PASSED): State.STATIC_VALIDATED,
        (State.STATIC_VALIDATED, Event.CONFORMANCE_PASSED): State.CONFORMANCE_VERIFIED,
        (State.CONFORMANCE_VERIFIED, Event.SECURITY_PASSED): State.SECURITY_VERIFIED,
        (State.SECURITY_VERIFIED, Event.ADMITTED): State.REGISTRY_ADMITTED,
        (State.REGISTRY_ADMITTED, Event.CANARY_STARTED): State.CANARY,
        (State.CANARY, Event.PROMOTED): State.ACTIVE,
        (State.CANARY, Event.CANARY_STOPPED): State.REGISTRY_ADMITTED,
        **{(state, Event.STAGE_FAILED): State.REJECTED for state in BEFORE_ADMISSION},
        **{(state, Event.QUARANTINED): State.QUARANTINED for state in AFTER_ADMISSION},
        **{(state, Event.RETIRED): State.DEPRECATED for state in AFTER_ADMISSION},
        (State.REJECTED, Event.REOPENED): State.DRAFT,
        (State.QUARANTINED, Event.REOPENED): State.DRAFT,
        (State.QUARANTINED, Event.REINSTATED): State.REGISTRY_ADMITTED,
    }
)

MADE_BY_EVIDENCE = frozenset(
    {Event.STATIC_PASSED, Event.CONFORMANCE_PASSED, Event.SECURITY_PASSED, Event.STAGE_FAILED}
)
"""Events that happen by themselves when evidence lands; the others are asked for."""

WITHDRAWALS = frozenset({Event.CANARY_STOPPED, Event.QUARANTINED, Event.RETIRED, Event.REOPENED})
"""Events that only take trust away: they need a reason, and no evidence."""


def next_state(state: State, event: Event) -> State:
    """Where an event leads.

    Raises:
        IllegalTransition: the table has no such pair.
    """
    try:
        return TRANSITIONS[state, event]
    except KeyError:
        detail = f"{event.value} does not happen to a candidate that is {state.value}"
        raise _illegal(detail, state) from None


def event_towards(state: State, to: State) -> Event:
    """The one event that leads from `state` to `to` in a single step.

    Raises:
        IllegalTransition: there is none.
    """
    for (source, event), target in TRANSITIONS.items():
        if source is state and target is to:
            return event
    detail = f"a candidate that is {state.value} cannot become {to.value} in one step"
    raise _illegal(detail, state)


def reachable(state: State) -> tuple[State, ...]:
    """States one step away, in table order."""
    return tuple(to for (source, _), to in TRANSITIONS.items() if source is state)


def next_by_evidence(state: State) -> State | None:
    """The state that passing evidence alone leads to; None where a decision must be asked for."""
    for (source, event), to in TRANSITIONS.items():
        if source is state and event in MADE_BY_EVIDENCE - {Event.STAGE_FAILED}:
            return to
    return None


def held_to(state: State) -> tuple[State, ...]:
    """The states whose requirements a candidate is held to whenever evidence lands.

    Before admission those of admission, so that a failing stage rejects whichever stage it is;
    afterwards those of staying where it is; in canary those of promotion as well.
    """
    if state in BEFORE_ADMISSION:
        return (State.REGISTRY_ADMITTED,)
    return (State.CANARY, State.ACTIVE) if state is State.CANARY else (state,)


def event_on_failure(state: State, stage: Stage, goal: State) -> Event | None:
    """What a certain failure of a stage that `goal` requires does to a candidate.

    Before admission it rejects. In canary a failing canary stage stops the canary, and what only
    promotion asks for keeps from promotion and no more. A failed re-verification of what the state
    itself requires quarantines. Elsewhere it moves nothing.
    """
    if state in BEFORE_ADMISSION:
        return Event.STAGE_FAILED
    if state is State.CANARY and stage is Stage.CANARY:
        return Event.CANARY_STOPPED
    return Event.QUARANTINED if state in AFTER_ADMISSION and goal is state else None


def _illegal(detail: str, state: State) -> IllegalTransition:
    ways = [to.value for to in reachable(state)]
    step = (
        f"from {state.value} a candidate can become {', '.join(ways)}"
        if ways
        else f"{state.value} is final: register a new candidate"
    )
    return IllegalTransition(
        ILLEGAL_TRANSITION, detail, seen=state.value, expected=ways, next_steps=(step,)
    )
