"""Audit, idempotency and the public keys in use."""

import sqlalchemy as sa

from service.admission.model import AuditEntry, PublicKey
from service.admission.storage import KeptRequest
from service.store import tables
from service.store.rows import equal, insert_unless_taken, newest_first, record_of, values_of

_audit, _request, _key = tables.audit, tables.idempotency_key, tables.signing_key


class JournalRows:
    """Implements `service.admission.storage.Journal`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, namespace: str, entry: AuditEntry) -> None:
        """Append an audit entry."""
        values = values_of(entry, namespace=namespace, body=dict(entry.body))
        self._connection.execute(sa.insert(_audit).values(values))

    def page(self, namespace: str, *, before: str | None, limit: int) -> list[AuditEntry]:
        """Entries with ids below `before`, newest first."""
        statement = sa.select(_audit).where(_audit.c.namespace == namespace)
        statement = newest_first(statement, _audit.c.id, before, limit)
        rows = self._connection.execute(statement).mappings()
        return [record_of(AuditEntry, row) for row in rows]

    def request(self, namespace: str, key: str) -> KeptRequest | None:
        """What was asked under an Idempotency-Key."""
        wanted = equal(_request, namespace=namespace, key=key)
        row = self._connection.execute(sa.select(_request).where(*wanted)).mappings().one_or_none()
        return None if row is None else record_of(KeptRequest, row)

    def keep_request(self, namespace: str, key: str, kept: KeptRequest, at: int) -> bool:
        """Keep a request under its key; False if the key is taken."""
        values = values_of(kept, namespace=namespace, key=key, created_at=at)
        statement = insert_unless_taken(_request, self._connection).values(values)
        return bool(self._connection.execute(statement.returning(_request.c.key)).all())

    def keep_key(self, key: PublicKey) -> None:
        """Keep a public key unless it is there."""
        statement = insert_unless_taken(_key, self._connection)
        self._connection.execute(statement.values(values_of(key)))

    def keys(self) -> list[PublicKey]:
        """Public keys, oldest first."""
        statement = sa.select(_key).order_by(_key.c.since, _key.c.key_id)
        return [record_of(PublicKey, row) for row in self._connection.execute(statement).mappings()]
