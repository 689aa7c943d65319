"""What only stdio has: a stdout that belongs to the protocol alone."""

from collections.abc import Iterator
from itertools import islice

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import reached, why_unreached
from bundles.mcp.schema import MOST, cut
from bundles.transcript import Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy(transport="stdio")


@check(
    id="mcp.stdio.stdout-pure",
    reason_code="STDOUT_NOISE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, basic/transports, stdio",
    accepts=[_HEALTHY, ex.healthy()],
    rejects=[
        ex.knowing(
            _HEALTHY, **{probes.CONTEXT_STDOUT_NOISE: [{"probe": "discover", "line": "ready"}]}
        ),
    ],
)
def stdout_pure(transcript: Transcript) -> Iterator[Said]:
    """A stdio server writes nothing to stdout but JSON-RPC messages, one a line.

    Why: strict clients close the session at the first other line. Fix: log to stderr, and keep
    banners and print calls of libraries off stdout.
    """
    if transcript.transport != "stdio":
        yield NotApplicable("the server is reached over HTTP")
        return
    noise = transcript.context.get(probes.CONTEXT_STDOUT_NOISE)
    if not isinstance(noise, list):
        yield Inconclusive("the run did not record the lines of stdout")
        return
    said: dict[str, list[str]] = {}
    for entry in noise:
        said.setdefault(str(entry.get("line", "")), []).append(str(entry.get("probe", "")))
    for line, processes in islice(said.items(), MOST):
        yield Violation(
            "stdout holds a line that is no JSON-RPC message",
            path=processes[0],
            seen=cut(line),
            expected="one JSON-RPC message a line",
            witness={"times": len(processes)},
        )
    if not noise and not reached(transcript):
        yield Inconclusive(why_unreached(transcript))
