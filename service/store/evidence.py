"""Evidence, for ever, and the maintained table of what is the latest word."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from service.admission.facts import EvidenceFacts, StageFacts
from service.admission.model import Candidate, Evidence, RunState
from service.store import tables
from service.store.rows import equal, insert_unless_taken, newest_first, record_of, values_of

_evidence, _latest = tables.evidence, tables.evidence_current
_run, _stage, _candidate = tables.run, tables.run_stage, tables.candidate


class EvidenceStore:
    """Implements `service.admission.storage.EvidenceRows`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, evidence: Evidence) -> None:
        """Store evidence, for ever."""
        values = values_of(evidence, summary=dict(evidence.summary))
        self._connection.execute(sa.insert(_evidence).values(values))

    def get(self, namespace: str, evidence_id: str) -> Evidence | None:
        """One piece of evidence."""
        wanted = equal(_evidence, namespace=namespace, id=evidence_id)
        return next(iter(self._read(sa.select(_evidence).where(*wanted))), None)

    def page(
        self,
        namespace: str,
        *,
        digest: str | None,
        producer: str | None,
        candidate_id: str | None,
        stage: str | None,
        profile: str | None,
        verdict: str | None,
        expires_after: int | None,
        expires_by: int | None,
        before: str | None,
        limit: int,
    ) -> list[Evidence]:
        """Evidence with ids below `before`, newest first."""
        wanted = equal(
            _evidence,
            namespace=namespace,
            candidate_id=candidate_id,
            stage=stage,
            profile=profile,
            verdict=verdict,
        )
        statement = sa.select(_evidence).where(*wanted)
        if digest is not None:
            kinds = (column for column in _evidence.c if column.name.endswith("_digest"))
            statement = statement.where(sa.or_(*(kind == digest for kind in kinds)))
        if producer is not None:
            theirs = sa.select(_candidate.c.id).where(
                *equal(_candidate, namespace=namespace, producer=producer)
            )
            statement = statement.where(_evidence.c.candidate_id.in_(theirs))
        if expires_after is not None:
            statement = statement.where(_evidence.c.expires_at > expires_after)
        if expires_by is not None:
            statement = statement.where(_evidence.c.expires_at <= expires_by)
        return self._read(newest_first(statement, _evidence.c.id, before, limit))

    def _read(self, statement: sa.Select[Any]) -> list[Evidence]:
        rows = self._connection.execute(statement).mappings()
        return [record_of(Evidence, row) for row in rows]

    def await_run(self, candidate_id: str, cells: Iterable[tuple[str, str]], run_id: str) -> None:
        """Make a run the latest word on its stages and profiles, before it says anything."""
        for stage, profile in cells:
            self._point(candidate_id, stage, profile, run_id=run_id, evidence_id=None)

    def settle(
        self, candidate_id: str, stage: str, profile: str, *, run_id: str | None, evidence_id: str
    ) -> None:
        """Attach evidence to the latest word, unless another run has become it."""
        if run_id is None:
            self._point(candidate_id, stage, profile, run_id=None, evidence_id=evidence_id)
            return
        where = equal(
            _latest, candidate_id=candidate_id, stage=stage, profile=profile, run_id=run_id
        )
        self._connection.execute(sa.update(_latest).where(*where).values(evidence_id=evidence_id))

    def _point(
        self,
        candidate_id: str,
        stage: str,
        profile: str,
        *,
        run_id: str | None,
        evidence_id: str | None,
    ) -> None:
        cell = {"candidate_id": candidate_id, "stage": stage, "profile": profile}
        words = {"run_id": run_id, "evidence_id": evidence_id}
        made = insert_unless_taken(_latest, self._connection).values(**cell, **words)
        if self._connection.execute(made.returning(_latest.c.stage)).first() is None:
            self._connection.execute(
                sa.update(_latest).where(*equal(_latest, **cell)).values(words)
            )

    def latest(self, candidate_id: str) -> tuple[StageFacts, ...]:
        """The latest word per stage and profile, ordered; one statement whatever the history."""
        rows = self._connection.execute(
            sa.select(
                _latest.c.stage.label("latest_stage"),
                _latest.c.profile.label("latest_profile"),
                _run.c.id.label("latest_run"),
                _run.c.state,
                _run.c.created_at,
                _run.c.reason_code,
                _run.c.detail,
                _stage.c.verdict.label("stage_verdict"),
                *_evidence.c,
            )
            .outerjoin(_run, _run.c.id == _latest.c.run_id)
            .outerjoin(
                _stage,
                sa.and_(
                    _stage.c.run_id == _latest.c.run_id,
                    _stage.c.stage == _latest.c.stage,
                    _stage.c.profile == _latest.c.profile,
                ),
            )
            .outerjoin(_evidence, _evidence.c.id == _latest.c.evidence_id)
            .where(_latest.c.candidate_id == candidate_id)
            .order_by(_latest.c.stage, _latest.c.profile)
        ).mappings()
        return tuple(_facts(row) for row in rows)

    def elsewhere(self, candidate: Candidate, limit: int) -> list[Evidence]:
        """Evidence that counts for other candidates of the same contract, newest first."""
        return self._read(
            sa.select(_evidence)
            .join(_latest, _latest.c.evidence_id == _evidence.c.id)
            .join(_candidate, _candidate.c.id == _latest.c.candidate_id)
            .where(
                _candidate.c.namespace == candidate.namespace,
                _candidate.c.contract_id == candidate.contract_id,
                _candidate.c.id != candidate.id,
            )
            .order_by(_evidence.c.id.desc())
            .limit(limit)
        )


def _facts(row: sa.RowMapping) -> StageFacts:
    evidence = None if row["id"] is None else record_of(Evidence, row)
    cell = {"stage": row["latest_stage"], "profile": row["latest_profile"]}
    seen = None if evidence is None else EvidenceFacts.of(evidence)
    if row["latest_run"] is None:
        return StageFacts(
            **cell,
            run_id=None,
            state=RunState.FINISHED.value,
            verdict=None if evidence is None else evidence.verdict,
            created_at=0 if evidence is None else evidence.verified_at,
            evidence=seen,
        )
    return StageFacts(
        **cell,
        run_id=row["latest_run"],
        state=row["state"],
        verdict=row["stage_verdict"],
        created_at=row["created_at"],
        reason_code=row["reason_code"] or "",
        detail=row["detail"] or "",
        evidence=seen,
    )
