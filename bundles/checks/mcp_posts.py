"""What else may be posted to an MCP endpoint: notifications, and responses nobody asked for."""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import needs_the_server, not_made, refusal, unreached
from bundles.mcp.refusals import must_be_refused, over_http_only
from bundles.mcp.schema import LEGACY, cut
from bundles.transcript import Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_NOTIFICATION = f"{probes.ENVELOPE}notification"
_RESPONSE = f"{probes.ENVELOPE}response"


@check(
    id="mcp.envelope.notification-not-answered",
    reason_code="NOTIFICATION_ANSWERED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, basic/transports, sending messages to the server",
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        ex.healthy(transport="stdio"),
        ex.refusing(_HEALTHY, _NOTIFICATION, -32601, status=404),
    ],
    rejects=[
        ex.answering(_HEALTHY, _NOTIFICATION, {"id": None, "result": {}}, status=200),
        ex.changed(_HEALTHY, _NOTIFICATION, status=200),
        ex.changed(_HEALTHY_LEGACY, _NOTIFICATION, body="accepted"),
        ex.changed(_HEALTHY_LEGACY, _NOTIFICATION, status=500),
    ],
)
@needs_the_server
def notification_not_answered(transcript: Transcript) -> Iterator[Said]:
    """A posted notification gets 202 without a body, or a 4xx where the server takes none.

    Why: a client waits for no answer, and one it gets belongs to nobody. Fix: answer 202 and close
    the body.
    """
    exchange = next(iter(transcript.of(_NOTIFICATION)), None)
    if other := over_http_only(transcript):
        yield other
    elif exchange is None:
        yield not_made(_NOTIFICATION)
    elif unreached(exchange):
        yield Inconclusive(unreached(exchange))
    elif exchange.status == 202 and exchange.body.strip():
        yield Violation(
            "the answer to a notification has a body",
            path=_NOTIFICATION,
            seen=cut(exchange.body),
            expected="202 without a body",
        )
    elif exchange.status != 202 and not 400 <= (exchange.status or 0) < 500:
        yield Violation(
            "a notification is answered",
            path=_NOTIFICATION,
            seen=refusal(exchange),
            expected="202 without a body, or a 4xx",
        )


@check(
    id="mcp.envelope.response-refused",
    reason_code="UNASKED_RESPONSE_ACCEPTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, basic/transports: servers take requests and notifications",
    accepts=[_HEALTHY, _HEALTHY_LEGACY, ex.healthy(transport="stdio")],
    rejects=[ex.changed(_HEALTHY, _RESPONSE, message=None, status=202)],
)
@needs_the_server
def response_refused(transcript: Transcript) -> Iterator[Said]:
    """A JSON-RPC response that is posted to the server is refused with a 4xx.

    Why: since 2026-07-28 servers ask clients nothing, so an accepted one answers somebody else's
    question. Fix: answer -32600 with status 400.
    """
    if other := over_http_only(transcript):
        yield other
    elif transcript.revision == LEGACY:
        yield NotApplicable("clients answer servers before 2026-07-28")
    else:
        yield from must_be_refused(transcript, _RESPONSE, "a response nobody asked for")
