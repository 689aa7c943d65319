"""Processes over stdio: they live while they are spoken to, and end when that ends."""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import DEAD, NOT_SENT, needs_the_server, not_made, unreached
from bundles.mcp.schema import cut
from bundles.transcript import Exchange, Failure, Transcript
from bundles.verdict import Layer, Severity, Stage

_HTTP = ex.healthy()
_HEALTHY = ex.healthy(transport="stdio")
_CANCELLED = f"{probes.CANCELLED}get_forecast:0"
_NO_STDIN = NotApplicable("over HTTP the harness starts no process")
_ODD = (
    *(probes.UNKNOWN_METHOD, probes.UNKNOWN_TOOL, probes.UNICODE_NAME, probes.ENVELOPE),
    *(probes.META, probes.ID_ECHO, probes.LISTED, probes.REMOVED, probes.HANDSHAKE),
)


def _ending(how: str, left: int | None = 0) -> Transcript:
    other = {"probe": "discover", "how": "by-itself", "left": 0}
    ended = {"probe": "unknown-version", "how": how, "left": left}
    return ex.knowing(_HEALTHY, **{probes.CONTEXT_ENDINGS: [ended, other]})


def _all_busy() -> Transcript:
    busy = {"probe": "discover", "how": "busy", "left": None}
    return ex.knowing(_HEALTHY, **{probes.CONTEXT_ENDINGS: [busy]})


def _endings(transcript: Transcript) -> list[Mapping[str, Any]] | Said:
    """How the processes ended that were given the time to, or why nothing is known."""
    if transcript.transport != "stdio":
        return _NO_STDIN
    endings = transcript.context.get(probes.CONTEXT_ENDINGS)
    if not isinstance(endings, list):
        return Inconclusive("the run did not record how its processes ended")
    judged = [ending for ending in endings if ending["how"] not in {"busy", "gone"}]
    return judged or Inconclusive("no process was idle when its stdin ended")


@check(
    id="mcp.stdio.ends-with-stdin",
    reason_code="OUTLIVES_STDIN",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.TEMPORAL,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28 and 2025-11-25, stdio, shutdown: SHOULD exit when stdin is closed",
    accepts=[_HEALTHY, _HTTP, _ending("gone"), _ending("busy", None)],
    rejects=[_ending("told", None), _ending("killed", None)],
)
@needs_the_server
def ends_with_stdin(transcript: Transcript) -> Iterator[Said]:
    """A process ends by itself soon after its stdin did.

    Why: it is the one signal to end that every client and platform has; who ignores it is left
    running by clients that send no other. Fix: leave the loop at end of file, and close what keeps
    the process.
    """
    endings = _endings(transcript)
    if not isinstance(endings, list):
        yield endings
        return
    for ending in endings:
        if ending["how"] in {"told", "killed"}:
            signal = "SIGTERM" if ending["how"] == "told" else "SIGKILL"
            yield Violation(
                "the process does not end when its stdin does",
                path=str(ending["probe"]),
                seen=f"it ended by {signal}",
                expected="an exit within 3 s",
            )


@check(
    id="mcp.stdio.leaves-no-process",
    reason_code="PROCESS_LEFT_BEHIND",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.TEMPORAL,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28 and 2025-11-25, stdio, shutdown",
    accepts=[_HEALTHY, _HTTP, _ending("gone", None), _ending("told", None)],
    rejects=[_ending("by-itself", 2)],
)
@needs_the_server
def leaves_no_process(transcript: Transcript) -> Iterator[Said]:
    """When a process has ended, nothing it started still runs.

    Why: nobody knows of what it leaves, so nobody ends it: every session adds one more. Fix: end
    and await child processes before leaving; start none that outlives its parent.
    """
    endings = _endings(transcript)
    if not isinstance(endings, list):
        yield endings
        return
    looked = [ending for ending in endings if isinstance(ending["left"], int)]
    for ending in looked:
        if ending["left"]:
            yield Violation(
                "processes still run when the one that started them has ended",
                path=str(ending["probe"]),
                seen=ending["left"],
                expected=0,
            )
    if not looked:
        yield Inconclusive("no process ended by itself")


@check(
    id="mcp.stdio.survives-odd-requests",
    reason_code="ODD_REQUEST_KILLS",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.TEMPORAL,
    severity=Severity.POLICY,
    spec="MCP 2026-07-28 and 2025-11-25, basic, responses: errors are answers; CWE-248",
    accepts=[_HEALTHY, _HTTP, ex.failing(_HEALTHY, f"{probes.ENVELOPE}batch", Failure.TIMEOUT)],
    rejects=[
        ex.failing(_HEALTHY, probes.UNKNOWN_METHOD, Failure.CLOSED),
        ex.failing(_HEALTHY, f"{probes.ALIVE}{probes.ENVELOPE}batch", Failure.CLOSED),
    ],
)
@needs_the_server
def survives_odd_requests(transcript: Transcript) -> Iterator[Said]:
    """A request that is unknown or not as it should be does not end the process.

    Why: whoever makes one slip loses the server, and every request that waits. Fix: answer with an
    error, or ignore what cannot be answered, and read on.
    """
    if transcript.transport != "stdio":
        yield NotApplicable("over HTTP a lost connection does not tell that the server is gone")
        return
    stimuli = [e for e in transcript.exchanges if e.probe.startswith(_ODD)]
    if not stimuli:
        yield not_made(probes.UNKNOWN_METHOD)
    for stimulus in stimuli:
        after = next(iter(transcript.of(probes.ALIVE + stimulus.probe)), stimulus)
        gone = next((e for e in (stimulus, after) if e.failure in DEAD), None)
        if stimulus.failure in NOT_SENT:
            yield Inconclusive(unreached(stimulus))
        elif gone is not None:
            yield Violation(
                f"the process ends at {stimulus.probe}",
                path=stimulus.probe,
                seen=gone.note or gone.failure,
                expected="an answer to this or to the next request",
            )
        elif unreached(after):
            yield Inconclusive(unreached(after))


@check(
    id="mcp.stdio.cancelled-call-silent",
    reason_code="CANCELLED_CALL_ANSWERED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.TEMPORAL,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28 and 2025-11-25, cancellation: SHOULD not send a response",
    accepts=[_HEALTHY, _HTTP, ex.without(_HEALTHY, probes.CANCELLED)],
    rejects=[ex.answering(_HEALTHY, _CANCELLED, {"result": {"content": []}})],
)
@needs_the_server
def cancelled_call_silent(transcript: Transcript) -> Iterator[Said]:
    """A call that was cancelled while it ran is not answered.

    Why: the client has let go of it and cannot tell the answer from another's. One page of the
    specification forbids it, another allows to ignore the notification, so this warns. Fix: read
    stdin while a call runs; end the call, and drop its answer.
    """
    if transcript.transport != "stdio":
        yield NotApplicable("over HTTP who cancels closes the stream, and hears no more")
        return
    made = list(transcript.starting(probes.CANCELLED))
    if not made:
        yield NotApplicable("no safe call took long enough to cancel it (0.3 s to 3 s)")
    for call in made:
        yield from _silent(call)


def _silent(call: Exchange) -> Iterator[Said]:
    if unreached(call):
        yield Inconclusive(unreached(call))
    elif call.message is not None:
        yield Violation(
            "a cancelled call is answered",
            path=call.probe,
            seen=cut(dict(call.message)),
            expected="no answer",
        )
