"""Policies: versioned documents that say which evidence a transition needs."""

from typing import Any

from litestar import Response
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from service.api.body import JsonBody
from service.api.desk import Caller
from service.api.routes import ANY_TOKEN, get, put
from service.api.wire import PageBody, PolicyBody, whole


@get("/policies", needs=ANY_TOKEN)
async def list_policies(caller: NamedDependency[Caller]) -> PageBody[PolicyBody]:
    """The current version of every policy, by name."""
    found = await caller.ask(caller.registry.list_policies)
    return whole(PolicyBody.of(each) for each in found)


@get("/policies/{name:str}", needs=ANY_TOKEN)
async def get_policy(caller: NamedDependency[Caller], name: FromPath[str]) -> PolicyBody:
    """The current version of a policy."""
    return PolicyBody.of(await caller.ask(caller.registry.get_policy, name))


@put(
    "/policies/{name:str}",
    needs="policies:write",
    errors=(409, 422),
    body=JsonBody[dict[str, Any]],
    also={201: PolicyBody},
)
async def put_policy(
    caller: NamedDependency[Caller], name: FromPath[str], data: JSONBody[dict[str, Any]]
) -> Response[PolicyBody]:
    """Store a version of a policy and make it current: 201 when it is new, 200 when it was there.

    Decisions made from now on follow it; evidence is not voided.
    """
    made, created = await caller.ask(caller.registry.put_policy, name, data)
    return Response(PolicyBody.of(made), status_code=201 if created else 200)


HANDLERS = [list_policies, get_policy, put_policy]
