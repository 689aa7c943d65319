"""What every aggregate does with rows: insert unless taken, records to values and back."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, TypeVar

import sqlalchemy as sa

T = TypeVar("T")


def insert_unless_taken(table: sa.Table, connection: sa.Connection) -> Any:
    """An INSERT that leaves alone a row that is there, in the words of the database at hand.

    On SQLite the guard of an insert-only table refuses it before the conflict is looked at: look
    first whether the row is there, inside the transaction.
    """
    # The words of the other database are not imported: each costs a start more than it looks.
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - see above

        return postgresql.insert(table).on_conflict_do_nothing()
    from sqlalchemy.dialects import sqlite  # noqa: PLC0415 - see above

    return sqlite.insert(table).on_conflict_do_nothing()


def record_of(kind: type[T], row: sa.RowMapping, **more: Any) -> T:
    """A record from the columns named like its fields; `more` wins, and lists become tuples."""
    values = {f.name: row[f.name] for f in fields(kind) if f.name not in more}  # type: ignore[arg-type]
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}, **more)


def values_of(record: Any, *without: str, **more: Any) -> dict[str, Any]:
    """The fields of a record as column values; enums go in as their text."""
    named = {f.name: getattr(record, f.name) for f in fields(record) if f.name not in without}
    return {**{k: _plain(v) for k, v in named.items()}, **more}


def newest_first(
    statement: sa.Select[Any], ids: "sa.Column[str]", before: str | None, limit: int
) -> sa.Select[Any]:
    """One page, walking ids downwards: they sort by time."""
    if before is not None:
        statement = statement.where(ids < before)
    return statement.order_by(ids.desc()).limit(limit)


def equal(table: sa.Table, **wanted: object | None) -> Sequence[sa.ColumnElement[bool]]:
    """Conditions for the columns whose wanted value is not None."""
    return [table.c[name] == value for name, value in wanted.items() if value is not None]


def _plain(value: Any) -> Any:
    return value.value if hasattr(value, "value") else value
