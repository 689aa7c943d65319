"""Engines: how each database is opened, and what one read and one write are.

Reads autocommit: one statement, one round trip, no transaction to end. Writes are one explicit
transaction; on SQLite it begins IMMEDIATE, since a deferred one that later writes fails with a lock
error no busy timeout helps against.
"""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc

from bundles.errors import Invalid, Unreachable
from bundles.reasons import reason
from service.store.failures import STORE_READ_ONLY, is_locked, refusal_of

DATABASE_URL_UNSUPPORTED = reason(
    "DATABASE_URL_UNSUPPORTED",
    "the database address is neither a SQLite file nor PostgreSQL",
    "set BUNDLEGATE_DATABASE_URL to sqlite:///PATH or postgresql://USER@HOST/NAME",
)
_BUSY_S = 30
_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",  # what was answered with 201 survives a power cut
    "PRAGMA foreign_keys=ON",
    "PRAGMA recursive_triggers=ON",  # REPLACE fires delete triggers only with this
)


def engine_of(database_url: str, *, pool_size: int) -> sa.Engine:
    """An engine for a SQLite file or PostgreSQL. Nothing is connected to yet.

    Raises:
        Invalid: DATABASE_URL_UNSUPPORTED.
    """
    url = _read_url(database_url)
    if url.get_backend_name() == "sqlite":
        Path(url.database or "").parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        engine = sa.create_engine(
            url,
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=_BUSY_S,
            # None: the driver begins nothing by itself, reads are autocommit
            connect_args={"timeout": _BUSY_S, "isolation_level": None, "check_same_thread": False},
        )
        sa.event.listen(engine, "connect", _set_pragmas)
        return engine
    return sa.create_engine(
        url.set(drivername="postgresql+psycopg"),
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=_BUSY_S,
        connect_args={"connect_timeout": 5},
    )


def _read_url(database_url: str) -> sa.URL:
    try:
        url = sa.make_url(database_url)
    except exc.ArgumentError:
        url = None
    backend = url.get_backend_name() if url is not None else ""
    if url is not None and (
        backend == "postgresql" or (backend == "sqlite" and url.database not in (None, ":memory:"))
    ):
        return url
    raise Invalid(
        DATABASE_URL_UNSUPPORTED,
        "the database address cannot be used",
        seen=backend or "no address",
        expected=["sqlite", "postgresql"],
    )


def _set_pragmas(connection: Any, _record: object) -> None:
    for pragma in _PRAGMAS:
        connection.execute(pragma).close()


class Connections:
    """Reads and writes over one pool."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine
        self._sqlite = engine.dialect.name == "sqlite"
        self._reads = (
            engine if self._sqlite else engine.execution_options(isolation_level="AUTOCOMMIT")
        )
        # SQLite has one writer. Waiting here is fair; its busy handler polls, and starves some.
        self._writer: AbstractContextManager[Any] = (
            threading.Lock() if self._sqlite else nullcontext()
        )

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A connection for reads that need no common snapshot.

        Raises:
            Unreachable: what `service.store.failures` has.
        """
        with _translated(), self._reads.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """One transaction: committed at the end, rolled back by any exception.

        Raises:
            Unreachable: what `service.store.failures` has.
        """
        with _translated(), self._writer, self.engine.connect() as connection:
            if self._sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection
            connection.commit()

    def require_writable(self) -> None:
        """Ask whether the database takes writes, writing nothing and waiting for no writer.

        Raises:
            Unreachable: what `service.store.failures` has.
        """
        if not self._sqlite:
            with self.read() as connection:
                if connection.execute(sa.text("SHOW transaction_read_only")).scalar() == "on":
                    raise Unreachable(STORE_READ_ONLY, "the database takes no writes")
            return
        with self.read() as connection:
            connection.exec_driver_sql("PRAGMA busy_timeout=0")
            try:
                # BEGIN IMMEDIATE alone begins a mere read where the file is read-only
                connection.exec_driver_sql("UPDATE namespace SET name = name WHERE 0")
            except exc.OperationalError as error:
                if not is_locked(error):  # whoever holds the lock shows that writing works
                    raise
            finally:
                connection.exec_driver_sql(f"PRAGMA busy_timeout={int(_BUSY_S * 1000)}")


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except exc.SQLAlchemyError as error:
        refusal = refusal_of(error)
        if refusal is None:
            raise
        raise refusal from error
