"""How much an answer may be."""

from collections.abc import Iterator

from bundles.check import Inconclusive, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import needs_the_server, unreached
from bundles.transcript import Failure, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_STDIO = ex.healthy(transport="stdio")


def _huge(transcript: Transcript, probe: str) -> Transcript:
    note = f"{probes.LARGER_THAN} 10485760 bytes"
    return ex.changed(ex.failing(transcript, probe, Failure.TOO_LARGE), probe, note=note)


@check(
    id="mcp.limits.answers-bounded",
    reason_code="ANSWER_TOO_LARGE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.TEMPORAL,
    severity=Severity.POLICY,
    spec="CWE-770; the bound is the worker's, 10 MiB and 10 s unless it says otherwise",
    accepts=[_HEALTHY, ex.failing(_HEALTHY, f"{probes.ENVELOPE}batch", Failure.TIMEOUT)],
    rejects=[_huge(_HEALTHY, probes.UNKNOWN_TOOL), _huge(_STDIO, ex.STREAMED)],
)
@needs_the_server
def answers_bounded(transcript: Transcript) -> Iterator[Said]:
    """Every answer has a size and a time that a client can bear.

    Why: tens of megabytes fill the memory of a client and the context of a model. Fix: page lists,
    cut or summarise what a tool returns, and link to the rest as a resource.
    """
    for exchange in transcript.exchanges:
        if exchange.failure is Failure.TOO_LARGE:
            if not exchange.note.startswith(probes.LARGER_THAN):
                yield Inconclusive(unreached(exchange))
                continue
            yield Violation(
                "an answer is larger than a client can be asked to take",
                path=exchange.probe,
                seen=exchange.note,
                expected="pages, or a summary with a link",
            )
        elif exchange.failure is Failure.TIMEOUT and "raw" not in exchange.request:
            yield Inconclusive(unreached(exchange))
