"""Column types: what a value is in the database and what it is outside."""

from typing import Any
from uuid import UUID

import sqlalchemy as sa


class TypedId(sa.TypeDecorator[str]):
    """A native UUID inside, "prefix_<32 hex>" outside. A foreign prefix is an error, not a miss."""

    impl = sa.Uuid
    cache_ok = True

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self.prefix = prefix

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> UUID | None:
        """Take the prefix off."""
        del dialect
        if value is None:
            return None
        head, _, tail = value.partition("_")
        if head != self.prefix:
            msg = f"{value!r} is no {self.prefix} id"
            raise ValueError(msg)
        return UUID(tail)

    def process_result_value(self, value: Any | None, dialect: sa.Dialect) -> str | None:
        """Put the prefix on."""
        del dialect
        return None if value is None else f"{self.prefix}_{value.hex}"


Micros = sa.BigInteger
"""Microseconds since the epoch, UTC."""

Json = sa.JSON
"""JSON as text on both databases: what a hostile server said may hold U+0000, which jsonb refuses,
and nothing here is queried by its inside.
"""
