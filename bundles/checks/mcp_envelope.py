"""Requests whose envelope is no JSON-RPC 2.0: is each of them refused?"""

from collections.abc import Iterator

from bundles.check import Said, Subject, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import needs_the_server
from bundles.mcp.refusals import must_be_refused
from bundles.mcp.schema import LEGACY
from bundles.transcript import Failure, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_STDIO = ex.healthy(transport="stdio")
_VERSION = f"{probes.ENVELOPE}jsonrpc-1.0"
_BATCH = f"{probes.ENVELOPE}batch"
_NULL = f"{probes.ENVELOPE}id-null"
_FRACTION = f"{probes.ENVELOPE}id-fraction"
_BOOLEAN = f"{probes.ENVELOPE}id-boolean"
_OBJECT = f"{probes.ENVELOPE}id-object"
_PARAMS = f"{probes.ENVELOPE}params-array"
_SERVED: dict[str, object] = {"result": {}}
_INVALID = (-32600, -32700)


@check(
    id="mcp.envelope.jsonrpc-version-checked",
    reason_code="JSONRPC_VERSION_NOT_CHECKED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec='MCP 2026-07-28 and 2025-11-25, basic, messages; JSON-RPC 2.0, section 4 (exactly "2.0")',
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        ex.refusing(_HEALTHY, _VERSION, -32700, status=400),
        ex.failing(_STDIO, _VERSION, Failure.TIMEOUT),
    ],
    rejects=[
        ex.answering(_HEALTHY, _VERSION, _SERVED, status=200),
        ex.answering(_HEALTHY_LEGACY, _VERSION, _SERVED, status=200),
        ex.answering(_STDIO, _VERSION, _SERVED),
        ex.refusing(_HEALTHY, _VERSION, -32601, status=400),
        ex.changed(_HEALTHY, _VERSION, status=200),
    ],
)
@needs_the_server
def jsonrpc_version_checked(transcript: Transcript) -> Iterator[Said]:
    """A request that says "jsonrpc": "1.0" is refused with -32600, over HTTP with status 400.

    Why: the other version means its messages differently. Fix: compare the member with "2.0" before
    anything else is read.
    """
    what = 'a request of "jsonrpc" "1.0"'
    yield from must_be_refused(transcript, _VERSION, what, _INVALID)


@check(
    id="mcp.envelope.batch-refused",
    reason_code="BATCH_ACCEPTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP since 2025-06-18, basic/transports: one message a body or line",
    accepts=[_HEALTHY, _HEALTHY_LEGACY, ex.failing(_STDIO, _BATCH, Failure.TIMEOUT)],
    rejects=[
        ex.changed(_HEALTHY, _BATCH, message=None, body='[{"id": 1}]', status=200),
        ex.changed(_STDIO, _BATCH, message=None, body='[{"id": 1}]'),
        ex.changed(_HEALTHY, _BATCH, message=None, status=202),
        ex.answering(_HEALTHY_LEGACY, _BATCH, _SERVED, status=200),
    ],
)
@needs_the_server
def batch_refused(transcript: Transcript) -> Iterator[Said]:
    """An array of requests is refused as a whole.

    Why: batches were taken out of the protocol; what looks at one request a body (limits, logs,
    routing by header) sees none of those inside. Fix: answer -32600 with status 400.
    """
    yield from must_be_refused(transcript, _BATCH, "a batch")


@check(
    id="mcp.envelope.null-id-refused",
    reason_code="NULL_ID_ACCEPTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, basic, requests: the id MUST NOT be null",
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        ex.failing(_STDIO, _NULL, Failure.TIMEOUT),
        ex.changed(_HEALTHY_LEGACY, _NULL, message=None, status=202),
    ],
    rejects=[
        ex.answering(_HEALTHY, _NULL, {"id": None, **_SERVED}, status=200),
        ex.changed(_HEALTHY, _NULL, message=None, status=202),
        ex.answering(_STDIO, _NULL, {"id": None, **_SERVED}),
        ex.answering(_HEALTHY_LEGACY, _NULL, {"id": None, **_SERVED}, status=200),
    ],
)
@needs_the_server
def null_id_refused(transcript: Transcript) -> Iterator[Said]:
    """A request whose id is null is refused, and not taken for a notification either.

    Why: its client waits for an answer that nobody can match. Fix: answer -32600 with status 400.
    Before 2026-07-28 a server may ignore it.
    """
    yield from must_be_refused(transcript, _NULL, "a request with id null")


@check(
    id="mcp.envelope.id-type-checked",
    reason_code="ID_TYPE_NOT_CHECKED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, schema RequestId: a string or an integer",
    accepts=[_HEALTHY, _HEALTHY_LEGACY, ex.failing(_STDIO, _OBJECT, Failure.TIMEOUT)],
    rejects=[
        ex.answering(_HEALTHY, _FRACTION, {"id": 1.5, **_SERVED}, status=200),
        ex.answering(_HEALTHY, _BOOLEAN, {"id": True, **_SERVED}, status=200),
        ex.answering(_STDIO, _OBJECT, {"id": {}, **_SERVED}),
        ex.changed(_HEALTHY, _OBJECT, message=None, status=202),
        ex.answering(_HEALTHY_LEGACY, _FRACTION, {"id": 1.5, **_SERVED}, status=200),
    ],
)
@needs_the_server
def id_type_checked(transcript: Transcript) -> Iterator[Said]:
    """A request whose id is a fraction, a boolean or an object is refused.

    Why: languages compare and print such ids differently, so answers go astray. Fix: take strings
    and whole numbers, and answer -32600 with status 400 to everything else.
    """
    yield from must_be_refused(transcript, _FRACTION, "a request with id 1.5")
    yield from must_be_refused(transcript, _BOOLEAN, "a request with id true")
    yield from must_be_refused(transcript, _OBJECT, "a request with id {}")


@check(
    id="mcp.envelope.params-type-checked",
    reason_code="PARAMS_TYPE_NOT_CHECKED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, schema JSONRPCRequest: params is an object",
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        ex.refusing(_HEALTHY, _PARAMS, -32600, status=400),
        ex.failing(_STDIO, _PARAMS, Failure.TIMEOUT),
    ],
    rejects=[
        ex.answering(_HEALTHY, _PARAMS, _SERVED, status=200),
        ex.answering(_HEALTHY_LEGACY, _PARAMS, _SERVED, status=200),
        ex.answering(_STDIO, _PARAMS, _SERVED),
        ex.refusing(_HEALTHY, _PARAMS, -32603, status=400),
        ex.refusing(_HEALTHY, _PARAMS, -32603, status=500),
    ],
)
@needs_the_server
def params_type_checked(transcript: Transcript) -> Iterator[Said]:
    """A request whose params is an array is refused with -32600 or -32602.

    Why: MCP names its parameters; a server that ignores the array does something that was not
    asked. Fix: refuse it where the message is read, with status 400.
    """
    yield from must_be_refused(
        transcript, _PARAMS, "a request with params [1]", (*_INVALID, -32602)
    )
