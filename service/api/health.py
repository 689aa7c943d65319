"""Alive, and ready: the second one really asks database and broker."""

import msgspec
from litestar import Response
from litestar.di import NamedDependency

from bundles.errors import Unreachable
from bundles.reasons import reason
from service.api.desk import Desk
from service.api.routes import PUBLIC, get

NOT_READY = reason(
    "NOT_READY",
    "The database or the broker does not answer.",
    "start or repair what `seen` shows as false; the service recovers by itself",
)


class Alive(msgspec.Struct, frozen=True):
    """The process answers."""

    alive: bool = True


class Ready(msgspec.Struct, frozen=True):
    """What was asked and answered."""

    database: bool
    broker: bool


@get("/healthz", needs=PUBLIC)
async def healthz() -> Alive:
    """Whether the process answers at all."""
    return Alive()


@get("/readyz", needs=PUBLIC)
async def readyz(desk: NamedDependency[Desk]) -> Response[Ready]:
    """Whether database and broker answer now; 503 says which of them does not."""
    asked = await desk.hop(desk.registry.ready)
    if not all(asked.values()):
        absent = ", ".join(name for name, answers in asked.items() if not answers)
        raise Unreachable(NOT_READY, f"no answer from: {absent}", seen=asked)
    return Response(Ready(database=asked["database"], broker=asked["broker"]))


HANDLERS = [healthz, readyz]
