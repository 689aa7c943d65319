"""Annotations against what observers saw: a hint is a claim, and a claim is watched or unverified.

Hints are read by their effective value. A call whose folder could not be looked at says nothing; a
claim whose tool was not called, or was called unwatched, stays *not verified*.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from bundles.check import (
    Inconclusive,
    NotApplicable,
    NotVerified,
    Said,
    Subject,
    Violation,
    check,
)
from bundles.checks.mcp_calls import tool_of
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import needs_the_server, not_made, unanswered
from bundles.mcp.schema import MOST
from bundles.mcp.tools import Tool, by_name, hint, listed_tools
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

Files = Mapping[str, str]
Effect = Callable[[Files, Files], Iterable[str]]

_HEALTHY = ex.healthy()
_FORECAST = probes.SAFE_CALL + "get_forecast:0"
_SAVE = probes.SAFE_CALL + "save_alert:0"
_AGAIN = probes.SAFE_CALL_AGAIN + "save_alert:0"
_A = {"alerts/a.json": "sha256:" + "a" * 64}
_B = {"alerts/b.json": "sha256:" + "b" * 64}


@dataclass(frozen=True, slots=True)
class _Proof:
    """How one hint is proven.

    Attributes:
        words: the claim, as the server declares it.
        claims: does a tool make the claim?
        probe: prefix of the probes whose calls prove it.
        effect: the paths that contradict the claim, from the files before and after a call.
        contradiction: what the tool did, for the message.
    """

    words: str
    claims: Callable[[Tool], bool]
    probe: str
    effect: Effect
    contradiction: str


def _watched(transcript: Transcript, proof: _Proof) -> Iterator[Said]:
    """Compare, for each tool that claims something, what its calls did with what it claimed."""
    pages = transcript.of(probes.TOOLS_LIST)
    if not pages:
        yield not_made(probes.TOOLS_LIST)
        return
    if why := next((unanswered(page) for page in pages if unanswered(page)), ""):
        yield Inconclusive(why)
    claiming = [
        name for name, tool in by_name(listed_tools(transcript)).items() if proof.claims(tool)
    ]
    if not claiming:
        yield NotApplicable(f"no tool claims {proof.words}")
    for name in claiming:
        calls = [call for call in transcript.starting(proof.probe) if tool_of(call) == name]
        if not calls:
            yield NotVerified(f"{name} claims {proof.words} and was not called to prove it")
        for call in calls:
            yield from _judge(call, proof)


def _judge(call: Exchange, proof: _Proof) -> Iterator[Said]:
    claim = f"{tool_of(call)} claims {proof.words}"
    if not call.observed:
        yield NotVerified(f"{claim} and no files observer watched the call")
        return
    for observer, seen in sorted(call.observed.items()):
        before, after = seen.get("before"), seen.get("after")
        if not isinstance(before, dict) or not isinstance(after, dict):
            why = seen.get("failed", "it recorded no files")
            yield Inconclusive(f"{call.probe}: observer {observer} could not look: {why}")
            continue
        paths = sorted(proof.effect(before, after))
        if paths:
            yield Violation(
                f"{claim} and {proof.contradiction} {paths[0]}",
                path=call.probe,
                seen=paths[:MOST],
                expected="no such effect",
                witness={"tool": tool_of(call), "observer": observer, "path": paths[0]},
            )
        elif why := _proves_nothing(call):
            yield Inconclusive(why)


def _proves_nothing(call: Exchange) -> str:
    """Why a call without effects is no proof: it did not get as far as having any."""
    if why := unanswered(call):
        return why
    failed = isinstance(call.result, dict) and call.result.get("isError") is True
    if failed or call.error is not None:
        return f"{call.probe}: the call failed, so its effects stay unknown"
    return ""


def _differing(before: Files, after: Files) -> set[str]:
    return {p for p in before.keys() | after.keys() if before.get(p) != after.get(p)}


def _gone(before: Files, after: Files) -> set[str]:
    return set(before) - set(after)


def _claims(name: str, *, value: bool) -> Callable[[Tool], bool]:
    """Tools that write and claim a hint: the other hints mean nothing on a read-only tool."""
    return lambda tool: not hint(tool, "readOnlyHint") and hint(tool, name) is value


def _is_read_only(tool: Tool) -> bool:
    return hint(tool, "readOnlyHint")


_READ_ONLY = _Proof(
    words="readOnlyHint: true",
    claims=_is_read_only,
    probe=probes.SAFE_CALL,
    effect=_differing,
    contradiction="its call changed",
)
_IDEMPOTENT = _Proof(
    words="idempotentHint: true",
    claims=_claims("idempotentHint", value=True),
    probe=probes.SAFE_CALL_AGAIN,
    effect=_differing,
    contradiction="the repeated call changed",
)
_ADDITIVE = _Proof(
    words="destructiveHint: false",
    claims=_claims("destructiveHint", value=False),
    probe=probes.SAFE_CALL,
    effect=_gone,
    contradiction="its call removed",
)


def _unobserved(transcript: Transcript) -> Transcript:
    for call in list(transcript.starting("safe-call")):
        transcript = ex.changed(transcript, call.probe, observed={})
    return transcript


@check(
    id="mcp.annotations.read-only-hint",
    reason_code="SIDE_EFFECT_DECLARATION_MISMATCH",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.BEHAVIOR,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, schema ToolAnnotations.readOnlyHint",
    claim="read-only-hint",
    accepts=[_HEALTHY, _unobserved(_HEALTHY), ex.without(_HEALTHY, probes.SAFE_CALL)],
    rejects=[
        ex.observing(_HEALTHY, _FORECAST, {}, _A),
        ex.observing(_HEALTHY, _FORECAST, _A, {}),
        ex.observing(_HEALTHY, _FORECAST, {"a": "sha256:1"}, {"a": "sha256:2"}),
    ],
)
@needs_the_server
def read_only_hint(transcript: Transcript) -> Iterator[Said]:
    """A tool with readOnlyHint: true writes nothing.

    Why: hosts call read-only tools without asking a person. Fix: drop the hint, or move the write
    into a tool that declares it.
    """
    yield from _watched(transcript, _READ_ONLY)


@check(
    id="mcp.annotations.idempotent-hint",
    reason_code="IDEMPOTENCE_DECLARATION_MISMATCH",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.BEHAVIOR,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, schema ToolAnnotations.idempotentHint",
    claim="idempotent-hint",
    accepts=[_HEALTHY, ex.without(_HEALTHY, probes.SAFE_CALL_AGAIN)],
    rejects=[ex.observing(_HEALTHY, _AGAIN, _A, {**_A, **_B})],
)
@needs_the_server
def idempotent_hint(transcript: Transcript) -> Iterator[Said]:
    """A tool with idempotentHint: true changes nothing more when it is called again.

    Why: hosts and proxies repeat idempotent calls on their own. Fix: key the effect by the
    arguments, or drop the hint.
    """
    yield from _watched(transcript, _IDEMPOTENT)


@check(
    id="mcp.annotations.destructive-hint",
    reason_code="DESTRUCTION_DECLARATION_MISMATCH",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.BEHAVIOR,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, schema ToolAnnotations.destructiveHint",
    claim="destructive-hint",
    accepts=[_HEALTHY, ex.without(_HEALTHY, probes.SAFE_CALL)],
    rejects=[ex.observing(_HEALTHY, _SAVE, _B, _A)],
)
@needs_the_server
def destructive_hint(transcript: Transcript) -> Iterator[Said]:
    """A tool with destructiveHint: false removes nothing.

    Why: hosts run additive tools without the warning a deletion gets. Fix: drop the hint, or stop
    removing.
    """
    yield from _watched(transcript, _ADDITIVE)
