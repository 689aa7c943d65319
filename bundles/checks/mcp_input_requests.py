"""Results that ask for input: where they may stand."""

from collections.abc import Iterator

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import needs_the_server
from bundles.mcp.schema import LEGACY, cut
from bundles.transcript import Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_ASKING = {"result": {"resultType": "input_required", "requestState": "s"}}
_ALLOWED = frozenset({"tools/call", "prompts/get", "resources/read"})


@check(
    id="mcp.mrtr.only-where-allowed",
    reason_code="INPUT_REQUIRED_MISPLACED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE, Stage.SECURITY],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, multi round-trip requests: tools/call, prompts/get, resources/read",
    accepts=[_HEALTHY, ex.healthy(revision=LEGACY), ex.healthy(transport="stdio")],
    rejects=[ex.answering(_HEALTHY, f"{probes.ID_ECHO}digits", _ASKING, status=200)],
)
@needs_the_server
def only_where_allowed(transcript: Transcript) -> Iterator[Said]:
    """Only tools/call, prompts/get and resources/read may ask for input before they answer.

    Why: no client retries another method with what it was asked for. Fix: answer, or refuse with an
    error.
    """
    if transcript.revision == LEGACY:
        yield NotApplicable("results ask for input since 2026-07-28")
        return
    for exchange in transcript.exchanges:
        result, method = exchange.result, exchange.request.get("method")
        asks = isinstance(result, dict) and result.get("resultType") == "input_required"
        if asks and method not in _ALLOWED:
            yield Violation(
                f"{method} asks for input",
                path=exchange.probe,
                pointer="/result/resultType",
                seen=cut(result),
                expected="a complete result, or an error",
            )
