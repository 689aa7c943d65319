"""Where the official suite and this program look at the same thing, and what each says of it."""

from collections.abc import Mapping

from bundles.check import Outcome
from bundles.imports import Imported
from bundles.verdict import Verdict

_DISCOVER = ("mcp.discovery.implemented", "mcp.discovery.schema-valid")
_META_REFUSALS = (
    "mcp.meta.meta-required",
    "mcp.meta.protocol-version-required",
    "mcp.meta.client-capabilities-required",
)
_REMOVED = ("mcp.versions.removed-methods-refused",)
_VERSION = ("mcp.discovery.unknown-version-refused",)
_CAPABILITIES = ("mcp.discovery.capabilities-true",)
_HINTS = ("mcp.cache.hints-valid",)
_HEADERS = ("mcp.headers.method-agrees", "mcp.headers.name-agrees")

SEEN_BY_BOTH: Mapping[str, tuple[str, ...]] = {
    "server-stateless:sep-2575-request-meta-invalid-missing-meta": ("mcp.meta.meta-required",),
    "server-stateless:sep-2575-request-meta-invalid-missing-protocol-version": (
        "mcp.meta.protocol-version-required",
    ),
    "server-stateless:sep-2575-request-meta-invalid-missing-client-capabilities": (
        "mcp.meta.client-capabilities-required",
    ),
    "server-stateless:sep-2575-http-server-meta-invalid-400": _META_REFUSALS,
    "server-stateless:sep-2575-request-meta-client-info-optional": (
        "mcp.meta.client-info-optional",
    ),
    "server-stateless:sep-2575-server-implements-discover": _DISCOVER,
    "server-stateless:sep-2575-server-identifies-in-result-meta": ("mcp.discovery.server-named",),
    "server-stateless:sep-2575-server-declares-prompts-in-discover": _CAPABILITIES,
    "server-stateless:sep-2575-discover-capabilities-match-handlers": _CAPABILITIES,
    "server-stateless:sep-2575-server-unsupported-version-error": _VERSION,
    "server-stateless:sep-2575-http-server-unsupported-version-400": _VERSION,
    "server-stateless:sep-2575-http-server-method-not-found-404-initialize": (
        "mcp.versions.handshake-removed",
    ),
    "server-stateless:sep-2575-http-server-method-not-found-404-ping": _REMOVED,
    "server-stateless:sep-2575-http-server-method-not-found-404-logging-setlevel": _REMOVED,
    "server-stateless:sep-2575-http-server-method-not-found-404-resources-subscribe": _REMOVED,
    "server-stateless:sep-2575-http-server-method-not-found-404-resources-unsubscribe": _REMOVED,
    "server-stateless:sep-2575-http-server-method-not-found-404": (
        "mcp.protocol.unknown-method-refused",
    ),
    "server-stateless:sep-2575-http-server-error-jsonrpc-id": ("mcp.protocol.envelope-valid",),
    "server-stateless:sep-2575-server-no-log-without-loglevel": ("mcp.logging.only-when-asked",),
    "server-stateless:sep-2575-http-server-no-independent-requests-on-stream": (
        "mcp.streams.no-server-requests",
    ),
    "server-stateless:sep-2575-server-sends-subscription-ack": (
        "mcp.subscriptions.acknowledged-first",
    ),
    "server-stateless:sep-2575-server-honors-notification-filter": (
        "mcp.subscriptions.only-what-was-asked",
    ),
    "server-stateless:sep-2575-http-server-header-mismatch-400": ("mcp.headers.version-agrees",),
    "http-header-validation:sep-2243-server-reject-invalid-headers": _HEADERS,
    "http-header-validation:sep-2243-server-reject-error-code": _HEADERS,
    "http-header-validation:sep-2243-server-accepts-whitespace-header-value": (
        "mcp.headers.spaces-ignored",
    ),
    "http-header-validation:sep-2243-header-name-case-insensitive": (
        "mcp.headers.names-case-insensitive",
    ),
    "caching:sep-2549-tools-list-caching-hints": _HINTS,
    "caching:sep-2549-prompts-list-caching-hints": _HINTS,
    "caching:sep-2549-resources-list-caching-hints": _HINTS,
    "caching:sep-2549-resources-read-caching-hints": _HINTS,
    "caching:sep-2549-ttl-non-negative": _HINTS,
    "caching:sep-2549-cache-scope-valid": _HINTS,
    "input-required-result-unsupported-methods:sep-2322-not-on-unsupported-requests": (
        "mcp.mrtr.only-where-allowed",
    ),
    "tools-list:tools-list": ("mcp.tools.list-schema-valid",),
    "tools-list:tools-name-format": ("mcp.tools.names-portable",),
    "tools-list:tools-list-deterministic-order": ("mcp.tools.order-stable",),
    "tools-list:wire-schema-valid": ("mcp.tools.list-schema-valid", "mcp.protocol.envelope-valid"),
    "prompts-list:prompts-list": _CAPABILITIES,
    "resources-list:resources-list": _CAPABILITIES,
    "dns-rebinding-protection:localhost-host-rebinding-rejected": (
        "mcp.security.foreign-origin-refused",
        "mcp.security.foreign-host-refused",
    ),
}
"""The suite's "<scenario>:<check>" → the checks of ours that look at the same thing."""


def suite_says(imported: Imported) -> dict[str, Verdict]:
    """Its verdicts by "<scenario>:<check>"."""
    return {entry.id.partition(":")[2]: entry.verdict for entry in imported.outcomes}


def disagreements(suite: Mapping[str, Verdict], ours: Mapping[str, Outcome]) -> dict[str, str]:
    """Where one blames the server and the other lets it pass, and who says what.

    What one of them cannot tell, or does not apply, is no opinion.
    """
    apart = {}
    for name in SEEN_BY_BOTH.keys() & suite.keys():
        theirs = _blames(suite[name])
        said = [_blames(ours[check].verdict) for check in SEEN_BY_BOTH[name]]
        mine = any(said) if None not in said or any(said) else None
        if theirs is not None and mine is not None and theirs != mine:
            apart[name] = "only the suite blames it" if theirs else "only we blame it"
    return apart


def _blames(verdict: Verdict) -> bool | None:
    if verdict in {Verdict.FAIL, Verdict.WARN}:
        return True
    return False if verdict is Verdict.PASS else None
