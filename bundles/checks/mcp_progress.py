"""notifications/progress: about the request that asked for it, and always forward."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.example_streams import progress
from bundles.mcp.reading import needs_the_server
from bundles.mcp.schema import LEGACY, cut
from bundles.mcp.streams import after_response
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_STDIO = ex.healthy(transport="stdio")
_QUIET = ex.streaming(_HEALTHY, before=())
_FORWARD = (progress(0.25), progress(0.5), progress(7))

_TOO_LATE = "comes after the answer to its request"

Json = Mapping[str, Any]
Token = str | int


@check(
    id="mcp.streams.progress-true",
    reason_code="PROGRESS_WRONG",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, progress: tokens of active requests, increasing values",
    accepts=[_HEALTHY, _HEALTHY_LEGACY, _STDIO, _QUIET, ex.streaming(_HEALTHY, before=_FORWARD)],
    rejects=[
        ex.streaming(_HEALTHY, before=(progress(2), progress(2))),
        ex.streaming(_STDIO, before=(progress(2), progress(1))),
        ex.streaming(_HEALTHY, before=(progress("half"),)),
        ex.streaming(_HEALTHY_LEGACY, before=(progress(1, "nobody's"),)),
        ex.streaming(_HEALTHY_LEGACY, after=(progress(3),)),
        ex.changed(_STDIO, f"{probes.SAFE_CALL}save_alert:0", events=(progress(3),)),
        ex.changed(_HEALTHY, probes.UNKNOWN_TOOL, events=(progress(1, "nobody's"),)),
    ],
)
@needs_the_server
def progress_true(transcript: Transcript) -> Iterator[Said]:
    """Progress names the token of a request that is being served, and its value only grows.

    Why: clients show it, and extend their patience by it. Fix: keep the token with the request,
    count up, and stop before the answer.
    """
    given: dict[Token, bool] = {}  # token → whether its request was answered
    seen = 0
    for exchange in transcript.exchanges:
        own = _own_token(exchange)
        if own is not None:
            given[own] = False
        sent, late = _progress(exchange)
        seen += len(sent) + len(late)
        for wrong, event in _wrong(own, sent, given):
            yield _violation(exchange, wrong, event)
        if transcript.revision == LEGACY:  # later ones may send nothing at all after it
            for event in late:
                yield _violation(exchange, _TOO_LATE, event)
        if own is not None:
            given[own] = exchange.failure is None
    if not seen:
        yield NotApplicable("no progress was sent")


def _wrong(
    own: Token | None, sent: Sequence[Json], given: Mapping[Token, bool]
) -> Iterator[tuple[str, Json]]:
    """What is wrong with progress that came while a request waited, and which it is."""
    last: float | None = None
    for event in sent:
        params = _params(event)
        token, value = params.get("progressToken"), params.get("progress")
        if not isinstance(token, str | int) or token not in given:
            yield "names a token that no request gave", event
        elif token != own:
            if given[token]:
                yield _TOO_LATE, event
        elif isinstance(value, bool) or not isinstance(value, int | float):
            yield "has no number for its value", event
        else:
            if last is not None and value <= last:
                yield f"does not increase from {last}", event
            last = value


def _violation(exchange: Exchange, wrong: str, event: Json) -> Violation:
    return Violation(
        f"progress {wrong}",
        path=exchange.probe,
        seen=cut(dict(event)),
        expected="growing values under the token of the request, before its answer",
    )


def _progress(exchange: Exchange) -> tuple[list[Json], list[Json]]:
    """What was sent before the response, and what after it on its stream."""
    sent = [event for event in exchange.events if _is_progress(event)]
    late = sum(map(_is_progress, after_response(exchange)))
    return sent[: len(sent) - late], sent[len(sent) - late :]


def _is_progress(message: Json) -> bool:
    return message.get("method") == "notifications/progress"


def _params(message: Json) -> Json:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def _own_token(exchange: Exchange) -> Token | None:
    meta = _params(exchange.request).get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return token if isinstance(token, str | int) else None
