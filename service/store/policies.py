"""Versions of policies: every one is kept, one of each name decides."""

from typing import Any

import sqlalchemy as sa

from service.admission.ids import POLICY, new_id
from service.admission.model import PolicyRecord
from service.store import tables
from service.store.rows import equal, insert_unless_taken, record_of, values_of

_policy = tables.policy


class PolicyRows:
    """Implements `service.admission.storage.Policies`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def lock(self, namespace: str) -> None:
        """Keep other writers of the namespace's policies out until the transaction ends."""
        ours = tables.namespace.c.name == namespace
        # key_share: rows that refer to the namespace may still be written
        self._connection.execute(
            sa.select(tables.namespace.c.name).where(ours).with_for_update(key_share=True)
        )

    def current(self, namespace: str, name: str) -> PolicyRecord | None:
        """The stored version that decides; None where a built-in one may."""
        wanted = equal(_policy, namespace=namespace, name=name)
        return self._one(sa.select(_policy).where(*wanted, _policy.c.current))

    def by_digest(self, namespace: str, name: str, digest: str) -> PolicyRecord | None:
        """One version."""
        wanted = equal(_policy, namespace=namespace, name=name, digest=digest)
        return self._one(sa.select(_policy).where(*wanted))

    def _one(self, statement: sa.Select[Any]) -> PolicyRecord | None:
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else record_of(PolicyRecord, row)

    def all_current(self, namespace: str) -> list[PolicyRecord]:
        """The versions that decide, by name."""
        rows = self._connection.execute(
            sa.select(_policy)
            .where(_policy.c.namespace == namespace, _policy.c.current)
            .order_by(_policy.c.name)
        ).mappings()
        return [record_of(PolicyRecord, row) for row in rows]

    def keep(self, namespace: str, record: PolicyRecord) -> bool:
        """Store a version as it is; False if it is there."""
        if self.by_digest(namespace, record.name, record.digest) is not None:
            return False
        values = values_of(
            record, id=new_id(POLICY), namespace=namespace, document=dict(record.document)
        )
        statement = insert_unless_taken(_policy, self._connection).values(values)
        return bool(self._connection.execute(statement.returning(_policy.c.id)).all())

    def make_current(self, namespace: str, name: str, digest: str) -> None:
        """Let a stored version decide."""
        ours = equal(_policy, namespace=namespace, name=name)
        self._connection.execute(
            sa.update(_policy).where(*ours, _policy.c.current).values(current=False)
        )
        self._connection.execute(
            sa.update(_policy).where(*ours, _policy.c.digest == digest).values(current=True)
        )
