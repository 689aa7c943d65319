"""Stored decisions, and the one statement a decided gate costs."""

from typing import Any

import sqlalchemy as sa

from service.admission.model import Decision
from service.admission.storage import StandingDecision
from service.store import tables
from service.store.rows import equal, record_of, values_of

_decision, _candidate, _policy = tables.decision, tables.candidate, tables.policy


def _standing_statement() -> sa.Select[Any]:
    """The newest decision on a question, made from the candidate's present inputs."""
    newest = (
        sa.select(_decision.c.id)
        .where(
            _decision.c.candidate_id == _candidate.c.id,
            _decision.c.to_state == sa.bindparam("to_state"),
            _decision.c.environment == sa.bindparam("environment"),
            _decision.c.inputs_version == _candidate.c.inputs_version,
        )
        .order_by(_decision.c.id.desc())
        .limit(1)
        .correlate(_candidate)
        .scalar_subquery()
    )
    return (
        sa.select(
            _candidate.c.policy.label("asked_policy"),
            _policy.c.digest.label("stored_digest"),
            *_decision.c,
        )
        .outerjoin(
            _policy,
            sa.and_(
                _policy.c.namespace == _candidate.c.namespace,
                _policy.c.name == _candidate.c.policy,
                _policy.c.current,
            ),
        )
        .outerjoin(_decision, _decision.c.id == newest)
        .where(
            _candidate.c.id == sa.bindparam("candidate_id"),
            _candidate.c.namespace == sa.bindparam("namespace"),
        )
    )


_STANDING = _standing_statement()


class DecisionRows:
    """Implements `service.admission.storage.Decisions`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def standing(
        self, namespace: str, candidate_id: str, to: str, environment: str
    ) -> StandingDecision | None:
        """What is known about a question, in one statement; None for an unknown candidate."""
        asked = {
            "namespace": namespace,
            "candidate_id": candidate_id,
            "to_state": to,
            "environment": environment,
        }
        row = self._connection.execute(_STANDING, asked).mappings().one_or_none()
        if row is None:
            return None
        decision = None if row["id"] is None else _record(row)
        return StandingDecision(row["asked_policy"], row["stored_digest"], decision)

    def add(self, decision: Decision, inputs_version: int) -> None:
        """Store a decision, for ever."""
        values = values_of(
            decision,
            "to",
            to_state=decision.to,
            reasons=list(decision.reasons),
            next_steps=list(decision.next_steps),
            unverified_claims=list(decision.unverified_claims),
            not_covered=list(decision.not_covered),
            inputs=dict(decision.inputs),
            inputs_version=inputs_version,
        )
        self._connection.execute(sa.insert(_decision).values(values))

    def get(self, namespace: str, decision_id: str) -> Decision | None:
        """One decision."""
        wanted = equal(_decision, namespace=namespace, id=decision_id)
        row = self._connection.execute(sa.select(_decision).where(*wanted)).mappings().one_or_none()
        return None if row is None else _record(row)


def _record(row: sa.RowMapping) -> Decision:
    return record_of(Decision, row, to=row["to_state"])
