import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory

import migrations
from migrations import fresh
from service.store.engine import engine_of
from service.store.tables import INSERT_ONLY, metadata


@pytest.fixture
def connection(database_url):
    migrations.upgrade(database_url)
    engine = engine_of(database_url, pool_size=1)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


OTHER_KEY = {
    "blob": ('"digest"', "'other'"),
    "bundle_file": ('"path"', "'other'"),
    "run_event": ('"seq"', '"seq" + 1'),
}
"""How a row gets another key, in tables without an id."""


def tables_of(connection):
    return set(sa.inspect(connection).get_table_names()) - {"alembic_version"}


def test_the_revisions_make_exactly_the_tables_of_the_program(database_url, connection):
    assert tables_of(connection) == set(metadata.tables)
    connection.rollback()
    migrations.check(database_url)


def test_the_head_that_a_start_compares_with_is_the_newest_revision():
    scripts = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert scripts.get_heads() == [migrations.HEAD]


def test_a_new_database_is_made_of_what_the_revisions_leave_behind():
    assert json.loads(fresh.STATEMENTS.read_text()) == fresh.statements(), (
        "run python -m migrations"
    )


def test_a_new_sqlite_database_is_the_one_the_revisions_make(tmp_path):
    made = {"at-once": migrations.upgrade, "step-by-step": migrations.upgrade_by_revisions}
    found = []
    for name, upgrade in made.items():
        upgrade(f"sqlite:///{tmp_path}/{name}.db", "head")
        with closing(sqlite3.connect(tmp_path / f"{name}.db")) as database:
            words = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
            found.append(database.execute(words).fetchall())
    assert found[0] == found[1]


def test_a_database_with_tables_of_others_is_not_taken_for_a_new_one(tmp_path):
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE theirs (a)")
        database.commit()
    migrations.upgrade(f"sqlite:///{path}")
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchall() == [
            (migrations.HEAD,)
        ]


@pytest.mark.parametrize("there", [True, False])
def test_neither_a_database_at_head_nor_a_new_one_loads_alembic(tmp_path, there):
    url = f"sqlite:///{tmp_path}/at-head.db"
    if there:
        migrations.upgrade(url)
    probe = f"import sys, migrations; migrations.upgrade({url!r}); print('alembic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_upgrading_twice_changes_nothing(database_url, connection):
    connection.execute(sa.text("INSERT INTO namespace VALUES ('kept', 1)"))
    connection.commit()
    migrations.upgrade(database_url)
    assert connection.execute(sa.text("SELECT name FROM namespace")).scalars().all() == ["kept"]


def test_the_schema_goes_down_and_up_again_with_rows_in_it(database_url, connection):
    connection.execute(sa.text("INSERT INTO namespace VALUES ('n', 1)"))
    for table in INSERT_ONLY:
        insert_rows_for(connection, table)
    connection.commit()
    connection.close()
    migrations.downgrade(database_url, "base")
    engine = engine_of(database_url, pool_size=1)
    with engine.connect() as again:
        assert tables_of(again) == set()
    migrations.upgrade(database_url)
    with engine.connect() as again:
        assert tables_of(again) == set(metadata.tables)
        assert again.execute(sa.text("SELECT count(*) FROM audit")).scalar() == 0
    engine.dispose()


@pytest.mark.parametrize("table", INSERT_ONLY)
def test_an_insert_only_table_refuses_update_delete_replace_and_truncate(connection, table):
    connection.execute(sa.text("INSERT INTO namespace VALUES ('n', 1)"))
    insert_rows_for(connection, table)
    connection.commit()
    before = connection.execute(sa.text(f"SELECT * FROM {table}")).all()
    first = next(iter(metadata.tables[table].columns)).name
    attempts = [f"UPDATE {table} SET {first} = {first}", f"DELETE FROM {table}"]
    if connection.dialect.name == "postgresql":
        attempts.append(f"TRUNCATE {table} CASCADE")
    else:
        attempts.append(f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}")
    for attempt in attempts:
        with pytest.raises(sa.exc.DBAPIError, match="is insert-only"):
            connection.execute(sa.text(attempt))
        connection.rollback()
    assert connection.execute(sa.text(f"SELECT * FROM {table}")).all() == before


@pytest.mark.parametrize("table", INSERT_ONLY)
def test_replace_is_refused_even_where_recursive_triggers_are_off(tmp_path, table):
    url = f"sqlite:///{tmp_path / 'store.db'}"
    migrations.upgrade(url)
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        connection.execute(sa.text("PRAGMA recursive_triggers=OFF"))
        connection.execute(sa.text("INSERT INTO namespace VALUES ('n', 1)"))
        insert_rows_for(connection, table)
        connection.commit()
        columns = ", ".join(f'"{c.name}"' for c in metadata.tables[table].columns)
        others = columns.replace(*OTHER_KEY.get(table, ('"id"', "randomblob(16)")))
        for attempt in (
            f"SELECT {columns} FROM {table}",
            f"(rowid, {columns}) SELECT rowid, {others} FROM {table}",
        ):
            with pytest.raises(sa.exc.DBAPIError, match="is insert-only"):
                connection.execute(sa.text(f"INSERT OR REPLACE INTO {table} {attempt}"))
            connection.rollback()
    engine.dispose()


POLICY = "SELECT id, namespace, name, digest, document, current, created_by FROM policy ORDER BY id"
TWO_POLICIES = [
    {
        "id": f"pol_{n:032x}",
        "namespace": "n",
        "name": "ours",
        "digest": f"d{n}",
        "document": {"n": n},
        "current": n == 1,
        "created_at": 1,
        "created_by": "me",
    }
    for n in (1, 2)
]


@pytest.fixture
def policies(connection):
    """Two versions of a policy, of which the first one decides."""
    connection.execute(sa.text("INSERT INTO namespace VALUES ('n', 1)"))
    connection.execute(sa.insert(metadata.tables["policy"]), TWO_POLICIES)
    connection.commit()
    return connection


def test_of_a_policy_only_which_version_decides_may_change(policies):
    before = policies.execute(sa.text(POLICY)).all()
    attempts = [
        "UPDATE policy SET document = '{}'",
        "UPDATE policy SET digest = 'other', current = false WHERE digest = 'd1'",
        "UPDATE policy SET created_by = 'nobody'",
        "UPDATE policy SET name = 'theirs'",
        "DELETE FROM policy",
    ]
    if policies.dialect.name == "postgresql":
        attempts.append("TRUNCATE policy")
    for attempt in attempts:
        with pytest.raises(sa.exc.DBAPIError, match="is insert-only"):
            policies.execute(sa.text(attempt))
        policies.rollback()
    assert policies.execute(sa.text(POLICY)).all() == before
    policies.execute(sa.text("UPDATE policy SET current = false WHERE digest = 'd1'"))
    policies.execute(sa.text("UPDATE policy SET current = true WHERE digest = 'd2'"))
    policies.commit()
    wanted = sa.text("SELECT digest FROM policy WHERE current")
    assert policies.execute(wanted).scalars().all() == ["d2"]


@pytest.mark.parametrize(
    "attempt",
    [
        "INSERT OR REPLACE INTO policy SELECT id, 'n', 'x', 'x', '{}', 0, 1, 'x' FROM policy",
        "INSERT OR REPLACE INTO policy VALUES ('x', 'n', 'ours', 'd2', '{}', 0, 1, 'x')",
        "INSERT OR REPLACE INTO policy VALUES ('x', 'n', 'ours', 'd3', '{}', 1, 1, 'x')",
        (
            "INSERT OR REPLACE INTO policy (rowid, id, namespace, name, digest, document, current,"
            " created_at, created_by) VALUES (1, 'x', 'n', 'x', 'x', '{}', 0, 1, 'x')"
        ),
        "UPDATE OR REPLACE policy SET current = 1 WHERE digest = 'd2'",
        "UPDATE OR REPLACE policy SET rowid = 1 WHERE rowid = 2",
    ],
)
def test_no_version_of_a_policy_is_replaced_where_recursive_triggers_are_off(tmp_path, attempt):
    url = f"sqlite:///{tmp_path / 'store.db'}"
    migrations.upgrade(url)
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        connection.execute(sa.text("PRAGMA recursive_triggers=OFF"))
        connection.execute(sa.text("INSERT INTO namespace VALUES ('n', 1)"))
        connection.execute(sa.insert(metadata.tables["policy"]), TWO_POLICIES)
        connection.commit()
        before = connection.execute(sa.text(POLICY)).all()
        with pytest.raises(sa.exc.DBAPIError, match="is insert-only"):
            connection.execute(sa.text(attempt))
        connection.rollback()
        assert connection.execute(sa.text(POLICY)).all() == before
    engine.dispose()


CHANGES = {
    "blob": "UPDATE blob SET size = size + 1",
    "bundle_file": "UPDATE bundle_file SET path = path || 'x'",
    "policy": "UPDATE policy SET created_at = created_at + 1",
    "run_event": "UPDATE run_event SET at = at + 1",
}
"""Statements that the second revision refuses."""


def test_a_populated_database_of_the_first_revision_is_guarded_by_the_second(database_url):
    def rows():
        with engine.connect() as connection:
            return {
                name: connection.execute(sa.select(table)).all()
                for name, table in metadata.tables.items()
            }

    def changeable():
        found = []
        for name, change in CHANGES.items():
            with engine.connect() as connection:
                if engine.dialect.name == "sqlite":  # whose connections begin nothing by themselves
                    connection.exec_driver_sql("BEGIN")
                try:
                    connection.execute(sa.text(change))
                    found.append(name)
                except sa.exc.IntegrityError:  # what the triggers raise, on both
                    connection.rollback()
        return found

    migrations.upgrade_by_revisions(database_url, "0001")
    engine = engine_of(database_url, pool_size=1)
    with engine.connect() as connection:
        connection.execute(sa.text("INSERT INTO namespace VALUES ('n', 1)"))
        for table in metadata.tables:
            insert_rows_for(connection, table)
        connection.commit()
    before = rows()
    assert all(before.values()), "every table has a row"
    assert changeable() == list(CHANGES)
    migrations.upgrade(database_url)
    assert (rows(), changeable()) == (before, [])
    migrations.downgrade(database_url, "0001")
    assert (rows(), changeable()) == (before, list(CHANGES))
    migrations.upgrade(database_url)
    assert (rows(), changeable()) == (before, [])
    engine.dispose()


def insert_rows_for(connection, table):
    """One row of a table, and of those it refers to, made from the tables themselves."""
    made = metadata.tables[table]
    if connection.execute(sa.select(sa.func.count()).select_from(made)).scalar():
        return
    for foreign in made.foreign_keys:
        if not foreign.parent.nullable and foreign.column.table.name != "namespace":
            insert_rows_for(connection, foreign.column.table.name)
    values = {c.name: _value(c) for c in made.columns if not c.nullable}
    if table == "finding":
        insert_rows_for(connection, "bundle")
        values["bundle_id"] = _value(made.c.bundle_id)
    if table == "evidence":
        insert_rows_for(connection, "run")
        values["run_id"] = _value(made.c.run_id)
    connection.execute(sa.insert(made).values(values))


def _value(column):
    if column.foreign_keys and not hasattr(column.type, "prefix"):
        return "n" if column.name == "namespace" else column.name
    if hasattr(column.type, "prefix"):
        return f"{column.type.prefix}_{'0' * 31}1"
    kind = column.type.python_type
    return {int: 1, str: column.name, bytes: b"x", bool: True, object: {}}[kind]
