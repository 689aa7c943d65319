"""Tokens, for administrators of a namespace."""

from typing import Annotated

import msgspec
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from service.api.body import JsonBody
from service.api.desk import Caller
from service.api.routes import delete, get, post
from service.api.wire import PageBody, TokenBody, whole


class NewToken(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A token to make in the caller's own namespace; `expires_in_s` null never expires."""

    name: str
    scopes: list[str]
    expires_in_s: Annotated[int, msgspec.Meta(ge=1, le=10 * 366 * 86400)] | None = None


class TokenMade(msgspec.Struct, kw_only=True, frozen=True):
    """A new token; `secret` is shown this once and never again."""

    token: TokenBody
    secret: str


@post("/tokens", needs="admin", body=JsonBody[NewToken])
async def create_token(caller: NamedDependency[Caller], data: JSONBody[NewToken]) -> TokenMade:
    """Make a token in the caller's namespace."""
    secret, record = await caller.ask(
        caller.registry.create_token,
        name=data.name,
        namespace=caller.principal.namespace,
        scopes=data.scopes,
        expires_in_s=data.expires_in_s,
    )
    return TokenMade(token=TokenBody.of(record), secret=secret)


@get("/tokens", needs="admin")
async def list_tokens(caller: NamedDependency[Caller]) -> PageBody[TokenBody]:
    """Every token of the namespace, newest first, without secrets."""
    found = await caller.ask(caller.registry.list_tokens)
    return whole(TokenBody.of(each) for each in found)


@delete("/tokens/{token_id:str}", needs="admin", status_code=200)
async def revoke_token(caller: NamedDependency[Caller], token_id: FromPath[str]) -> TokenBody:
    """Revoke a token for good. A process that just checked it may accept it for 2 s more."""
    return TokenBody.of(await caller.ask(caller.registry.revoke_token, token_id))


HANDLERS = [create_token, list_tokens, revoke_token]
