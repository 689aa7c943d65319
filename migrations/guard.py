"""Insert-only tables, enforced by the database itself.

SQLite: UPDATE and DELETE triggers, and a BEFORE INSERT trigger, since INSERT OR REPLACE removes the
row it collides with and fires delete triggers only where `recursive_triggers` is on. PostgreSQL:
UPDATE and DELETE by row, TRUNCATE by statement. An Alembic batch operation on SQLite makes the
table anew and drops its triggers in silence: call `guard` again after each.
"""

from collections.abc import Sequence

from alembic import op

_FUNCTION = "bundlegate_insert_only"


def guard(table: str, *unique: Sequence[str]) -> None:
    """Make a table insert-only.

    Args:
        table: its name.
        unique: the columns of its primary key and of each unique constraint.
    """
    for statement in _statements(op.get_bind().dialect.name, table, unique):
        op.execute(statement)


def prepare() -> None:
    """Create what the guards of a database share; once, before the first `guard`."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE FUNCTION {_FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $$ "
            "BEGIN RAISE EXCEPTION '% is insert-only', TG_TABLE_NAME "
            "USING ERRCODE = 'restrict_violation'; END $$"
        )


def unprepare() -> None:
    """Drop it again; once, after the last guarded table is gone."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"DROP FUNCTION {_FUNCTION}()")


def _statements(dialect: str, table: str, unique: Sequence[Sequence[str]]) -> list[str]:
    if dialect == "postgresql":
        rows = f"BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW"
        whole = f"BEFORE TRUNCATE ON {table} FOR EACH STATEMENT"
        return [
            f"CREATE TRIGGER {table}_insert_only {rows} EXECUTE FUNCTION {_FUNCTION}()",
            f"CREATE TRIGGER {table}_no_truncate {whole} EXECUTE FUNCTION {_FUNCTION}()",
        ]
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is insert-only'); END"
    # a REPLACE may also collide by the hidden rowid, which no constraint names
    collisions = " OR ".join(
        " AND ".join(f"{column} = NEW.{column}" for column in columns)
        for columns in (*unique, ("rowid",))
    )
    collides = f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {collisions})"  # noqa: S608 - our own names
    return [
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} {refuse}",
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} {refuse}",
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} {collides} {refuse}",
    ]
