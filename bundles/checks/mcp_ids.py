"""The id of a request: does it come back as it was sent?"""

from collections.abc import Iterator

from bundles.check import Inconclusive, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import needs_the_server, not_made, unanswered
from bundles.mcp.schema import LEGACY, cut
from bundles.mcp.wire import same_id
from bundles.transcript import Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_STDIO = ex.healthy(transport="stdio")
_DIGITS = f"{probes.ID_ECHO}digits"
_ZERO = f"{probes.ID_ECHO}zero"
_LARGEST = f"{probes.ID_ECHO}largest"


@check(
    id="mcp.envelope.id-echoed",
    reason_code="ID_NOT_ECHOED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, basic, responses; JSON-RPC 2.0, section 5",
    accepts=[_HEALTHY, _HEALTHY_LEGACY, _STDIO, ex.answering(_HEALTHY, _ZERO, {"error": {}})],
    rejects=[
        ex.answering(_HEALTHY, _DIGITS, {"id": 7, "result": {}}),
        ex.answering(_HEALTHY, _ZERO, {"id": None, "error": ex.REFUSED}),
        ex.answering(_HEALTHY, _LARGEST, {"id": 9007199254740991.0, "result": {}}),
        ex.answering(_HEALTHY_LEGACY, f"{probes.ID_ECHO}empty", {"id": None, "result": {}}),
    ],
)
@needs_the_server
def id_echoed(transcript: Transcript) -> Iterator[Said]:
    """Every id a client may choose comes back with its type and value: 0, "", "7", 2^53-1, text.

    Why: clients match answers by it, so the call with that id never ends. Fix: keep the id as the
    JSON value it was; do not test it for truth, and do not convert it.
    """
    asked = list(transcript.starting(probes.ID_ECHO))
    if not asked:
        yield not_made(probes.ID_ECHO)
    for exchange in asked:
        if why := unanswered(exchange):
            yield Inconclusive(why)
            continue
        sent, got = exchange.request.get("id"), (exchange.message or {}).get("id")
        if not isinstance(sent, str | int) or not same_id(sent, got):
            yield Violation(
                "the answer does not carry the id of its request",
                path=exchange.probe,
                pointer="/id",
                seen=cut(got),
                expected=sent,
            )
