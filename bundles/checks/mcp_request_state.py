"""`requestState` (2026-07-28): what a client could forge, is it refused?"""

from collections.abc import Iterator

from bundles.check import Inconclusive, Said, Subject, Violation, check
from bundles.mcp import example_rounds as er
from bundles.mcp import probes
from bundles.mcp.admission import known
from bundles.mcp.authorization import OTHER_PRINCIPAL
from bundles.mcp.reading import needs_the_server, unanswered
from bundles.mcp.rounds import Asked, asked_tools, asks, refused, went_on
from bundles.mcp.schema import cut
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = er.asking()
_STDIO = er.asking(transport="stdio")
_SPEC = "MCP 2026-07-28, basic/patterns/mrtr, server requirements"
_TAMPERED = f"{probes.MRTR}tampered-"
_ELSEWHERE = ("other-arguments", "other-tool", "other-principal", "expired")
_INVALID_PARAMS = -32602
_AS_TOOL_ERROR = {"content": [], "isError": True, "resultType": "complete"}


def _stateless(asked: Asked) -> str:
    if not asked.has_state:
        return f"{asked.tool} wants no requestState back"
    return ""


def _harmless(asked: Asked) -> str:
    if asked.has_state and asked.declared.state_is_harmless:
        return (
            f"the requestState of {asked.tool} is declared to be harmless: a changed one can cause "
            "nothing worse than a failed request"
        )
    return _stateless(asked)


def _how(retry: Exchange) -> str:
    """How the requestState of a retry was changed."""
    return retry.probe.removeprefix(_TAMPERED).partition(":")[0]


def _tampered(asked: Asked) -> list[Exchange]:
    """The retries with a changed requestState."""
    made = asked.transcript.starting(_TAMPERED)
    return [e for e in made if e.probe.removeprefix(_TAMPERED).partition(":")[2] == asked.tool]


@check(
    id="mcp.mrtr.state-protected",
    reason_code="REQUEST_STATE_UNPROTECTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[
        _HEALTHY,
        er.answered(_HEALTHY, "tampered-forged", {"result": _AS_TOOL_ERROR}, status=200),
        er.declaring(er.served(_HEALTHY, "tampered-forged"), state_is_harmless=True),
    ],
    rejects=[
        er.served(_HEALTHY, "tampered-flipped-1"),
        er.served(_STDIO, "tampered-forged"),
    ],
)
@needs_the_server
def state_protected(transcript: Transcript) -> Iterator[Said]:
    """A requestState that its server did not make is refused.

    Why: the state comes back from the client, who may have changed it to skip a question or to get
    at what is not theirs. Whether a state influences anything cannot be seen from outside, so it is
    taken to; where it cannot, declare state_is_harmless. Fix: sign or encrypt the state (HMAC,
    AEAD), and answer error -32602 where that does not verify.
    """
    for asked in asked_tools(transcript, _harmless):
        if not isinstance(asked, Asked):
            yield asked
            continue
        if why := asked.why_not_served():
            yield Inconclusive(why)
            continue
        retries = _tampered(asked)
        if not retries:
            yield Inconclusive(f"the run did not make the probe {_TAMPERED}…:{asked.tool}")
        yield from (Inconclusive(why) for retry in retries if (why := unanswered(retry)))
        taken = [retry for retry in retries if went_on(asked.first, retry)]
        if taken:
            yield Violation(
                f"{asked.tool} takes a requestState that was changed: "
                f"{', '.join(map(_how, taken))}",
                path=taken[0].probe,
                pointer="/result",
                seen=cut(taken[0].body),
                expected=f"error {_INVALID_PARAMS}",
            )


def _refusals(asked: Asked) -> list[Exchange]:
    """The retries whose requestState was to be refused, and which were."""
    ends = [made[1] for what in _ELSEWHERE if len(made := asked.of(what)) > 1]
    return [e for e in (*_tampered(asked), *ends) if not unanswered(e) and refused(e)]


def _nothing_refused(asked: Asked) -> str:
    if asked.has_state and not _refusals(asked):
        return f"{asked.tool} was not seen to refuse a requestState"
    return _stateless(asked)


@check(
    id="mcp.mrtr.bad-state-is-invalid-params",
    reason_code="REQUEST_STATE_REFUSED_OTHERWISE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28, basic/patterns/mrtr, error handling",
    accepts=[_HEALTHY],
    rejects=[
        er.refused(_HEALTHY, "tampered-longer", -32603),
        er.refused(_HEALTHY, "expired", -32000),
        er.answered(_HEALTHY, "other-tool", {"result": _AS_TOOL_ERROR}, status=200),
    ],
)
@needs_the_server
def bad_state_is_invalid_params(transcript: Transcript) -> Iterator[Said]:
    """A requestState that is refused is refused as invalid params.

    Why: a client that reads -32602 calls again from the start; one that reads an internal error, or
    a failure of the tool, gives up. Fix: answer error -32602.
    """
    for asked in asked_tools(transcript, _nothing_refused):
        if not isinstance(asked, Asked):
            yield asked
            continue
        otherwise = [e for e in _refusals(asked) if (e.error or {}).get("code") != _INVALID_PARAMS]
        if otherwise:
            yield Violation(
                f"{asked.tool} refuses a requestState in another way",
                path=otherwise[0].probe,
                seen=cut((otherwise[0].error or {}).get("code", "a result with isError")),
                expected=_INVALID_PARAMS,
            )


def _taken(asked: Asked, what: str) -> bool:
    """Whether a state was taken where it does not belong.

    Another tool asks for something else anyway: only what it does counts.
    """
    retry = asked.of(what)[1]
    if what == "other-tool":
        return not refused(retry) and isinstance(retry.result, dict) and not asks(retry.result)
    return went_on(asked.first, retry)


def _bound(asked: Asked, *stimuli: tuple[str, str]) -> Iterator[Said]:
    """Say where a requestState is taken by a stimulus, each with its words."""
    if why := asked.why_not_served():
        yield Inconclusive(why)
        return
    for what, words in stimuli:
        if not asked.of(what):
            continue
        retry = asked.retry(what)
        if not isinstance(retry, Exchange):
            yield retry
        elif _taken(asked, what):
            yield Violation(
                f"{asked.tool} made a requestState that is taken {words}",
                path=retry.probe,
                pointer="/result",
                seen=cut(retry.body),
                expected=f"error {_INVALID_PARAMS}",
            )


def _nowhere_else(asked: Asked) -> str:
    if asked.has_state and not (asked.of("other-arguments") or asked.of("other-tool")):
        return (
            f"no other arguments could be made for {asked.tool}, and no other tool is declared to "
            "ask for input"
        )
    return _stateless(asked)


@check(
    id="mcp.mrtr.state-bound-to-request",
    reason_code="REQUEST_STATE_REPLAYED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.AUTHORIZATION,
    severity=Severity.SHOULD,
    spec=f"{_SPEC}: replay",
    accepts=[_HEALTHY],
    rejects=[er.served(_HEALTHY, "other-arguments"), er.served(_HEALTHY, "other-tool")],
)
@needs_the_server
def state_bound_to_request(transcript: Transcript) -> Iterator[Said]:
    """A requestState is refused on another tool and with other arguments.

    Why: a confirmation that was given for one thing would serve for another. Fix: put the method
    and a digest of what is asked for into the protected state, and compare.
    """
    for asked in asked_tools(transcript, _nowhere_else):
        if not isinstance(asked, Asked):
            yield asked
            continue
        yield from _bound(
            asked, ("other-arguments", "with other arguments"), ("other-tool", "by another tool")
        )


def _nobody_else(asked: Asked) -> str:
    named = OTHER_PRINCIPAL in known(asked.transcript).get("declared", ())
    if asked.has_state and not named and not asked.of("other-principal"):
        return "the profile names no other principal"
    return _stateless(asked)


@check(
    id="mcp.mrtr.state-bound-to-principal",
    reason_code="REQUEST_STATE_SHARED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.AUTHORIZATION,
    severity=Severity.SHOULD,
    spec=f"{_SPEC}: replay",
    accepts=[_HEALTHY],
    rejects=[er.served(_HEALTHY, "other-principal")],
)
@needs_the_server
def state_bound_to_principal(transcript: Transcript) -> Iterator[Said]:
    """A requestState is refused from somebody else than it was given to.

    Why: who gets hold of it goes on where another stopped, with the other's answers. Fix: put the
    authenticated principal into the protected state, and compare.
    """
    for asked in asked_tools(transcript, _nobody_else):
        if not isinstance(asked, Asked):
            yield asked
            continue
        if not asked.of("other-principal"):
            why = known(transcript)["missing"].get(OTHER_PRINCIPAL, "the run did not ask as it")
            yield Inconclusive(f"the second principal, {asked.tool}: {why}")
            continue
        yield from _bound(asked, ("other-principal", "from another principal"))


def _unlimited(asked: Asked) -> str:
    if asked.has_state and asked.declared.state_expires_s is None:
        return f"no state_expires_s is declared for {asked.tool}"
    return _stateless(asked)


@check(
    id="mcp.mrtr.state-expires",
    reason_code="REQUEST_STATE_EVERLASTING",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.AUTHORIZATION,
    severity=Severity.SHOULD,
    spec=f"{_SPEC}: replay",
    accepts=[_HEALTHY],
    rejects=[er.served(_HEALTHY, "expired")],
)
@needs_the_server
def state_expires(transcript: Transcript) -> Iterator[Said]:
    """A requestState is refused after the time its tool is declared to keep it.

    Why: a state that is found in a log next year still works. Fix: put a short expiry into the
    protected state, and compare.
    """
    for asked in asked_tools(transcript, _unlimited):
        if not isinstance(asked, Asked):
            yield asked
            continue
        if not asked.of("expired"):
            yield Inconclusive(f"the run did not make the probe expired of {asked.tool}")
            continue
        yield from _bound(asked, ("expired", "after its time"))
