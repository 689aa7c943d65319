"""The composition root of the API: settings in, application out."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Any

import uvicorn
from litestar import Litestar, Router
from litestar.connection import ASGIConnection
from litestar.di import Provide
from litestar.handlers import BaseRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin
from litestar.types import ControllerRouterHandler
from litestar.types.internal_types import RouteHandlerType

from bundles.errors import NotFound
from bundles.limits import DEFAULT_LIMITS
from bundles.plan import HARNESS_VERSION
from service.admission.registry import Registry
from service.api import (
    audit,
    bundles,
    candidates,
    catalogue,
    decisions,
    evidence,
    gate,
    health,
    policies,
    reports,
    runs,
    tokens,
    transcripts,
    transitions,
)
from service.api.auth import admit
from service.api.desk import Desk, provide_caller
from service.api.envelope import Envelope
from service.api.problems import HANDLERS
from service.api.routes import PUBLIC
from service.api.unread import Unread
from service.clock import SystemClock
from service.errors import ROUTE_UNKNOWN
from service.queue import CeleryRunQueue
from service.settings import Settings
from service.signing import load_signer
from service.store import open_store

_RESOURCES = (
    bundles,
    candidates,
    runs,
    reports,
    transcripts,
    gate,
    transitions,
    decisions,
    evidence,
    policies,
    catalogue,
    tokens,
    audit,
)


_DOCUMENT = "/v1/openapi.json"


class _Application(Litestar):
    """Litestar for bodies of msgspec alone, and for routers that are made for it.

    It would import pydantic and attrs, wherever it finds them, to look for their models in handlers
    that have none, and copy every router to its last detail: a good part of a start.
    """

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        return [*plugins, MsgspecDIPlugin()]

    def _validate_registration_value(
        self, value: ControllerRouterHandler
    ) -> "RouteHandlerType | Router":
        if isinstance(value, Router):
            value.owner = self
            return value
        return super()._validate_registration_value(value)


def open_registry(settings: Settings) -> Registry:
    """The use cases over the real store, signing key and queue."""
    return Registry(
        open_store(settings.database_url, pool_size=settings.db_pool_size),
        load_signer(settings.signing_key),
        SystemClock(),
        CeleryRunQueue(settings.broker_url),
        settings,
    )


def create_app(settings: Settings, registry: Registry | None = None) -> Litestar:
    """Wire the API.

    Args:
        settings: read once by the caller.
        registry: the use cases; opened from the settings when not given.

    Returns:
        The ASGI application. Serve it with `ApiServer`, which ends open streams at shutdown.
    """
    desk = Desk.of(registry or open_registry(settings), settings)

    @asynccontextmanager
    async def watching(_: Litestar) -> AsyncIterator[None]:
        async with desk.watch.running():
            yield

    app = _Application(
        route_handlers=[
            Router("/v1", route_handlers=[h for each in _RESOURCES for h in each.HANDLERS]),
            *health.HANDLERS,
        ],
        dependencies={
            "desk": Provide(lambda: desk, sync_to_thread=False),
            "caller": Provide(provide_caller),
        },
        guards=[admit],
        exception_handlers=HANDLERS,
        lifespan=[watching],
        request_max_body_size=settings.max_body_bytes,
        multipart_form_part_limit=DEFAULT_LIMITS.files + 1,
        openapi_config=_openapi(),
        type_encoders={MappingProxyType: dict},
        logging_config=None,
    )
    app.state.desk = desk
    app.asgi_handler = Unread(Envelope(app.asgi_handler))
    return app


def _openapi() -> OpenAPIConfig:
    """The OpenAPI document alone: pages that draw it would load scripts from elsewhere."""
    return OpenAPIConfig(
        title="Bundlegate",
        version=HARNESS_VERSION,
        description="Registry admission for contract bundles: evidence in, decision out.",
        components=Components(
            security_schemes={"bearer": SecurityScheme(type="http", scheme="bearer")}
        ),
        openapi_router=Router(
            _DOCUMENT,
            route_handlers=[],
            opt={"needs": PUBLIC},
            guards=[_only_the_document],
            include_in_schema=False,
        ),
        render_plugins=[JsonRenderPlugin(path="/")],
    )


def _only_the_document(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """Litestar answers everything below the document with a page of its own; we have none."""
    if connection.url.path != _DOCUMENT:
        raise NotFound(ROUTE_UNKNOWN, f"there is no {connection.url.path}")


class ApiServer(uvicorn.Server):
    """uvicorn that lets event streams and waiting gates go before it waits for its connections.

    Without it an open stream delays Ctrl-C for as long as its run takes.
    """

    def __init__(self, app: Litestar, **options: Any) -> None:
        super().__init__(uvicorn.Config(app, log_config=None, access_log=False, **options))
        self._watch = app.state.desk.watch

    async def shutdown(self, sockets: Any = None) -> None:
        """Stop accepting, end what waits, then everything else."""
        self._watch.close()
        await super().shutdown(sockets)
