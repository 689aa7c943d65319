import threading

import pytest
import sqlalchemy as sa

from bundles.errors import Invalid
from service.store import open_store
from service.store.engine import Connections, engine_of
from service.store.tables import namespace


@pytest.fixture
def connections(migrated_url):
    engine = engine_of(migrated_url, pool_size=4)
    yield Connections(engine)
    engine.dispose()


def names(connections):
    with connections.read() as connection:
        return set(connection.execute(sa.select(namespace.c.name)).scalars())


def add(connection, name):
    connection.execute(sa.insert(namespace).values(name=name, created_at=1))


@pytest.mark.parametrize(
    "address", ["", "nonsense", "mysql://host/db", "sqlite://", "sqlite:///:memory:"]
)
def test_an_address_of_no_database_we_know_is_refused(address):
    with pytest.raises(Invalid, match="DATABASE_URL_UNSUPPORTED"):
        open_store(address)


def test_sqlite_keeps_what_it_committed_and_checks_what_it_is_told(migrated_sqlite_url):
    engine = engine_of(migrated_sqlite_url, pool_size=1)
    with engine.connect() as connection:
        pragmas = ("journal_mode", "synchronous", "foreign_keys", "recursive_triggers")
        told = [connection.exec_driver_sql(f"PRAGMA {pragma}").scalar() for pragma in pragmas]
    engine.dispose()
    assert told == ["wal", 2, 1, 1]


def test_a_write_is_all_or_nothing(connections):
    def half_done():
        with connections.write() as connection:
            add(connection, "first")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half_done()
    assert names(connections) == set()
    with connections.write() as connection:
        add(connection, "first")
        add(connection, "second")
    assert names(connections) == {"first", "second"}


def test_a_read_sees_what_was_committed_a_moment_ago_and_nothing_before(connections):
    with connections.read() as reader:
        seen = lambda: len(reader.execute(sa.select(namespace.c.name)).all())  # noqa: E731
        with connections.write() as writer:
            add(writer, "new")
            assert seen() == 0
        assert seen() == 1


def test_writers_that_read_before_they_write_never_lose_an_update(connections):
    with connections.write() as connection:
        add(connection, "counted")

    def count_up():
        for _ in range(10):
            with connections.write() as connection:
                row = sa.select(namespace.c.created_at).with_for_update()
                now = connection.execute(row).scalar_one()
                connection.execute(sa.update(namespace).values(created_at=now + 1))

    threads = [threading.Thread(target=count_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with connections.read() as connection:
        assert connection.execute(sa.select(namespace.c.created_at)).scalar() == 41
