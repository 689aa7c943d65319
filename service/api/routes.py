"""The decorators every endpoint is declared with.

An endpoint says, in its decorator, who may call it and how it can fail; the guard, the OpenAPI
document and the tests all read it from there. Litestar has no `responses=` above the handler, so
errors are described here, once, for all of them.
"""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from inspect import cleandoc, signature
from typing import Any, get_args

import litestar
from litestar.dto import AbstractDTO
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import QueryParameter

from service.api.problems import PROBLEM_JSON, Problem

PUBLIC = "public"
"""Needs no token: health, and the OpenAPI document."""
ANY_TOKEN = "any-token"  # noqa: S105 - the name of a rule
"""Needs a valid token of any scope: reads of what its namespace holds."""

SMALL_BODY = 1 << 20
"""Largest JSON body, in bytes. Bundles have their own limit (`max_body_bytes`)."""

Declare = Callable[[Callable[..., Any]], HTTPRouteHandler]


def get(path: str, *, needs: str, errors: Sequence[int] = (), **options: Any) -> Declare:
    """A GET endpoint. See `_declare`."""
    return _declare(litestar.get, path, needs=needs, errors=errors, **options)


def put(path: str, *, needs: str, errors: Sequence[int] = (), **options: Any) -> Declare:
    """A PUT endpoint. See `_declare`."""
    return _declare(litestar.put, path, needs=needs, errors=errors, **options)


def post(path: str, *, needs: str, errors: Sequence[int] = (), **options: Any) -> Declare:
    """A POST endpoint. See `_declare`."""
    return _declare(litestar.post, path, needs=needs, errors=errors, **options)


def delete(path: str, *, needs: str, errors: Sequence[int] = (), **options: Any) -> Declare:
    """A DELETE endpoint. See `_declare`."""
    return _declare(litestar.delete, path, needs=needs, errors=errors, **options)


def _declare(
    method: Callable[..., Any],
    path: str,
    *,
    needs: str,
    errors: Sequence[int],
    body: type[AbstractDTO[Any]] | None = None,
    also: dict[int, Any] | None = None,
    media_type: str = "application/json",
    **options: Any,
) -> Declare:
    """Declare an endpoint.

    Args:
        method: Litestar's decorator.
        path: template under the router.
        needs: PUBLIC, ANY_TOKEN or the scope a token must have.
        errors: statuses it can give beside those its needs, path and body imply.
        body: reader of its JSON body, if it takes one.
        also: further success statuses with the type of their body.
        media_type: of its success response.
        options: passed on to Litestar.
    """

    def register(function: Callable[..., Any]) -> HTTPRouteHandler:
        failures = {400, 500, 503, *errors}
        if needs != PUBLIC:
            failures.add(401)
        if needs not in {PUBLIC, ANY_TOKEN}:
            failures.add(403)
        if "{" in path:
            failures.add(404)
        if body is not None:
            failures |= {413, 415}
            options.setdefault("request_max_body_size", SMALL_BODY)
        title, _, explanation = cleandoc(function.__doc__ or "").partition("\n")
        handler: HTTPRouteHandler = method(
            path,
            dto=body,
            return_dto=None,
            media_type=media_type,
            opt={"needs": needs, "query": query_names(function)},
            operation_id=function.__name__,
            summary=title,
            description=explanation.strip() or title,
            responses=_described(failures) | _successes(also or {}),
            security=[] if needs == PUBLIC else [{"bearer": []}],
            **options,
        )(function)
        return handler

    return register


def query_names(function: Callable[..., Any]) -> frozenset[str]:
    """Names of the query parameters an endpoint takes; any other one is refused, not ignored."""
    found = set()
    for name, parameter in signature(function).parameters.items():
        for extra in get_args(parameter.annotation)[1:]:
            if isinstance(extra, QueryParameter):
                found.add(extra.name or name)
    return frozenset(found)


def _described(failures: set[int]) -> dict[int, ResponseSpec]:
    return {
        status: ResponseSpec(
            Problem,
            media_type=PROBLEM_JSON,
            generate_examples=False,
            description=HTTPStatus(status).phrase,
        )
        for status in sorted(failures)
    }


def _successes(also: dict[int, Any]) -> dict[int, ResponseSpec]:
    return {
        status: ResponseSpec(kind, generate_examples=False, description=HTTPStatus(status).phrase)
        for status, kind in also.items()
    }
