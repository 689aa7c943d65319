"""A worker's hold on a run: claimed with a lease and a fencing number, kept by heartbeats.

Whoever's fence is not the current one, or whose lease is over, changes nothing.
"""

from collections.abc import Mapping
from typing import Any

from bundles.errors import Conflict
from bundles.verdict import Verdict
from service.admission.desk import Desk, note
from service.admission.ids import RUN, is_id
from service.admission.model import Claim, Run, RunState
from service.admission.move import advance
from service.admission.record import touched
from service.admission.refusals import ATTEMPT_LOST, ATTEMPTS_EXHAUSTED, LEASE_LOST, RUN_CANCELLED
from service.admission.storage import Unit
from service.admission.words import sentence

_LONGEST_DETAIL = 2000
_EXPIRED_AT_ONCE = 100


def claim(desk: Desk, run_id: str, worker: str) -> Claim | None:
    """See `Registry.claim`."""
    if not is_id(RUN, run_id):
        return None
    now = desk.clock.now()
    with desk.store.write() as unit:
        if not unit.runs.claim(run_id, sentence(worker, 200), now, _lease_end(desk, now)):
            return None
        run = unit.runs.get(run_id)
        assert run is not None, "a claimed run is there"  # noqa: S101
        unit.runs.add_event(run_id, now, "claimed", {"attempt": run.attempt})
    with desk.store.read() as unit:
        candidate = unit.candidates.get(run.namespace, run.candidate_id)
        assert candidate is not None, "a run's candidate is there"  # noqa: S101
        stored = unit.bundles.find(run.namespace, candidate.bundle_digest)
        assert stored is not None, "a candidate's bundle is there"  # noqa: S101
        files = unit.bundles.files(stored.id)
    return Claim(run, run.fence, candidate, files)


def heartbeat(desk: Desk, run_id: str, fence: int) -> bool:
    """See `Registry.heartbeat`."""
    now = desk.clock.now()
    with desk.store.write() as unit:
        cancelled = unit.runs.extend(run_id, fence, now, _lease_end(desk, now))
    if cancelled is None:
        raise lease_lost(run_id)
    return not cancelled


def progress(desk: Desk, run_id: str, fence: int, kind: str, body: Mapping[str, Any]) -> None:
    """See `Registry.progress`."""
    now = desk.clock.now()
    with desk.store.write() as unit:
        if not unit.runs.add_event(run_id, now, sentence(kind, 64), body, fence=fence):
            raise lease_lost(run_id)


def abandon(desk: Desk, held: Claim, reason_code: str, detail: str, *, retry: bool) -> Run:
    """See `Registry.abandon`."""
    now = desk.clock.now()
    with desk.store.write() as unit:
        unit.candidates.get(held.run.namespace, held.run.candidate_id, lock=True)
        run = unit.runs.get(held.run.id)
        if run is None or not _give_back(
            desk,
            unit,
            run,
            fence=held.fence,
            reason_code=reason_code,
            detail=detail,
            retry=retry,
            lease_over=False,
            now=now,
        ):
            raise lease_lost(held.run.id)
        after = unit.runs.get(held.run.id)
    return after or run


def dispatchable(desk: Desk, limit: int) -> list[str]:
    """See `Registry.dispatchable`."""
    now = desk.clock.now()
    with desk.store.write() as unit:
        return unit.runs.dispatchable(now, now - desk.terms.lease_s * 1_000_000, limit)


def expire_leases(desk: Desk) -> int:
    """See `Registry.expire_leases`. One transaction a run, so that no lock is held for many."""
    now = desk.clock.now()
    with desk.store.read() as unit:
        late = unit.runs.expired(now, _EXPIRED_AT_ONCE)
    ended = 0
    for run in late:
        with desk.store.write() as unit:
            unit.candidates.get(run.namespace, run.candidate_id, lock=True)
            fresh = unit.runs.get(run.id) or run
            last = fresh.attempt >= fresh.max_attempts
            detail = f"attempt {run.attempt} ended without a word: its lease was over"
            ended += _give_back(
                desk,
                unit,
                fresh,
                fence=run.fence,
                reason_code=ATTEMPTS_EXHAUSTED if last else ATTEMPT_LOST,
                detail=detail,
                retry=True,
                lease_over=True,
                now=now,
            )
    return ended


def lease_lost(run_id: str) -> Conflict:
    """The refusal a late worker meets."""
    return Conflict(LEASE_LOST, "the lease on the run is over", seen=run_id)


def _lease_end(desk: Desk, now: int) -> int:
    return now + desk.terms.lease_s * 1_000_000


def _give_back(
    desk: Desk,
    unit: Unit,
    run: Run,
    *,
    fence: int,
    reason_code: str,
    detail: str,
    retry: bool,
    lease_over: bool,
    now: int,
) -> bool:
    """End an attempt: cancelled if that was asked for, queued again while attempts are left, else
    INCONCLUSIVE with why. False, and nothing changed, for a fence that is not the current one.
    """
    again = retry and not run.cancel_requested and run.attempt < run.max_attempts
    said = sentence(detail, _LONGEST_DETAIL)
    if run.cancel_requested:
        state, verdict, code = RunState.CANCELLED, None, RUN_CANCELLED
    elif again:
        state, verdict, code = RunState.QUEUED, None, reason_code
    else:
        state, verdict, code = RunState.FINISHED, Verdict.INCONCLUSIVE.value, reason_code
    if not unit.runs.close(
        run.id,
        fence,
        now=now,
        lease_over=lease_over,
        state=state.value,
        verdict=verdict,
        reason_code=code,
        detail=said,
    ):
        return False
    kind = "retry" if again else state.value
    unit.runs.add_event(
        run.id, now, kind, {"attempt": run.attempt, "reason_code": code, "detail": said}
    )
    note(
        unit,
        run.namespace,
        actor="worker",
        action=f"run.{kind}",
        subject=run.id,
        at=now,
        body={"attempt": run.attempt, "reason_code": code},
    )
    if again:
        return True
    if state is RunState.FINISHED:
        for stage in run.stages:
            unit.runs.conclude_stage(
                run.id,
                stage.stage,
                stage.profile,
                verdict=Verdict.INCONCLUSIVE.value,
                evidence_id=None,
                outcomes=None,
            )
    candidate = unit.candidates.get(run.namespace, run.candidate_id)
    assert candidate is not None, "a run's candidate is there"  # noqa: S101
    advance(desk, unit, touched(unit, candidate, now), now)
    return True
