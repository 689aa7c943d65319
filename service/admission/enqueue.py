"""Asking for a run, and for its end. The row is the outbox: the broker carries the id, best effort,
after the commit.
"""

from collections.abc import Sequence
from dataclasses import replace

from bundles.canonical import semantic_digest
from bundles.errors import Conflict, Invalid
from bundles.verdict import Stage
from service.admission import ids
from service.admission.decide import locked
from service.admission.desk import Desk, known_id, note, require, unknown
from service.admission.model import Candidate, Principal, Run, RunStage, RunState, State
from service.admission.move import advance
from service.admission.policies import policy_of, read_stored
from service.admission.policy import Policy
from service.admission.record import touched
from service.admission.refusals import (
    CANDIDATE_CLOSED,
    CANDIDATE_UNKNOWN,
    PROFILE_WITHOUT_TARGET,
    RUN_CANCELLED,
    RUN_FINISHED,
    RUN_UNKNOWN,
    STAGE_UNKNOWN,
)
from service.admission.requests import checked_key, made_already, made_before
from service.admission.static_stage import is_of_today, judge_statically, write_static
from service.admission.storage import KeptRequest, Unit

ACTION = "run.start"
RUNNABLE = (Stage.CONFORMANCE, Stage.SECURITY, Stage.CANARY)
"""Stages a worker runs; the static one is judged where the bundle is."""

_CLOSED = frozenset({State.REJECTED, State.DEPRECATED})


def start_run(
    desk: Desk,
    principal: Principal,
    candidate_id: str,
    *,
    stages: Sequence[str] | None,
    profiles: Sequence[str] | None,
    idempotency_key: str | None,
) -> tuple[Run, bool]:
    """See `Registry.start_run`."""
    require(principal, "runs:write")
    known_id(ids.CANDIDATE, candidate_id, CANDIDATE_UNKNOWN, "candidate")
    key = checked_key(idempotency_key)
    asked = {
        "candidate": candidate_id,
        "stages": None if stages is None else list(stages),
        "profiles": None if profiles is None else list(profiles),
    }
    run_id = ids.new_id(ids.RUN)
    kept = KeptRequest(ACTION, semantic_digest(asked), run_id)
    now = desk.clock.now()
    # everything that refuses or replays is asked first, so that only a new run costs a judgement;
    # and once more under the lock, since the candidate may have moved meanwhile
    with desk.store.read() as unit:
        known = _known(unit, principal, candidate_id)
        before = made_already(unit, principal.namespace, key, kept)
        if before is not None:
            return _made(unit, principal, before), False
        _open_cells(unit, known, stages, profiles)
        due = not is_of_today(unit, known, now)
    static = judge_statically(desk, known, now) if due else None
    with desk.store.write() as unit:
        candidate = locked(unit, principal.namespace, candidate_id)
        before = made_before(unit, principal.namespace, key, kept, now)
        if before is not None:
            return _made(unit, principal, before), False
        cells = _open_cells(unit, candidate, stages, profiles)
        run = _queued(desk, principal, candidate, run_id, cells=cells, now=now)
        unit.runs.add(run, now)
        unit.evidence.await_run(candidate_id, cells, run_id)
        unit.runs.add_event(run_id, now, "queued", {"stages": [list(cell) for cell in cells]})
        note(
            unit,
            principal.namespace,
            actor=principal.token_id,
            action=ACTION,
            subject=run_id,
            at=now,
            body=asked,
        )
        candidate = touched(unit, candidate, now)
        if static is not None and not is_of_today(unit, candidate, now):
            write_static(desk, unit, static, now)
            advance(desk, unit, candidate, now)
    desk.queue.send(run_id)
    return run, True


def renews_static(desk: Desk, principal: Principal, candidate_id: str) -> bool:
    """See `Registry.run_renews_static`."""
    require(principal, "runs:write")
    known_id(ids.CANDIDATE, candidate_id, CANDIDATE_UNKNOWN, "candidate")
    with desk.store.read() as unit:
        candidate = _known(unit, principal, candidate_id)
        return candidate.state not in _CLOSED and not is_of_today(unit, candidate, desk.clock.now())


def cancel_run(desk: Desk, principal: Principal, run_id: str) -> Run:
    """See `Registry.cancel_run`."""
    require(principal, "runs:write")
    known_id(ids.RUN, run_id, RUN_UNKNOWN, "run")
    now = desk.clock.now()
    with desk.store.write() as unit:
        run = unit.runs.get(run_id, namespace=principal.namespace)
        if run is None:
            raise unknown(RUN_UNKNOWN, "run", run_id)
        candidate = locked(unit, principal.namespace, run.candidate_id)
        if unit.runs.cancel_queued(run_id, now, RUN_CANCELLED):
            unit.runs.add_event(run_id, now, "cancelled", {})
            advance(desk, unit, touched(unit, candidate, now), now)
        else:
            # read again under the lock: a worker may just have claimed or ended it
            run = unit.runs.get(run_id) or run
            if run.state is RunState.FINISHED:
                raise Conflict(
                    RUN_FINISHED, "the run is over", seen=run.state.value, expected="a live run"
                )
            if run.state is RunState.CANCELLED or run.cancel_requested:
                return run
            unit.runs.request_cancel(run_id)
            unit.runs.add_event(run_id, now, "cancel_requested", {})
        note(
            unit,
            principal.namespace,
            actor=principal.token_id,
            action="run.cancel",
            subject=run_id,
            at=now,
        )
        after = unit.runs.get(run_id)
    return after or replace(run, cancel_requested=True)


def _known(unit: Unit, principal: Principal, candidate_id: str) -> Candidate:
    found = unit.candidates.get(principal.namespace, candidate_id)
    if found is None:
        raise unknown(CANDIDATE_UNKNOWN, "candidate", candidate_id)
    return found


def _made(unit: Unit, principal: Principal, run_id: str) -> Run:
    run = unit.runs.get(run_id, namespace=principal.namespace)
    assert run is not None, "a run made under a key is there"  # noqa: S101
    return run


def _open_cells(
    unit: Unit,
    candidate: Candidate,
    stages: Sequence[str] | None,
    profiles: Sequence[str] | None,
) -> list[tuple[str, str]]:
    """What a run of a candidate covers, where it may have one at all.

    Raises:
        Conflict: CANDIDATE_CLOSED. Invalid: STAGE_UNKNOWN, PROFILE_WITHOUT_TARGET.
    """
    if candidate.state in _CLOSED:
        raise Conflict(
            CANDIDATE_CLOSED,
            f"the candidate is {candidate.state.value}",
            seen=candidate.state.value,
        )
    return _cells(candidate, read_stored(policy_of(unit, candidate)), stages, profiles)


def _queued(
    desk: Desk,
    principal: Principal,
    candidate: Candidate,
    run_id: str,
    *,
    cells: Sequence[tuple[str, str]],
    now: int,
) -> Run:
    return Run(
        id=run_id,
        namespace=candidate.namespace,
        candidate_id=candidate.id,
        state=RunState.QUEUED,
        stages=tuple(RunStage(stage, profile) for stage, profile in cells),
        verdict=None,
        reason_code=None,
        detail=None,
        attempt=0,
        max_attempts=desk.terms.max_attempts,
        fence=0,
        lease_until=None,
        cancel_requested=False,
        created_at=now,
        created_by=principal.token_id,
        started_at=None,
        finished_at=None,
    )


def _cells(
    candidate: Candidate,
    policy: Policy,
    stages: Sequence[str] | None,
    profiles: Sequence[str] | None,
) -> list[tuple[str, str]]:
    """Stage × profile, in verification order, then in the order of the targets."""
    wanted = _wanted_stages(candidate, policy) if stages is None else _known_stages(stages)
    observed = [target.profile for target in candidate.targets]
    if profiles is None:
        asked = policy.transitions[_goal(candidate.state)].profiles
        profiles = observed if asked is None else [p for p in observed if p in asked]
    missing = sorted(set(profiles) - set(observed))
    if missing or not profiles:
        raise Invalid(
            PROFILE_WITHOUT_TARGET,
            "the candidate is not observed under every profile asked for",
            pointer="/profiles",
            seen=missing,
            expected=observed,
        )
    return [(stage.value, p) for stage in wanted for p in observed if p in set(profiles)]


def _known_stages(stages: Sequence[str]) -> list[Stage]:
    names = [stage.value for stage in RUNNABLE]
    foreign = sorted(set(stages) - set(names))
    if foreign or not stages:
        raise Invalid(
            STAGE_UNKNOWN,
            "a run needs at least one stage, and only stages that workers run",
            pointer="/stages",
            seen=foreign,
            expected=names,
        )
    return [stage for stage in RUNNABLE if stage.value in stages]


def _wanted_stages(candidate: Candidate, policy: Policy) -> list[Stage]:
    required = policy.transitions[_goal(candidate.state)].stages
    return [stage for stage in RUNNABLE if stage in required]


def _goal(state: State) -> State:
    """The state a verification is for: admission, promotion once in canary, else staying there."""
    if state in {State.CANARY, State.ACTIVE}:
        return State.ACTIVE
    return State.REGISTRY_ADMITTED
