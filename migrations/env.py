"""What Alembic runs: the revisions, inside the transaction `migrations.upgrade` opened."""

from typing import Any, Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext

from service.store.columns import TypedId
from service.store.tables import CURRENT, metadata, policy


def _render(kind: str, thing: Any, _context: AutogenContext) -> str | Literal[False]:
    """Revisions outlive the program: they name database types, never our own."""
    return "sa.Uuid()" if kind == "type" and isinstance(thing, TypedId) else False


for index in policy.indexes:
    if index.name == "uq_policy_current":
        index.dialect_kwargs["postgresql_where"] = CURRENT

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_item=_render,
    # `migrations` owns the transaction: all revisions or none
    transactional_ddl=False,
)
context.run_migrations()
