"""A database that cannot serve is refused with its reason, and a wrong statement is not."""

import sqlite3
from contextlib import closing

import pytest
import sqlalchemy as sa

from bundles.errors import Unreachable
from service.store import engine as engines
from service.store import open_store
from service.store.engine import Connections, engine_of
from service.store.tables import namespace

ADD = sa.insert(namespace).values(name="n", created_at=1)


@pytest.fixture
def connections(migrated_url):
    engine = engine_of(migrated_url, pool_size=2)
    yield Connections(engine)
    engine.dispose()


def refused(connections, act):
    with pytest.raises(Unreachable) as caught, connections.write() as connection:
        act(connection)
    assert "/" not in str(caught.value.to_dict()), "no address, no path"
    return caught.value.reason_code, caught.value.detail


@pytest.mark.parametrize("statement", ["SELECT 1 FROM no_such_table", "SELECT absent FROM token"])
def test_a_table_or_column_that_is_not_there_asks_for_an_upgrade(connections, statement):
    code, _ = refused(connections, lambda c: c.execute(sa.text(statement)))
    assert code == "STORE_NOT_MIGRATED"


def test_a_column_an_insert_misses_asks_for_an_upgrade(connections):
    statement = sa.text("INSERT INTO namespace (name, created_at, later) VALUES ('n', 1, 2)")
    assert refused(connections, lambda c: c.execute(statement))[0] == "STORE_NOT_MIGRATED"


def test_a_database_that_takes_no_writes_says_so(connections):
    sqlite = connections.engine.dialect.name == "sqlite"
    forbid = "PRAGMA query_only=ON" if sqlite else "SET TRANSACTION READ ONLY"

    def write(connection):
        connection.exec_driver_sql(forbid)
        connection.execute(ADD)

    assert refused(connections, write)[0] == "STORE_READ_ONLY"


def test_a_user_without_rights_on_the_tables_is_told_so(postgres, migrated_postgresql_url):
    engine = engine_of(migrated_postgresql_url, pool_size=1)
    forbidden = Connections(engine)

    def write(connection):
        connection.exec_driver_sql("CREATE ROLE reader NOLOGIN")
        connection.exec_driver_sql("SET LOCAL ROLE reader")
        connection.execute(ADD)

    assert refused(forbidden, write)[0] == "STORE_READ_ONLY"
    engine.dispose()


def test_a_full_sqlite_disk_is_told_from_a_locked_one(migrated_sqlite_url, monkeypatch):
    monkeypatch.setattr(engines, "_BUSY_S", 0.05)
    engine = engine_of(migrated_sqlite_url, pool_size=1)
    connections = Connections(engine)

    def fill(connection):
        connection.exec_driver_sql("PRAGMA max_page_count=1")
        for n in range(2000):
            connection.execute(ADD.values(name=f"{n}" * 200))

    assert refused(connections, fill) == ("STORE_UNREACHABLE", "the database's disk is full")
    with closing(sqlite3.connect(engine.url.database)) as other:
        other.execute("BEGIN IMMEDIATE")
        locked = refused(connections, lambda c: c.execute(ADD))
    assert locked == ("STORE_UNREACHABLE", "the database stayed locked")
    engine.dispose()


def test_a_file_that_is_no_database_is_said_to_be_damaged(tmp_path):
    (tmp_path / "db").write_bytes(b"no database" * 1000)
    engine = engine_of(f"sqlite:///{tmp_path / 'db'}", pool_size=1)
    code, detail = refused(Connections(engine), lambda c: c.execute(ADD))
    assert (code, "damaged" in detail) == ("STORE_UNREACHABLE", True)
    engine.dispose()


@pytest.mark.parametrize("statement", ["SELEC 1", "INSERT INTO namespace VALUES (NULL, 1)"])
def test_a_statement_that_is_wrong_or_breaks_a_rule_stays_a_mistake_of_the_program(
    connections, statement
):
    with pytest.raises(sa.exc.DBAPIError), connections.write() as connection:
        connection.execute(sa.text(statement))


def test_a_store_is_ready_while_another_writes_to_it(migrated_sqlite_url):
    store = open_store(migrated_sqlite_url, pool_size=2)
    with store.write():
        assert store.ping()
    assert store.ping()
    with store.write() as unit:  # the look has left nothing behind
        unit.journal.keys()
    store.close()
