"""Every assertion type, by name. A new one is a file beside this one and a line here."""

from collections.abc import Mapping
from functools import cache

from bundles.suite.assertions.exists import (
    PROMPT_EXISTS,
    RESOURCE_EXISTS,
    RESOURCE_TEMPLATE_EXISTS,
    TOOL_EXISTS,
)
from bundles.suite.assertions.is_error import IS_ERROR
from bundles.suite.assertions.json_schema import JSON_MATCHES_SCHEMA
from bundles.suite.assertions.kind import Kind
from bundles.suite.assertions.latency import MAX_LATENCY_MS
from bundles.suite.assertions.protocol_error import PROTOCOL_ERROR
from bundles.suite.assertions.response_schema import (
    BODY_MATCHES_SCHEMA,
    STRUCTURED_CONTENT_MATCHES_SCHEMA,
)
from bundles.suite.assertions.value_at import VALUE_AT

KINDS: Mapping[str, Kind] = {
    kind.type: kind
    for kind in (
        TOOL_EXISTS,
        PROMPT_EXISTS,
        RESOURCE_EXISTS,
        RESOURCE_TEMPLATE_EXISTS,
        IS_ERROR,
        BODY_MATCHES_SCHEMA,
        STRUCTURED_CONTENT_MATCHES_SCHEMA,
        JSON_MATCHES_SCHEMA,
        VALUE_AT,
        PROTOCOL_ERROR,
        MAX_LATENCY_MS,
    )
}


@cache
def assertions_of(operation: str) -> tuple[str, ...]:
    """The assertion types that go with an operation, in the documented order."""
    return tuple(name for name, kind in KINDS.items() if operation in kind.operations)
