"""Schema migrations: Alembic revisions from the first table on, shipped with the package."""
