"""SQLAlchemy tables, units of work, one module per aggregate."""

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

from bundles.errors import Unreachable
from service.admission.storage import Store
from service.store.engine import Connections, engine_of
from service.store.unit import SqlUnit


class SqlStore:
    """Implements `service.admission.storage.Store`. Safe to use from many threads."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine
        self._connections = Connections(engine)

    @contextmanager
    def read(self) -> Iterator[SqlUnit]:
        """A unit for reading; each statement sees what is committed when it runs."""
        with self._connections.read() as connection:
            yield SqlUnit(connection)

    @contextmanager
    def write(self) -> Iterator[SqlUnit]:
        """A unit that is one transaction: committed at the end, undone by any exception."""
        with self._connections.write() as connection:
            yield SqlUnit(connection)

    def ping(self) -> bool:
        """True when the database answers now, has the tables of this program, takes writes."""
        try:
            with self._connections.read() as connection:
                connection.execute(sa.text("SELECT name FROM namespace LIMIT 1"))
            self._connections.require_writable()
        except (Unreachable, sa.exc.DBAPIError):
            return False
        return True

    def close(self) -> None:
        """Give back every connection."""
        self.engine.dispose()


def open_store(database_url: str, *, pool_size: int = 10) -> Store:
    """Open the store of a SQLite ("sqlite:///path") or PostgreSQL ("postgresql://…") database.

    The schema must be there already (`migrations.upgrade`). Nothing is connected to yet.

    Raises:
        Invalid: DATABASE_URL_UNSUPPORTED.
    """
    return SqlStore(engine_of(database_url, pool_size=pool_size))
