"""Namespaces and tokens."""

import sqlalchemy as sa

from service.admission.model import TokenRecord
from service.admission.storage import StoredToken
from service.store import tables
from service.store.rows import insert_unless_taken, record_of, values_of

_token = tables.token


class TokenRows:
    """Implements `service.admission.storage.Tokens`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def ensure_namespace(self, name: str, at: int) -> None:
        """Make a namespace unless it is there."""
        statement = insert_unless_taken(tables.namespace, self._connection)
        self._connection.execute(statement.values(name=name, created_at=at))

    def add(self, token: StoredToken, created_by: str) -> None:
        """Store a token."""
        values = values_of(token.record, secret_hash=token.secret_hash, created_by=created_by)
        self._connection.execute(sa.insert(_token).values(values))

    def get(self, token_id: str) -> StoredToken | None:
        """A token of any namespace."""
        found = self._connection.execute(sa.select(_token).where(_token.c.id == token_id))
        row = found.mappings().one_or_none()
        if row is None:
            return None
        return StoredToken(record_of(TokenRecord, row), row["secret_hash"])

    def all(self, namespace: str) -> list[TokenRecord]:
        """Tokens of a namespace, newest first."""
        statement = sa.select(_token).where(_token.c.namespace == namespace)
        rows = self._connection.execute(statement.order_by(_token.c.id.desc())).mappings()
        return [record_of(TokenRecord, row) for row in rows]

    def revoke(self, token_id: str, at: int) -> None:
        """Set the time of revocation, unless one is set."""
        self._connection.execute(
            sa.update(_token)
            .where(_token.c.id == token_id, _token.c.revoked_at.is_(None))
            .values(revoked_at=at)
        )

    def used(self, token_id: str, at: int) -> None:
        """Note the last use."""
        self._connection.execute(
            sa.update(_token).where(_token.c.id == token_id).values(last_used_at=at)
        )
