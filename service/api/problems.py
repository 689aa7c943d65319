"""Every error as RFC 9457 Problem Details, whoever raised it: ours, Litestar, or a bug."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.types import ExceptionHandlersMap

from bundles.errors import BundlegateError, Invalid, NotFound
from bundles.lock import published
from bundles.reasons import reasons
from service.admission.refusals import GateRefused
from service.api.body import choices_of
from service.api.wire import DecisionBody
from service.errors import (
    BODY_TOO_LARGE,
    INTERNAL_ERROR,
    METHOD_NOT_ALLOWED,
    REQUEST_INVALID,
    ROUTE_UNKNOWN,
    status_of,
)
from service.logs import structlog

PROBLEM_JSON = "application/problem+json"

_log = structlog.stdlib.get_logger("api")


class Problem(msgspec.Struct, omit_defaults=True, kw_only=True):
    """An error. `reason_code` is stable and listed in `/v1/reason-codes`; the rest is for people
    and for the program that wants to correct itself.
    """

    type: str
    title: str
    status: int
    detail: str
    reason_code: str
    next_steps: list[str]
    request_id: str = ""
    path: str | None = None
    pointer: str | None = None
    line: int | None = None
    seen: Any = None
    expected: Any = None
    decision: DecisionBody | None = None


def problem_of(error: BundlegateError, request_id: str) -> Problem:
    """The Problem of a refusal."""
    status = status_of(error)
    known = reasons().get(error.reason_code) or published().get(error.reason_code)
    return Problem(
        type=f"/v1/reason-codes#{error.reason_code}",
        title=known.meaning if known else HTTPStatus(status).phrase,
        status=status,
        detail=error.detail,
        reason_code=error.reason_code,
        next_steps=list(error.next_steps),
        request_id=request_id,
        path=error.path or None,
        pointer=error.pointer or None,
        line=error.line,
        seen=error.seen,
        expected=error.expected,
        decision=DecisionBody.of(error.decision) if isinstance(error, GateRefused) else None,
    )


def _respond(
    request: Request[Any, Any, Any],
    error: BundlegateError,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response[Problem]:
    problem = problem_of(error, str(request.scope["state"].get("request_id", "")))
    problem.status = status or problem.status
    extra = dict(headers or {})
    if problem.status == 401:
        extra["WWW-Authenticate"] = 'Bearer realm="bundlegate"'
    if problem.status == 503:
        extra["Retry-After"] = "5"
    return Response(problem, status_code=problem.status, media_type=PROBLEM_JSON, headers=extra)


def _refused(request: Request[Any, Any, Any], error: BundlegateError) -> Response[Problem]:
    return _respond(request, error)


def _misread(request: Request[Any, Any, Any], error: ValidationException) -> Response[Problem]:
    """Litestar could not read a parameter or header: say which ones and why."""
    found = error.extra if isinstance(error.extra, list) else []
    if any(each.get("key") == "data" for each in found):
        return _respond(
            request, Invalid(REQUEST_INVALID, "this address needs a JSON body", path="body")
        )
    said = [f"{_sent(e)}: {e.get('message', 'invalid')}" for e in found]
    first = found[0] if found else {}
    where = first.get("source", "")
    return _respond(
        request,
        Invalid(
            REQUEST_INVALID,
            "; ".join(said) or error.detail.partition(" for path ")[0],
            path=str(getattr(where, "value", where)),
            pointer=f"/{_sent(first)}" if "key" in first else "",
            seen=request.query_params.get(_sent(first)),
            expected=_choices(request, str(first.get("key", ""))),
        ),
    )


def _sent(error: Mapping[str, Any]) -> str:
    """The name a parameter has for the caller: a handler may only add an underscore to it."""
    return str(error.get("key", "request")).rstrip("_")


def _choices(request: Request[Any, Any, Any], name: str) -> list[str] | None:
    """The values a parameter may have, where they are an enumeration."""
    field = request.route_handler.parsed_fn_signature.parameters.get(name)
    if field is None:
        return None
    for kind in (field.annotation, *field.args):
        found = choices_of(kind)
        if found is not None:
            return found
    return None


def _http(request: Request[Any, Any, Any], error: HTTPException) -> Response[Problem]:
    """What Litestar refuses by itself: unknown addresses, methods, too large or broken bodies."""
    status = error.status_code
    where = f"{request.method} {request.url.path}"
    if status >= 500:
        return _bug(request, error)
    if status == 404:
        return _respond(request, NotFound(ROUTE_UNKNOWN, f"there is no {where}"), status)
    if status == 405:
        told = Invalid(METHOD_NOT_ALLOWED, f"{where} is not something this address does")
        return _respond(request, told, status, error.headers)
    if status == 413:
        limit = request.route_handler.resolve_request_max_body_size()
        told = Invalid(BODY_TOO_LARGE, f"the body of {where} is too large", expected=limit)
        return _respond(request, told, status)
    return _respond(request, Invalid(REQUEST_INVALID, str(error.detail)), status)


def _bug(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    """A failure of ours: the cause goes to the log and nothing of it to the caller."""
    _log.error("request failed", exc_info=error)
    told = BundlegateError(INTERNAL_ERROR, "the service failed to answer this request")
    return _respond(request, told, 500)


HANDLERS: ExceptionHandlersMap = {
    BundlegateError: _refused,
    ValidationException: _misread,
    HTTPException: _http,
    Exception: _bug,
}
"""Litestar's exception handlers for the whole application."""
