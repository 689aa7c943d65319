"""Who may call what: one guard for the whole application.

It reads the endpoint's declared need (`service.api.routes`) and refuses an endpoint that declares
none. It also refuses query parameters the endpoint does not know: a mistyped filter that is
silently ignored answers another question than the one asked.
"""

from collections.abc import Iterable
from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from bundles.errors import Forbidden, Invalid, Unauthorised
from bundles.reasons import reason
from service.admission.model import Principal
from service.admission.refusals import SCOPE_MISSING
from service.api.desk import Desk
from service.api.routes import ANY_TOKEN, PUBLIC
from service.errors import REQUEST_INVALID

TOKEN_MISSING = reason(
    "TOKEN_MISSING",
    "The request carries no bearer token.",
    "send `Authorization: Bearer TOKEN`; an administrator makes tokens with "
    "`bundlegate token create`",
)


async def admit(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Authenticate, check the scope, and refuse unknown query parameters.

    Raises:
        Unauthorised: no token, or not a valid one.
        Forbidden: a valid token without the scope.
        Invalid: a query parameter nobody reads, or one given twice.
    """
    need = handler.opt.get("needs")
    if need is None and connection.scope.get("method") == "OPTIONS":
        return  # Litestar's own answer: the methods of an address, nothing else
    if need != PUBLIC:
        desk: Desk = connection.app.state.desk
        principal = await desk.authenticate(_bearer(connection))
        connection.scope["user"] = principal
        if need != ANY_TOKEN:
            _require(principal, need)
    _refuse_unknown(connection.query_params.multi_items(), handler.opt.get("query", frozenset()))


def _require(principal: Principal, need: str | None) -> None:
    """An endpoint without a declared need is closed to everyone."""
    if need is None or not principal.may(need):
        raise Forbidden(
            SCOPE_MISSING,
            f"token {principal.name} does not have scope {need or 'undeclared'}",
            seen=sorted(principal.scopes),
            expected=need,
        )


def _bearer(connection: ASGIConnection[Any, Any, Any, Any]) -> str:
    kind, _, token = connection.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        raise Unauthorised(TOKEN_MISSING, "this address needs a bearer token")
    return token.strip()


def _refuse_unknown(sent: Iterable[tuple[str, Any]], known: frozenset[str]) -> None:
    seen = set()
    for name, _ in sent:
        if name not in known or name in seen:
            twice = name in seen
            raise Invalid(
                REQUEST_INVALID,
                f"query parameter {name[:100]!r} is {'given twice' if twice else 'unknown'}",
                path="query",
                pointer=f"/{name[:100]}",
                expected=sorted(known),
            )
        seen.add(name)
