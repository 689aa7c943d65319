"""SQLAlchemy tables, units of work, one module per aggregate."""
