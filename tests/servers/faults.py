"""Every fault the reference server can have, and the one check that must catch it.

A fault changes one thing. `pins` says what the bundle in a test pins: the tools this very server
lists ("own"), or those of the healthy one, where the difference is the fault ("healthy").
"""

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Fault:
    """One deliberate fault.

    `transports` are those over which its check is shown to catch it, alone: over HTTP one death
    silences every later stimulus, only a launched process has a stdout and a folder to look at, and
    where pipes make no difference HTTP is enough, since a process costs. `one_era` twins know
    nothing of the era before 2026-07-28, where what they do is right.
    """

    check_id: str
    transports: tuple[str, ...] = ("http", "stdio")
    revisions: tuple[str, ...] = ("2026-07-28", "2025-11-25")
    pins: str = "own"
    one_era: bool = False


_MODERN = ("2026-07-28",)
_LEGACY = ("2025-11-25",)
_HTTP = ("http",)
_STDIO = ("stdio",)

FAULTS = MappingProxyType(
    {
        "discover-refused": Fault("mcp.discovery.implemented", revisions=_MODERN),
        "discover-misshapen": Fault("mcp.discovery.schema-valid"),
        "revision-unlisted": Fault("mcp.discovery.revision-supported", revisions=_MODERN),
        "unknown-version-served": Fault("mcp.discovery.unknown-version-refused"),
        "version-refused-by-old-code": Fault(
            "mcp.discovery.unknown-version-refused", _HTTP, _MODERN
        ),
        "list-misshapen": Fault("mcp.tools.list-schema-valid"),
        "cursor-loop": Fault("mcp.tools.pages-end"),
        "input-schema-null": Fault("mcp.tools.input-schema-valid"),
        "output-schema-invalid": Fault("mcp.tools.output-schema-valid"),
        "name-repeated": Fault("mcp.tools.names-unique"),
        "name-with-space": Fault("mcp.tools.names-portable"),
        "list-varies": Fault("mcp.tools.set-stable"),
        "order-varies": Fault("mcp.tools.order-stable"),
        "tool-null": Fault("mcp.tools.list-schema-valid", _HTTP),
        "cursor-ignored": Fault("mcp.tools.pages-end", _HTTP),
        "cursor-empty": Fault("mcp.tools.pages-end", _HTTP),
        "input-schema-untyped": Fault("mcp.tools.input-schema-valid", _HTTP),
        "input-schema-any-of": Fault("mcp.tools.input-schema-valid", _HTTP),
        "reference-remote": Fault("mcp.tools.schema-references-local", _HTTP),
        "reference-dangling": Fault("mcp.tools.schema-references-local", _HTTP),
        "schema-deep": Fault("mcp.tools.schemas-bounded", _HTTP),
        "schema-large": Fault("mcp.tools.schemas-bounded", _HTTP),
        "property-boolean": Fault("mcp.tools.schemas-portable", _HTTP),
        "property-untyped": Fault("mcp.tools.schemas-portable", _HTTP),
        "default-varies": Fault("mcp.tools.set-stable", _STDIO),
        "discover-uncacheable": Fault("mcp.cache.hints-valid", _HTTP, _MODERN),
        "list-uncacheable": Fault("mcp.cache.hints-valid", _HTTP, _MODERN),
        "resource-uncacheable": Fault("mcp.cache.hints-valid", _HTTP, _MODERN),
        "scope-varies": Fault("mcp.cache.scope-uniform", _HTTP, _MODERN),
        "call-refused": Fault("mcp.calls.safe-call-served"),
        "result-misshapen": Fault("mcp.calls.result-schema-valid"),
        "output-missing": Fault("mcp.calls.structured-content-present"),
        "output-renamed": Fault("mcp.calls.structured-content-valid"),
        "suite-answer-wrong": Fault("mcp.suite.cases-pass"),
        "suite-call-refused": Fault("mcp.suite.calls-complete"),
        "suite-answer-varies": Fault("mcp.suite.deterministic"),
        "input-rules-unchecked": Fault("mcp.suite.axes-covered"),
        "unknown-tool-succeeds": Fault("mcp.calls.unknown-tool-refused"),
        "unknown-tool-as-result": Fault("mcp.calls.unknown-tool-protocol-error"),
        "invalid-arguments-as-protocol-error": Fault("mcp.calls.invalid-arguments-as-tool-error"),
        "invalid-arguments-accepted": Fault("mcp.calls.invalid-arguments-refused"),
        "extra-argument-dropped": Fault("mcp.calls.undeclared-arguments-refused", _HTTP),
        "limit-refused": Fault("mcp.calls.allowed-arguments-served", _HTTP),
        "refused-yet-written": Fault("mcp.calls.refused-call-does-nothing", _STDIO),
        "odd-arguments-served": Fault("mcp.calls.malformed-call-refused", _HTTP),
        "stuck-after-text": Fault("mcp.security.survives-malformed-calls", _STDIO),
        "text-contradicts": Fault("mcp.calls.text-agrees-with-structure", _HTTP),
        "text-in-prose": Fault("mcp.calls.structure-repeated-in-text", _HTTP),
        "key-empty": Fault("mcp.calls.keys-filled", _HTTP),
        "failure-as-success": Fault("mcp.calls.failure-not-disguised", _HTTP),
        "structure-on-error": Fault("mcp.calls.error-structure-valid", _HTTP),
        "list-grows-with-calls": Fault("mcp.tools.list-unmoved-by-calls", _STDIO, _MODERN),
        "discover-first": Fault("mcp.protocol.any-request-first", _STDIO, _MODERN),
        "foreign-cursor-served": Fault("mcp.tools.foreign-cursor-refused", _HTTP),
        "unknown-resource-empty": Fault("mcp.resources.unknown-refused", _HTTP, _MODERN),
        "unknown-prompt-as-internal-error": Fault("mcp.prompts.unknown-refused", _HTTP),
        "prompt-argument-unchecked": Fault("mcp.prompts.missing-argument-refused", _HTTP),
        "unknown-method-as-invalid-params": Fault("mcp.protocol.unknown-method-refused"),
        "unknown-method-in-html": Fault("mcp.protocol.unknown-method-refused", _HTTP, _MODERN),
        "both-result-and-error": Fault("mcp.protocol.envelope-valid"),
        "reserved-code": Fault("mcp.protocol.error-codes-defined", revisions=_MODERN),
        "jsonrpc-unchecked": Fault("mcp.envelope.jsonrpc-version-checked", _HTTP),
        "batch-served": Fault("mcp.envelope.batch-refused"),
        "null-id-served": Fault("mcp.envelope.null-id-refused"),
        "null-id-ignored": Fault("mcp.envelope.null-id-refused", _HTTP, _MODERN),
        "fractional-id-served": Fault("mcp.envelope.id-type-checked", _HTTP),
        "params-unchecked": Fault("mcp.envelope.params-type-checked", _HTTP),
        "id-converted": Fault("mcp.envelope.id-echoed"),
        "large-id-stringified": Fault("mcp.envelope.id-echoed", _HTTP),
        "notification-answered": Fault("mcp.envelope.notification-not-answered", _HTTP),
        "response-accepted": Fault("mcp.envelope.response-refused", _HTTP, _MODERN),
        "answer-in-code-page": Fault("mcp.envelope.bytes-unambiguous"),
        "answer-with-half-character": Fault("mcp.envelope.bytes-unambiguous", _HTTP),
        "meta-optional": Fault("mcp.meta.meta-required", _HTTP, _MODERN),
        "version-optional": Fault("mcp.meta.protocol-version-required", _HTTP, _MODERN),
        "capabilities-optional": Fault("mcp.meta.client-capabilities-required", _HTTP, _MODERN),
        "client-info-required": Fault("mcp.meta.client-info-optional", _HTTP, _MODERN),
        "foreign-key-refused": Fault("mcp.meta.foreign-keys-tolerated", _HTTP),
        "log-level-unchecked": Fault("mcp.meta.log-level-checked", _HTTP, _MODERN),
        "logs-unasked": Fault("mcp.logging.only-when-asked", _STDIO, _MODERN),
        "version-lists-differ": Fault("mcp.versions.lists-agree", _HTTP, _MODERN),
        "handshake-kept": Fault("mcp.versions.handshake-removed", _HTTP, _MODERN),
        "ping-kept": Fault("mcp.versions.removed-methods-refused", _HTTP, _MODERN),
        "later-version-refused": Fault("mcp.versions.advertised-versions-served", _HTTP, _MODERN),
        "newer-members-sent": Fault("mcp.versions.older-clients-spared", _HTTP, _LEGACY),
        "list-unnamed": Fault("mcp.discovery.server-named", _HTTP, _MODERN),
        "resources-phantom": Fault("mcp.discovery.capabilities-true", _HTTP),
        "prompts-undeclared": Fault("mcp.discovery.capabilities-true", _HTTP),
        "extension-unprefixed": Fault("mcp.discovery.extension-names-valid", _HTTP, _MODERN),
        "discover-varies": Fault("mcp.discovery.stable-while-fresh", _HTTP, _MODERN),
        "asks-for-nothing": Fault("mcp.mrtr.asks-for-something", _HTTP, _MODERN),
        "asks-in-unknown-way": Fault("mcp.mrtr.requests-well-formed", _HTTP, _MODERN),
        "question-cacheable": Fault("mcp.mrtr.no-cache-hints", _HTTP, _MODERN),
        "asks-without-capability": Fault("mcp.mrtr.only-declared-capabilities", _HTTP, _MODERN),
        "capabilities-remembered": Fault("mcp.mrtr.only-declared-capabilities", _HTTP, _MODERN),
        "missing-capability-unnamed": Fault("mcp.mrtr.missing-capability-refused", _HTTP, _MODERN),
        "retry-refused": Fault("mcp.mrtr.retry-served", revisions=_MODERN),
        "retry-tied-to-connection": Fault("mcp.mrtr.retry-on-any-connection", _HTTP, _MODERN),
        "unasked-answer-refused": Fault("mcp.mrtr.unasked-answers-ignored", _HTTP, _MODERN),
        "missing-answer-refused": Fault("mcp.mrtr.missing-answers-asked-again", _HTTP, _MODERN),
        "malformed-answer-taken": Fault("mcp.mrtr.malformed-answers-refused", _HTTP, _MODERN),
        "state-unsigned": Fault("mcp.mrtr.state-protected", revisions=_MODERN),
        "state-refused-as-internal": Fault("mcp.mrtr.bad-state-is-invalid-params", _HTTP, _MODERN),
        "state-replayable": Fault("mcp.mrtr.state-bound-to-request", _HTTP, _MODERN),
        "state-of-anyone": Fault("mcp.mrtr.state-bound-to-principal", _HTTP, _MODERN),
        "state-everlasting": Fault("mcp.mrtr.state-expires", _HTTP, _MODERN),
        "version-header-optional": Fault(
            "mcp.headers.version-required", _HTTP, _MODERN, one_era=True
        ),
        "version-header-unchecked": Fault("mcp.headers.version-agrees", _HTTP, _MODERN),
        "method-header-optional": Fault("mcp.headers.method-agrees", _HTTP, _MODERN),
        "method-header-unchecked": Fault("mcp.headers.method-agrees", _HTTP, _MODERN),
        "method-header-folded": Fault("mcp.headers.method-agrees", _HTTP, _MODERN),
        "name-header-unchecked": Fault("mcp.headers.name-agrees", _HTTP, _MODERN),
        "name-header-undecoded": Fault("mcp.headers.name-encoding-read", _HTTP, _MODERN),
        "name-header-lenient": Fault("mcp.headers.name-encoding-read", _HTTP, _MODERN),
        "header-names-as-written": Fault("mcp.headers.names-case-insensitive", _HTTP, _MODERN),
        "header-spaces-kept": Fault("mcp.headers.spaces-ignored", _HTTP, _MODERN),
        "first-header-taken": Fault("mcp.headers.repeated-refused", _HTTP, _MODERN),
        "get-served": Fault("mcp.http.other-methods-refused", _HTTP, _MODERN, one_era=True),
        "session-minted": Fault("mcp.http.no-sessions", _HTTP, _MODERN, one_era=True),
        "session-checked": Fault("mcp.http.no-sessions", _HTTP, _MODERN, one_era=True),
        "opening-as-text": Fault("mcp.http.content-type-named", _HTTP),
        "foreign-host-served": Fault("mcp.security.foreign-host-refused", _HTTP),
        "origin-required": Fault("mcp.security.origin-optional", _HTTP, _MODERN),
        "parameter-annotated-wrongly": Fault("mcp.parameters.annotations-valid", _HTTP, _MODERN),
        "parameter-secret-mirrored": Fault("mcp.parameters.secrets-kept", _HTTP, _MODERN),
        "parameter-header-optional": Fault("mcp.parameters.header-required", _HTTP, _MODERN),
        "parameter-header-unchecked": Fault("mcp.parameters.header-agrees", _HTTP, _MODERN),
        "parameter-header-undecoded": Fault("mcp.parameters.header-agrees", _HTTP, _MODERN),
        "stdout-noise": Fault("mcp.stdio.stdout-pure", transports=_STDIO),
        "stdout-log": Fault("mcp.stdio.stdout-pure", transports=_STDIO),
        "stdout-chatter": Fault("mcp.stdio.stdout-pure", transports=_STDIO),
        "ignores-end": Fault("mcp.stdio.ends-with-stdin", transports=_STDIO),
        "leaves-a-process": Fault("mcp.stdio.leaves-no-process", transports=_STDIO),
        "dies-of-unknown-method": Fault("mcp.stdio.survives-odd-requests", transports=_STDIO),
        "dies-of-batch": Fault("mcp.stdio.survives-odd-requests", transports=_STDIO),
        "cancelled-call-answered": Fault("mcp.stdio.cancelled-call-silent", transports=_STDIO),
        "server-asks": Fault("mcp.streams.no-server-requests", revisions=_MODERN),
        "stream-left-open": Fault("mcp.streams.ends-after-response", _HTTP),
        "stream-buffered": Fault("mcp.streams.buffering-off", _HTTP, _MODERN),
        "response-repeated": Fault("mcp.streams.nothing-after-response", _HTTP, _MODERN),
        "event-unended": Fault("mcp.streams.events-end", _HTTP),
        "progress-stands-still": Fault("mcp.streams.progress-true"),
        "progress-of-another": Fault("mcp.streams.progress-true", _HTTP),
        "progress-late": Fault("mcp.streams.progress-true", _STDIO),
        "subscription-refused": Fault("mcp.subscriptions.declared-served", _HTTP, _MODERN),
        "resource-subscription-refused": Fault("mcp.subscriptions.declared-served", _HTTP, _MODERN),
        "subscription-unacknowledged": Fault(
            "mcp.subscriptions.acknowledged-first", revisions=_MODERN
        ),
        "subscription-misnamed": Fault("mcp.subscriptions.acknowledged-first", _HTTP, _MODERN),
        "subscription-widened": Fault("mcp.subscriptions.only-what-was-asked", _HTTP, _MODERN),
        "change-untold": Fault("mcp.subscriptions.only-what-was-asked", _HTTP, _MODERN),
        "input-required-on-list": Fault("mcp.mrtr.only-where-allowed", _HTTP, _MODERN),
        "answer-huge": Fault("mcp.limits.answers-bounded", _HTTP),
        "stdout-noise-in-calls": Fault("mcp.stdio.stdout-pure", transports=_STDIO),
        "tool-missing": Fault("mcp.snapshot.tools-present", pins="healthy"),
        "tool-extra": Fault("mcp.snapshot.tools-declared", pins="healthy"),
        "tool-reworded": Fault("mcp.snapshot.tools-unchanged", pins="healthy"),
        "error-with-trace": Fault("mcp.security.error-without-stack-trace"),
        "refusal-with-trace": Fault("mcp.security.error-without-stack-trace", _HTTP),
        "error-with-credential": Fault("mcp.security.error-without-credentials"),
        "error-with-path": Fault("mcp.security.error-without-internals"),
        "text-smuggles": Fault("mcp.security.no-smuggled-orders", _HTTP),
        "text-shadows": Fault("mcp.security.no-smuggled-orders", _HTTP),
        "hidden-text": Fault("mcp.security.no-hidden-characters"),
        "foreign-origin-served": Fault("mcp.security.foreign-origin-refused", transports=_HTTP),
        "dies-of-malformed": Fault("mcp.security.survives-malformed-input", transports=_STDIO),
        "malformed-served": Fault("mcp.security.malformed-input-refused"),
        "dies-of-arguments": Fault("mcp.security.survives-invalid-arguments", transports=_STDIO),
        "read-only-writes": Fault("mcp.annotations.read-only-hint", transports=_STDIO),
        "repeat-grows": Fault("mcp.annotations.idempotent-hint", transports=_STDIO),
        "additive-removes": Fault("mcp.annotations.destructive-hint", transports=_STDIO),
    }
)
