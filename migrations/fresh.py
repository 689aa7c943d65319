"""A new SQLite database at once: the statements that the revisions leave behind, run as they are.

Importing Alembic takes longer than everything else a first start does with its database. After a
new revision: `python -m migrations` (a test compares).
"""

import json
import sqlite3
import tempfile
from pathlib import Path

import sqlalchemy as sa

STATEMENTS = Path(__file__).with_name("head.sqlite.json")
"""A JSON array: what makes the schema, in order, and then the row that names the revision."""


def make(connection: sa.Connection) -> bool:
    """Make the schema in an empty SQLite database; False, and nothing done, in any other.

    Args:
        connection: inside the transaction that all of it belongs to.
    """
    if connection.dialect.name != "sqlite":
        return False
    if connection.exec_driver_sql("SELECT 1 FROM sqlite_master LIMIT 1").first() is not None:
        return False
    for statement in json.loads(STATEMENTS.read_text(encoding="utf-8")):
        connection.exec_driver_sql(statement)
    return True


def statements() -> list[str]:
    """What `STATEMENTS` has to hold: the revisions are run, and what they made is read back."""
    from migrations import upgrade_by_revisions  # noqa: PLC0415 - it imports this module

    with tempfile.TemporaryDirectory(prefix="bg-fresh-") as folder:
        path = Path(folder, "head.db")
        upgrade_by_revisions(f"sqlite:///{path}", "head")
        database = sqlite3.connect(path)
        try:
            # SQLite makes the indexes of constraints by itself: those have no words.
            made = database.execute(
                "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
            )
            revision = database.execute("SELECT version_num FROM alembic_version").fetchone()[0]
            named = f"INSERT INTO alembic_version VALUES ('{revision}')"  # noqa: S608 - our own
            return [*(sql for (sql,) in made), named]
        finally:
            database.close()
