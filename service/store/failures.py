"""A database that cannot serve, as a refusal of ours: 503 with a reason and what to do about it.

What is no failure of the database is left as it is: a constraint that held, or a statement that is
wrong, is a mistake of this program. The driver's words are never told: they may hold the address
and its password.
"""

import sqlite3

from sqlalchemy import exc

from bundles.errors import Unreachable
from bundles.reasons import reason

STORE_UNREACHABLE = reason(
    "STORE_UNREACHABLE",
    "the database did not answer, or stayed locked or full",
    "try again; if it lasts, look at the database and its disk",
)
STORE_READ_ONLY = reason(
    "STORE_READ_ONLY",
    "the database takes no writes: it is read-only, a standby, or its user may not write",
    "point BUNDLEGATE_DATABASE_URL at the primary or a writable file, as a user who may write",
)
STORE_NOT_MIGRATED = reason(
    "STORE_NOT_MIGRATED",
    "the database does not have the tables of this version of the program",
    "run `bundlegate db upgrade` against it",
)

_DID_NOT_ANSWER = "the database did not answer"
_READ_ONLY = (STORE_READ_ONLY, "the database takes no writes")
_NOT_MIGRATED = (STORE_NOT_MIGRATED, "the database lacks a table or column")

# PostgreSQL, appendix A: SQLSTATE codes, then classes of them
_OF_SQLSTATE = {
    "25006": _READ_ONLY,  # read_only_sql_transaction
    "42501": _READ_ONLY,  # insufficient_privilege
    "42P01": _NOT_MIGRATED,  # undefined_table
    "42703": _NOT_MIGRATED,  # undefined_column
    "3F000": _NOT_MIGRATED,  # invalid_schema_name
    "55P03": (STORE_UNREACHABLE, "the database stayed locked"),  # lock_not_available
    "53100": (STORE_UNREACHABLE, "the database's disk is full"),  # disk_full
    "XX": (STORE_UNREACHABLE, "the database failed inside"),
}
# sqlite.org/rescode.html: primary codes
_OF_SQLITE = {
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_BUSY: (STORE_UNREACHABLE, "the database stayed locked"),
    sqlite3.SQLITE_LOCKED: (STORE_UNREACHABLE, "the database stayed locked"),
    sqlite3.SQLITE_FULL: (STORE_UNREACHABLE, "the database's disk is full"),
    sqlite3.SQLITE_CORRUPT: (STORE_UNREACHABLE, "the database file is damaged"),
    sqlite3.SQLITE_NOTADB: (STORE_UNREACHABLE, "the database file is damaged, or no database"),
}
_LACKING = ("no such table", "no such column", "has no column named")


def refusal_of(error: exc.SQLAlchemyError) -> Unreachable | None:
    """What to refuse a request with; None for what is not the database's failure."""
    if isinstance(error, exc.TimeoutError):
        return Unreachable(STORE_UNREACHABLE, "no connection to the database became free")
    if not isinstance(error, exc.DBAPIError):
        return None
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        name = getattr(cause, "sqlite_errorname", "")
        found = _said_by_sqlite(cause)
        if found is None and _primary(cause) == sqlite3.SQLITE_ERROR:
            return None  # a statement that is wrong, which SQLite calls operational too
    else:
        name = getattr(cause, "sqlstate", None) or ""
        found = _OF_SQLSTATE.get(name) or _OF_SQLSTATE.get(name[:2])
    if found is None and isinstance(error, exc.OperationalError | exc.InterfaceError):
        found = (STORE_UNREACHABLE, _DID_NOT_ANSWER)
    if found is None:
        return None
    return Unreachable(*found, seen=name or type(error).__name__)


def is_locked(error: exc.DBAPIError) -> bool:
    """Whether another writer of a SQLite file held it for too long."""
    cause = error.orig
    return isinstance(cause, sqlite3.Error) and _primary(cause) == sqlite3.SQLITE_BUSY


def _said_by_sqlite(cause: sqlite3.Error) -> tuple[str, str] | None:
    if any(words in str(cause) for words in _LACKING):
        return _NOT_MIGRATED
    return _OF_SQLITE.get(_primary(cause))


def _primary(cause: sqlite3.Error) -> int:
    """The primary code of an error; the driver's own have none."""
    code: int = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & 0xFF
