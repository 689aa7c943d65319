"""What a run leaves behind: events, outcomes, findings, transcripts."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from service.admission.model import RunEvent, TranscriptRecord
from service.admission.storage import FindingRow
from service.store import tables
from service.store.bundles import add_blobs
from service.store.rows import record_of, values_of
from service.store.runs import RunRows, held

_run, _stage, _event = tables.run, tables.run_stage, tables.run_event
_transcript, _finding, _blob = tables.transcript, tables.finding, tables.blob


class RunRecords(RunRows):
    """Implements `service.admission.storage.Runs`, whole."""

    def add_event(
        self, run_id: str, at: int, kind: str, body: Mapping[str, Any], *, fence: int | None = None
    ) -> bool:
        """Append an event; with a fence, only under its held lease."""
        statement = sa.update(_run).where(_run.c.id == run_id)
        if fence is not None:
            statement = statement.where(held(fence, at))
        seq = self._connection.execute(
            statement.values(last_seq=_run.c.last_seq + 1).returning(_run.c.last_seq)
        ).scalar_one_or_none()
        if seq is None:
            return False
        values = {"run_id": run_id, "seq": seq, "at": at, "kind": kind, "body": dict(body)}
        self._connection.execute(sa.insert(_event).values(values))
        return True

    def events(self, run_id: str, after_seq: int, limit: int) -> list[RunEvent]:
        """Events in order."""
        rows = self._connection.execute(
            sa.select(_event)
            .where(_event.c.run_id == run_id, _event.c.seq > after_seq)
            .order_by(_event.c.seq)
            .limit(limit)
        ).mappings()
        return [record_of(RunEvent, row) for row in rows]

    def outcomes(self, run_id: str) -> list[Mapping[str, Any]]:
        """Outcomes with `stage` and `profile`, in order."""
        rows = self._connection.execute(
            sa.select(_stage.c.stage, _stage.c.profile, _stage.c.outcomes)
            .where(_stage.c.run_id == run_id)
            .order_by(_stage.c.position)
        )
        return [
            {**outcome, "stage": stage, "profile": profile}
            for stage, profile, outcomes in rows
            for outcome in outcomes or ()
        ]

    def findings(self, run_id: str, after: str | None, limit: int) -> list[FindingRow]:
        """Findings with ids above `after`, in order."""
        statement = sa.select(_finding).where(_finding.c.run_id == run_id)
        if after is not None:
            statement = statement.where(_finding.c.id > after)
        rows = self._connection.execute(statement.order_by(_finding.c.id).limit(limit)).mappings()
        return [record_of(FindingRow, row) for row in rows]

    def add_transcript(
        self, record: TranscriptRecord, redaction_digest: str, content: bytes
    ) -> None:
        """Store a transcript; its content is a blob."""
        add_blobs(self._connection, {record.digest: content})
        values = values_of(record, redaction_digest=redaction_digest)
        self._connection.execute(sa.insert(_transcript).values(values))

    def transcripts(self, run_id: str) -> list[TranscriptRecord]:
        """Transcripts in the order of the stages."""
        rows = self._connection.execute(
            sa.select(_transcript).where(_transcript.c.run_id == run_id).order_by(_transcript.c.id)
        ).mappings()
        return [record_of(TranscriptRecord, row) for row in rows]

    def transcript(self, run_id: str, transcript_id: str) -> bytes | None:
        """The bytes of one."""
        return self._connection.execute(
            sa.select(_blob.c.content)
            .join(_transcript, _transcript.c.digest == _blob.c.digest)
            .where(_transcript.c.run_id == run_id, _transcript.c.id == transcript_id)
        ).scalar()
