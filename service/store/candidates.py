"""Candidates and their state changes."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa

from service.admission.model import Candidate, State, Target, Transition
from service.store import tables
from service.store.rows import equal, insert_unless_taken, newest_first, record_of, values_of

_candidate, _transition = tables.candidate, tables.transition


class CandidateRows:
    """Implements `service.admission.storage.Candidates`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, candidate: Candidate, bundle_id: str, content_digest: str) -> bool:
        """Store a candidate; False if one of this content is there."""
        values = values_of(
            candidate,
            targets=[asdict(target) for target in candidate.targets],
            bundle_id=bundle_id,
            content_digest=content_digest,
        )
        statement = insert_unless_taken(_candidate, self._connection).values(values)
        return bool(self._connection.execute(statement.returning(_candidate.c.id)).all())

    def get(self, namespace: str, candidate_id: str, *, lock: bool = False) -> Candidate | None:
        """One candidate of a namespace."""
        statement = sa.select(_candidate).where(
            _candidate.c.id == candidate_id, _candidate.c.namespace == namespace
        )
        return self._one(statement.with_for_update() if lock else statement)

    def by_content(self, namespace: str, content_digest: str) -> Candidate | None:
        """The candidate of this very content."""
        return self._one(
            sa.select(_candidate).where(
                _candidate.c.namespace == namespace,
                _candidate.c.content_digest == content_digest,
            )
        )

    def _one(self, statement: sa.Select[Any]) -> Candidate | None:
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else _record(row)

    def other_build(self, bundle_id: str, version: str, artifact_digest: str) -> str | None:
        """The artifact digest of another build registered under this version, if there is one."""
        return self._connection.execute(
            sa.select(_candidate.c.artifact_digest)
            .where(
                _candidate.c.bundle_id == bundle_id,
                _candidate.c.version == version,
                _candidate.c.artifact_digest != artifact_digest,
            )
            .limit(1)
        ).scalar()

    def page(
        self,
        namespace: str,
        *,
        producer: str | None,
        state: str | None,
        digest: str | None,
        contract_id: str | None,
        version: str | None,
        before: str | None,
        limit: int,
    ) -> list[Candidate]:
        """Candidates with ids below `before`, newest first."""
        wanted = equal(
            _candidate,
            namespace=namespace,
            producer=producer,
            state=state,
            contract_id=contract_id,
            version=version,
        )
        statement = sa.select(_candidate).where(*wanted)
        if digest is not None:
            statement = statement.where(
                sa.or_(_candidate.c.bundle_digest == digest, _candidate.c.artifact_digest == digest)
            )
        statement = newest_first(statement, _candidate.c.id, before, limit)
        return [_record(row) for row in self._connection.execute(statement).mappings()]

    def touch(self, candidate_id: str, at: int) -> int:
        """Count one change of what decisions depend on; the new `inputs_version`."""
        version: int = self._connection.execute(
            sa.update(_candidate)
            .where(_candidate.c.id == candidate_id)
            .values(inputs_version=_candidate.c.inputs_version + 1, updated_at=at)
            .returning(_candidate.c.inputs_version)
        ).scalar_one()
        return version

    def move(self, candidate: Candidate, state_version: int) -> bool:
        """Write the state, unless somebody else wrote another one since `state_version`."""
        changed = self._connection.execute(
            sa.update(_candidate)
            .where(_candidate.c.id == candidate.id, _candidate.c.state_version == state_version)
            .values(
                state=candidate.state.value,
                state_version=candidate.state_version,
                inputs_version=candidate.inputs_version,
                route_enabled=candidate.route_enabled,
                needs_reverification=candidate.needs_reverification,
                reopened_at=candidate.reopened_at,
                updated_at=candidate.updated_at,
            )
        )
        return changed.rowcount == 1

    def moved_on(self, known: Mapping[str, int]) -> set[str]:
        """Ids whose `inputs_version` is above the known one."""
        rows = self._connection.execute(
            sa.select(_candidate.c.id, _candidate.c.inputs_version).where(
                _candidate.c.id.in_(list(known))
            )
        )
        return {candidate_id for candidate_id, version in rows if version > known[candidate_id]}

    def add_transition(self, transition: Transition, state_version: int) -> None:
        """Store a state change."""
        values = values_of(transition, state_version=state_version)
        self._connection.execute(sa.insert(_transition).values(values))

    def transitions(self, candidate_id: str) -> list[Transition]:
        """State changes, oldest first."""
        rows = self._connection.execute(
            sa.select(_transition)
            .where(_transition.c.candidate_id == candidate_id)
            .order_by(_transition.c.state_version)
        ).mappings()
        return [
            record_of(
                Transition,
                row,
                from_state=State(row["from_state"]),
                to_state=State(row["to_state"]),
            )
            for row in rows
        ]


def _record(row: sa.RowMapping) -> Candidate:
    return record_of(
        Candidate,
        row,
        targets=tuple(
            Target(**target | {"instances": tuple(target.get("instances", ()))})
            for target in row["targets"]
        ),
        state=State(row["state"]),
    )
