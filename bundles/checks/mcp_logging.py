"""Log messages of servers: only to those who asked."""

from collections.abc import Iterator

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import needs_the_server
from bundles.mcp.schema import LEGACY, cut
from bundles.mcp.wire import LOG_LEVEL_KEY
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_LOG = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info"}}


@check(
    id="mcp.logging.only-when-asked",
    reason_code="LOG_MESSAGE_UNASKED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE, Stage.SECURITY],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, server/utilities/logging: MUST NOT without logLevel in the request",
    accepts=[
        _HEALTHY,
        ex.changed(_HEALTHY, f"{probes.META}log-level", events=(_LOG,)),
        ex.changed(ex.healthy(revision=LEGACY), probes.UNKNOWN_TOOL, events=(_LOG,)),
    ],
    rejects=[ex.changed(_HEALTHY, probes.UNKNOWN_TOOL, events=(_LOG,))],
)
@needs_the_server
def only_when_asked(transcript: Transcript) -> Iterator[Said]:
    """A request that names no logLevel gets no notifications/message.

    Why: a client that did not ask neither expects nor bounds them, and what is in them may not be
    meant for it. Fix: send log messages only while a request with logLevel is answered.
    """
    if transcript.revision == LEGACY:
        yield NotApplicable("before 2026-07-28 a server may log until logging/setLevel is asked")
        return
    for exchange in transcript.exchanges:
        for event in exchange.events:
            if event.get("method") == "notifications/message" and not _asks_for_logs(exchange):
                yield Violation(
                    "a log message came with a request that asked for none",
                    path=exchange.probe,
                    seen=cut(dict(event)),
                    expected="no notifications/message",
                )


def _asks_for_logs(exchange: Exchange) -> bool:
    params = exchange.request.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    asked = isinstance(meta, dict) and LOG_LEVEL_KEY in meta
    return asked or exchange.probe == f"{probes.META}log-level"
