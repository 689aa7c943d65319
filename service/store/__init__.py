"""SQLAlchemy tables, units of work, one module per aggregate."""

from service.admission.ports import Store


def open_store(database_url: str, *, pool_size: int = 10) -> Store:
    """Open the store of a SQLite ("sqlite:///path") or PostgreSQL ("postgresql://…") database.

    The schema must be there already (`migrations.upgrade`). Nothing is connected to yet.
    """
    raise NotImplementedError(database_url, pool_size)
