"""Which HTTP status a refusal has: the one place that knows.

Classes decide; a few codes of the HTTP face itself are more exact than their class.
"""

from bundles.errors import (
    BundlegateError,
    Conflict,
    Forbidden,
    Invalid,
    LimitExceeded,
    NotFound,
    Refused,
    Unauthorised,
    Unreachable,
)
from bundles.reasons import reason

ROUTE_UNKNOWN = reason(
    "ROUTE_UNKNOWN",
    "The service has no such address.",
    "check the path against /v1/openapi.json",
)
METHOD_NOT_ALLOWED = reason(
    "METHOD_NOT_ALLOWED",
    "The address exists but does not take this method.",
    "use one of the methods in the Allow header",
)
BODY_TOO_LARGE = reason(
    "BODY_TOO_LARGE",
    "The request body is larger than this address accepts.",
    "send a smaller body, or ask the operator to raise BUNDLEGATE_MAX_BODY_BYTES",
)
CONTENT_TYPE_UNSUPPORTED = reason(
    "CONTENT_TYPE_UNSUPPORTED",
    "The body's Content-Type is not one this address reads.",
    "send the Content-Type named in `expected`",
)
REQUEST_INVALID = reason(
    "REQUEST_INVALID",
    "A parameter, header or body member is missing, unknown or of the wrong type.",
    "correct what is named and send the request again",
)
INTERNAL_ERROR = reason(
    "INTERNAL_ERROR",
    "Something failed inside the service.",
    "give the request id to the operator: the log has the cause under it",
)

_OF_CODE = {BODY_TOO_LARGE: 413, CONTENT_TYPE_UNSUPPORTED: 415}

_OF_CLASS: dict[type[BundlegateError], int] = {
    LimitExceeded: 422,
    Refused: 422,
    Invalid: 400,
    NotFound: 404,
    Conflict: 409,
    Unauthorised: 401,
    Forbidden: 403,
    Unreachable: 503,
}


def status_of(error: BundlegateError) -> int:
    """HTTP status of a refusal; 500 for a class nobody gave one, since that is our mistake."""
    if error.reason_code in _OF_CODE:
        return _OF_CODE[error.reason_code]
    return next((_OF_CLASS[c] for c in type(error).__mro__ if c in _OF_CLASS), 500)
