"""Runs and their leases: every change is one conditional UPDATE, so that a late worker changes
nothing. Fence and lease are asked for in the same statement that writes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from service.admission.model import Run, RunStage, RunState
from service.store import tables
from service.store.rows import equal, newest_first, record_of, values_of

_run, _stage = tables.run, tables.run_stage


def held(fence: int, now: int) -> sa.ColumnElement[bool]:
    """A worker holds the run: its fence is current and its lease is not over."""
    return sa.and_(
        _run.c.fence == fence,
        _run.c.state == RunState.RUNNING.value,
        _run.c.lease_until > now,
    )


class RunRows:
    """Implements the runs and leases of `service.admission.storage.Runs`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, run: Run, dispatched_at: int) -> None:
        """Store a queued run and its stages."""
        values = values_of(run, "stages", dispatched_at=dispatched_at, last_seq=0)
        self._connection.execute(sa.insert(_run).values(values))
        self._connection.execute(
            sa.insert(_stage),
            [
                {
                    "run_id": run.id,
                    "stage": stage.stage,
                    "profile": stage.profile,
                    "position": position,
                }
                for position, stage in enumerate(run.stages)
            ],
        )

    def get(self, run_id: str, *, namespace: str | None = None) -> Run | None:
        """One run, of one namespace or (for workers) of any."""
        wanted = equal(_run, id=run_id, namespace=namespace)
        return next(iter(self._read(sa.select(_run).where(*wanted))), None)

    def page(
        self,
        namespace: str,
        *,
        candidate_id: str | None,
        state: str | None,
        before: str | None,
        limit: int,
    ) -> list[Run]:
        """Runs with ids below `before`, newest first."""
        wanted = equal(_run, namespace=namespace, candidate_id=candidate_id, state=state)
        return self._read(newest_first(sa.select(_run).where(*wanted), _run.c.id, before, limit))

    def _read(self, statement: sa.Select[Any]) -> list[Run]:
        rows = self._connection.execute(statement).mappings().all()
        stages: dict[str, list[RunStage]] = {row["id"]: [] for row in rows}
        if rows:
            statement = sa.select(_stage).where(_stage.c.run_id.in_(list(stages)))
            for row in self._connection.execute(statement.order_by(_stage.c.position)).mappings():
                stages[row["run_id"]].append(record_of(RunStage, row))
        return [
            record_of(Run, row, state=RunState(row["state"]), stages=tuple(stages[row["id"]]))
            for row in rows
        ]

    def claim(self, run_id: str, worker: str, now: int, lease_until: int) -> bool:
        """Take a queued run, or a running one whose lease is over, while attempts are left."""
        free = sa.or_(
            _run.c.state == RunState.QUEUED.value,
            sa.and_(_run.c.state == RunState.RUNNING.value, _run.c.lease_until <= now),
        )
        claimed = self._connection.execute(
            sa.update(_run)
            .where(
                _run.c.id == run_id,
                free,
                _run.c.attempt < _run.c.max_attempts,
                _run.c.cancel_requested.is_(False),
            )
            .values(
                state=RunState.RUNNING.value,
                attempt=_run.c.attempt + 1,
                fence=_run.c.fence + 1,
                lease_until=lease_until,
                worker=worker,
                started_at=sa.func.coalesce(_run.c.started_at, now),
            )
        )
        return claimed.rowcount == 1

    def extend(self, run_id: str, fence: int, now: int, lease_until: int) -> bool | None:
        """Extend a held lease; whether cancelling was asked for, None if the lease is not held."""
        return self._connection.execute(
            sa.update(_run)
            .where(_run.c.id == run_id, held(fence, now))
            .values(lease_until=lease_until)
            .returning(_run.c.cancel_requested)
        ).scalar_one_or_none()

    def close(
        self,
        run_id: str,
        fence: int,
        *,
        now: int,
        lease_over: bool,
        state: str,
        verdict: str | None,
        reason_code: str | None,
        detail: str | None,
    ) -> bool:
        """End a running run, or give it back, under the current fence."""
        expired = sa.and_(
            _run.c.fence == fence,
            _run.c.state == RunState.RUNNING.value,
            _run.c.lease_until <= now,
        )
        again = state == RunState.QUEUED.value
        closed = self._connection.execute(
            sa.update(_run)
            .where(_run.c.id == run_id, expired if lease_over else held(fence, now))
            .values(
                state=state,
                verdict=verdict,
                reason_code=reason_code,
                detail=detail,
                lease_until=None,
                finished_at=None if again else now,
                # never sent: the dispatcher offers it at once
                dispatched_at=None if again else _run.c.dispatched_at,
            )
        )
        return closed.rowcount == 1

    def cancel_queued(self, run_id: str, now: int, reason_code: str) -> bool:
        """End a run nobody has claimed; False if somebody has."""
        cancelled = self._connection.execute(
            sa.update(_run)
            .where(_run.c.id == run_id, _run.c.state == RunState.QUEUED.value)
            .values(
                state=RunState.CANCELLED.value,
                cancel_requested=True,
                reason_code=reason_code,
                finished_at=now,
            )
        )
        return cancelled.rowcount == 1

    def request_cancel(self, run_id: str) -> None:
        """Set the flag the heartbeat reads."""
        self._connection.execute(
            sa.update(_run).where(_run.c.id == run_id).values(cancel_requested=True)
        )

    def conclude_stage(
        self,
        run_id: str,
        stage: str,
        profile: str,
        *,
        verdict: str,
        evidence_id: str | None,
        outcomes: Sequence[Mapping[str, Any]] | None,
    ) -> None:
        """Write what one stage came to."""
        self._connection.execute(
            sa.update(_stage)
            .where(_stage.c.run_id == run_id, _stage.c.stage == stage, _stage.c.profile == profile)
            .values(
                verdict=verdict,
                evidence_id=evidence_id,
                outcomes=sa.null() if outcomes is None else list(outcomes),
            )
        )

    def dispatchable(self, now: int, sent_before: int, limit: int) -> list[str]:
        """Queued runs last sent before that time, or never; they count as sent `now`."""
        waiting = (
            sa.select(_run.c.id)
            .where(
                _run.c.state == RunState.QUEUED.value,
                sa.or_(_run.c.dispatched_at.is_(None), _run.c.dispatched_at <= sent_before),
            )
            .order_by(_run.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        taken = sa.update(_run).where(_run.c.id.in_(waiting)).values(dispatched_at=now)
        return sorted(self._connection.execute(taken.returning(_run.c.id)).scalars())

    def expired(self, now: int, limit: int) -> list[Run]:
        """Running runs whose lease is over."""
        return self._read(
            sa.select(_run)
            .where(_run.c.state == RunState.RUNNING.value, _run.c.lease_until <= now)
            .order_by(_run.c.lease_until)
            .limit(limit)
        )

    def moved_on(self, known: Mapping[str, int]) -> set[str]:
        """Ids whose last event is above the known one."""
        rows = self._connection.execute(
            sa.select(_run.c.id, _run.c.last_seq).where(_run.c.id.in_(list(known)))
        )
        return {run_id for run_id, seq in rows if seq > known[run_id]}
