"""Hostile input: refused, and survived."""

from collections.abc import Iterator
from itertools import chain

from bundles.check import Inconclusive, Said, Subject, Violation, check
from bundles.checks.mcp_arguments import no_invalid_arguments
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import DEAD, NOT_SENT, needs_the_server, not_made, unreached
from bundles.transcript import Exchange, Failure, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_STDIO = ex.healthy(transport="stdio")
_MISSING = f"{probes.INVALID_ARGUMENTS}get_forecast:missing"
_TEXT = f"{probes.MALFORMED_CALL}arguments-text"


def _survives(transcript: Transcript, stimuli: Iterator[tuple[str, Exchange]]) -> Iterator[Said]:
    greeted = _greeting(transcript)
    for name, stimulus in stimuli:
        after = next(iter(transcript.of(probes.ALIVE + name)), None)
        if stimulus.failure in NOT_SENT:
            yield Inconclusive(unreached(stimulus))
        elif after is None:
            yield not_made(probes.ALIVE + name)
        elif after.failure in DEAD:
            yield Violation(
                f"the server is gone after {stimulus.probe}",
                path=after.probe,
                seen=after.failure.value if after.failure else None,
                expected="an answer to the next well-formed request",
            )
        elif unreached(after):
            yield Inconclusive(unreached(after))
        elif _fails(after) and greeted is not None and _fails(greeted):
            why = f"{greeted.probe}, the same request, is not answered well before it either"
            yield Inconclusive(f"{stimulus.probe}: {why}")
        elif _fails(after):
            yield Violation(
                f"the server no longer answers as before after {stimulus.probe}",
                path=after.probe,
                seen={"status": after.status, "error": dict(after.error or {})},
                expected="an answer to the next well-formed request",
            )


def _greeting(transcript: Transcript) -> Exchange | None:
    """The same request as is made after each stimulus, made before all of them."""
    made = chain(transcript.of(probes.DISCOVER), transcript.of(probes.INITIALIZE))
    return next(made, None)


def _fails(exchange: Exchange) -> bool:
    return exchange.message is None or exchange.error is not None


@check(
    id="mcp.security.survives-malformed-input",
    reason_code="MALFORMED_INPUT_KILLS",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.TEMPORAL,
    severity=Severity.MUST,
    spec="JSON-RPC 2.0, section 5.1 (parse error); CWE-248",
    accepts=[_HEALTHY, ex.failing(_STDIO, probes.MALFORMED + "truncated", Failure.TIMEOUT)],
    rejects=[
        ex.failing(_HEALTHY, probes.ALIVE + "not-utf8", Failure.UNREACHABLE),
        ex.failing(_STDIO, probes.ALIVE + "deep", Failure.CLOSED),
    ],
)
@needs_the_server
def survives_malformed_input(transcript: Transcript) -> Iterator[Said]:
    """After bytes that are no JSON-RPC message the server answers the next request.

    Why: one bad line must not take the server from everybody else. Whether it replies to the bad
    line is its own choice. Fix: catch parse errors for each message, bound depth and size.
    """
    stimuli = list(transcript.starting(probes.MALFORMED))
    if not stimuli:
        yield not_made(probes.MALFORMED)
    named = ((e.probe.removeprefix(probes.MALFORMED), e) for e in stimuli)
    yield from _survives(transcript, named)


@check(
    id="mcp.security.malformed-input-refused",
    reason_code="MALFORMED_INPUT_ACCEPTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="JSON-RPC 2.0, section 5.1; MCP 2026-07-28, basic/transports",
    accepts=[_HEALTHY, ex.failing(_STDIO, probes.MALFORMED + "truncated", Failure.TIMEOUT)],
    rejects=[
        ex.changed(_HEALTHY, probes.MALFORMED + "truncated", message={"id": 1, "result": {}}),
        ex.changed(_HEALTHY, probes.MALFORMED + "not-utf8", message=None, status=202),
    ],
)
@needs_the_server
def malformed_input_refused(transcript: Transcript) -> Iterator[Said]:
    """Bytes that are no JSON-RPC message are never answered as if they were one.

    Why: a parser that guesses can be made to guess what was not sent. Fix: answer -32700 (over HTTP
    with a 4xx status), or nothing on stdio.
    """
    stimuli = list(transcript.starting(probes.MALFORMED))
    if not stimuli:
        yield not_made(probes.MALFORMED)
    for stimulus in stimuli:
        if stimulus.failure in NOT_SENT:
            yield Inconclusive(unreached(stimulus))
            continue
        accepted = stimulus.status is not None and stimulus.status < 300
        if (accepted and stimulus.error is None) or "result" in (stimulus.message or {}):
            yield Violation(
                f"{stimulus.probe} is accepted",
                path=stimulus.probe,
                seen={"status": stimulus.status, "answered": stimulus.message is not None},
                expected="error -32700",
            )


@check(
    id="mcp.security.survives-invalid-arguments",
    reason_code="INVALID_ARGUMENTS_KILL",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.TEMPORAL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, server/tools, security; CWE-248",
    accepts=[_HEALTHY],
    rejects=[ex.failing(_HEALTHY, probes.ALIVE + _MISSING, Failure.CLOSED)],
)
@needs_the_server
def survives_invalid_arguments(transcript: Transcript) -> Iterator[Said]:
    """After arguments that the inputSchema refuses the server answers the next request.

    Why: one model's slip must not take the server from everybody else. Fix: validate arguments, and
    turn what is raised inside a tool into a result with isError.
    """
    stimuli = list(transcript.starting(probes.INVALID_ARGUMENTS))
    if not stimuli:
        yield no_invalid_arguments(transcript)
    yield from _survives(transcript, ((e.probe, e) for e in stimuli))


@check(
    id="mcp.security.survives-malformed-calls",
    reason_code="MALFORMED_CALL_KILLS",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.TEMPORAL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, server/tools, security; CWE-248",
    accepts=[_HEALTHY, ex.failing(_STDIO, f"{probes.MALFORMED_CALL}no-name", Failure.TIMEOUT)],
    rejects=[
        ex.failing(_STDIO, f"{probes.ALIVE}{_TEXT}", Failure.CLOSED),
        ex.refusing(_HEALTHY, f"{probes.ALIVE}{_TEXT}", -32603),
    ],
)
@needs_the_server
def survives_malformed_calls(transcript: Transcript) -> Iterator[Said]:
    """After a call without a name, or with arguments that are no object, the server goes on.

    Why: a client's mistake must not break the server until somebody restarts it. Fix: catch what
    reading the params of one request raises, and answer -32602.
    """
    stimuli = list(transcript.starting(probes.MALFORMED_CALL))
    if not stimuli:
        yield not_made(probes.MALFORMED_CALL)
    yield from _survives(transcript, ((e.probe, e) for e in stimuli))
