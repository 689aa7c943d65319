"""Insert-only tables, enforced by the database itself.

SQLite: UPDATE and DELETE triggers, and a BEFORE INSERT trigger, since INSERT OR REPLACE removes the
row it collides with and fires delete triggers only where `recursive_triggers` is on. PostgreSQL:
UPDATE and DELETE by row, TRUNCATE by statement. An Alembic batch operation on SQLite makes the
table anew and drops its triggers in silence: call `guard` again after each.
"""

from collections.abc import Sequence

from alembic import op

_FUNCTION = "bundlegate_insert_only"


def guard(
    table: str,
    *unique: Sequence[str],
    fixed: Sequence[str] = (),
    one_each: tuple[Sequence[str], str] | None = None,
) -> None:
    """Make a table insert-only.

    Args:
        table: its name.
        unique: the columns of its primary key and of each unique constraint.
        fixed: the columns that never change; every one, and so every row, where none is named.
        one_each: columns, and the flag column that is true for at most one row of each.
    """
    for statement in _statements(op.get_bind().dialect.name, table, unique, fixed, one_each):
        op.execute(statement)


def unguard(table: str) -> None:
    """Let a table be changed again, for a downgrade to a revision that did not guard it."""
    if op.get_bind().dialect.name == "postgresql":
        for trigger in ("insert_only", "no_truncate"):
            op.execute(f"DROP TRIGGER {table}_{trigger} ON {table}")
    else:
        for trigger in ("no_update", "no_delete", "no_replace"):
            op.execute(f"DROP TRIGGER {table}_{trigger}")


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


def _statements(
    dialect: str,
    table: str,
    unique: Sequence[Sequence[str]],
    fixed: Sequence[str],
    one_each: tuple[Sequence[str], str] | None,
) -> list[str]:
    if dialect == "postgresql":
        of = f" OF {', '.join(fixed)}" if fixed else ""
        rows = f"BEFORE UPDATE{of} OR DELETE ON {table} FOR EACH ROW"
        whole = f"BEFORE TRUNCATE ON {table} FOR EACH STATEMENT"
        return [
            f"CREATE TRIGGER {table}_insert_only {rows} EXECUTE FUNCTION {_FUNCTION}()",
            f"CREATE TRIGGER {table}_no_truncate {whole} EXECUTE FUNCTION {_FUNCTION}()",
        ]
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is insert-only'); END"
    # a REPLACE may also collide by the hidden rowid, which no constraint names
    same = [" AND ".join(f"{name} = NEW.{name}" for name in keys) for keys in (*unique, ("rowid",))]
    flagged = ""
    if one_each is not None:
        names, flag = one_each
        flagged = " AND ".join([*(f"{name} = NEW.{name}" for name in names), flag, f"NEW.{flag}"])
        same.append(flagged)
    collides = f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {' OR '.join(same)})"  # noqa: S608 - our own names
    changes = ""
    if fixed:
        differs = [f"NEW.{name} IS NOT OLD.{name}" for name in (*fixed, "rowid")]
        if flagged:  # an UPDATE OR REPLACE of the flag would remove the row that has it
            differs.append(
                f"EXISTS (SELECT 1 FROM {table} WHERE rowid <> OLD.rowid AND {flagged})"  # noqa: S608
            )
        changes = f"WHEN {' OR '.join(differs)} "
    return [
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} {changes}{refuse}",
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} {refuse}",
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} {collides} {refuse}",
    ]
