"""The audit log of a namespace."""

from litestar.di import NamedDependency

from service.api.desk import Caller
from service.api.reads import Cursor, Limit
from service.api.routes import get
from service.api.wire import AuditBody, PageBody, page_of


@get("/audit", needs="admin")
async def list_audit(
    caller: NamedDependency[Caller], cursor: Cursor = None, limit: Limit = 50
) -> PageBody[AuditBody]:
    """Every write, newest first."""
    page = await caller.ask(caller.registry.audit, cursor=cursor, limit=limit)
    return page_of(page, AuditBody.of)


HANDLERS = [list_audit]
