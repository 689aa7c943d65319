"""Retries of calls that asked for input (2026-07-28): are answers taken for what they are?"""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import example_rounds as er
from bundles.mcp import probes
from bundles.mcp.reading import needs_the_server, refusal, unanswered
from bundles.mcp.rounds import Asked, asked_tools, asks, probe_of, refused, went_on
from bundles.mcp.schema import cut
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = er.asking()
_STDIO = er.asking(transport="stdio")
_TWO = er.on_two_instances()
_TWO_ASKED = _TWO.of(probe_of("other-instance", er.BOOK))[0].result
_SPEC = "MCP 2026-07-28, basic/patterns/mrtr"
_INVALID_PARAMS = -32602
_ANY = NotApplicable("over stdio a client has one connection")


def _on_one_connection(er_transcript: Transcript, *, taken: bool) -> Transcript:
    """With the retry on a connection of its own refused, and how one on the same ended."""
    failed = er.refused(er_transcript, "rounds", -32603)
    both = er.joined(failed, "together")
    return both if taken else er.refused(both, "together", -32603)


def _last(asked: Asked, what: str) -> Exchange | None:
    made = asked.of(what)
    return made[-1] if made else None


@check(
    id="mcp.mrtr.retry-served",
    reason_code="RETRY_REFUSED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec=f"{_SPEC}, basic workflow",
    accepts=[_HEALTHY, _STDIO],
    rejects=[
        _on_one_connection(_HEALTHY, taken=False),
        er.refused(_STDIO, "rounds", -32603),
    ],
)
@needs_the_server
def retry_served(transcript: Transcript) -> Iterator[Said]:
    """A call that is repeated with the answers it asked for is not a protocol error.

    Why: a tool that asks and does not take the answer can never be used. Fix: take inputResponses
    by the keys of inputRequests, and report what is wrong in them as a result with isError.
    """
    for asked in asked_tools(transcript):
        if not isinstance(asked, Asked):
            yield asked
            continue
        end = _last(asked, "rounds")
        if end is not None and end.error is not None and transcript.transport == "http":
            end = _last(asked, "together")
        yield from _served(asked, end)


def _served(asked: Asked, end: Exchange | None) -> Iterator[Said]:
    if end is None:
        yield Inconclusive(f"the run did not make the probe {probe_of('together', asked.tool)}")
    elif why := unanswered(end):
        yield Inconclusive(why)
    elif end.error is not None:
        yield Violation(
            f"{asked.tool}, called again with the answers it asked for, is a protocol error",
            path=end.probe,
            pointer="/error",
            seen=cut(dict(end.error)),
            expected="a result",
        )
    elif asks(end.result):
        yield Inconclusive(
            f"{end.probe}: it still asks for input; declare the answers beside it in mrtr_tools"
        )
    elif refused(end):
        yield Inconclusive(f"{end.probe}: the tool failed with the answers it was given")


@check(
    id="mcp.mrtr.retry-on-any-connection",
    reason_code="RETRY_TIED_TO_CONNECTION",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=f"{_SPEC}, basic workflow: the requests of each step are independent",
    accepts=[_HEALTHY],
    rejects=[_on_one_connection(_HEALTHY, taken=True)],
)
@needs_the_server
def retry_on_any_connection(transcript: Transcript) -> Iterator[Said]:
    """A retry needs nothing but what is in it: it is served on any connection.

    Why: a load balancer sends it elsewhere, and the question is lost with the connection. Fix: put
    what has to be remembered into requestState, protected, or where all instances find it.
    """
    if transcript.transport == "stdio":
        yield _ANY
        return
    for asked in asked_tools(transcript):
        if not isinstance(asked, Asked):
            yield asked
            continue
        apart, together = _last(asked, "rounds"), _last(asked, "together")
        if apart is None or len(asked.of("rounds")) < 2:
            yield Inconclusive(f"{asked.tool}: no answer to what it asks is known")
        elif why := unanswered(apart):
            yield Inconclusive(why)
        elif apart.error is not None:
            if together is None or unanswered(together) or together.error is not None:
                yield Inconclusive(asked.why_not_served())
            else:
                yield Violation(
                    f"{asked.tool} takes the answers only on the connection it asked on",
                    path=apart.probe,
                    pointer="/error",
                    seen=cut(dict(apart.error)),
                    expected="a result",
                )
        elif why := asked.why_not_served():
            yield Inconclusive(why)


@check(
    id="mcp.mrtr.retry-on-any-instance",
    reason_code="RETRY_TIED_TO_INSTANCE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=f"{_SPEC}, basic workflow: the requests of each step are independent",
    accepts=[_TWO, _HEALTHY],
    rejects=[
        er.refused(_TWO, "other-instance"),
        er.answered(_TWO, "other-instance", {"result": dict(_TWO_ASKED)}, status=200),
    ],
)
@needs_the_server
def retry_on_any_instance(transcript: Transcript) -> Iterator[Said]:
    """A retry is served by every instance of a deployment.

    Why: requests are balanced one by one, and half of all answers would be lost. Fix: share the key
    that protects requestState, and the store behind it, over all instances.
    """
    count = transcript.context.get(probes.CONTEXT_INSTANCES, 0)
    if not isinstance(count, int) or count < 1:
        yield NotApplicable("no other instance is named")
        return
    for asked in asked_tools(transcript):
        if not isinstance(asked, Asked):
            yield asked
        elif why := asked.why_not_served():
            yield Inconclusive(why)
        else:
            yield from _elsewhere(asked, count)


def _elsewhere(asked: Asked, instances: int) -> Iterator[Said]:
    retries = asked.of("other-instance")[1::2]
    if len(retries) < instances:
        yield Inconclusive(f"{asked.tool} was not called again at every instance")
    for retry in retries:
        if why := unanswered(retry):
            yield Inconclusive(why)
        elif not went_on(asked.first, retry):
            yield Violation(
                f"{asked.tool} asks at one instance, and another does not take the answers",
                path=retry.probe,
                seen=cut(retry.body) or refusal(retry),
                expected="a result",
            )


def _retries(transcript: Transcript, what: str) -> Iterator[tuple[Asked, Exchange] | Said]:
    """The retry of a stimulus for each tool, where one with everything right is served."""
    for asked in asked_tools(transcript, _asks_nothing):
        if not isinstance(asked, Asked):
            yield asked
        elif why := asked.why_not_served():
            yield Inconclusive(why)
        else:
            retry = asked.retry(what)
            yield (asked, retry) if isinstance(retry, Exchange) else retry


def _taken(transcript: Transcript, what: str, does: str, expected: str) -> Iterator[Said]:
    """Each retry of a kind that is refused although it must be taken, in the words for that."""
    for found in _retries(transcript, what):
        if not isinstance(found, tuple):
            yield found
        elif refused(found[1]):
            yield Violation(
                f"{found[0].tool} {does}",
                path=found[1].probe,
                seen=cut(found[1].body),
                expected=expected,
            )


def _asks_nothing(asked: Asked) -> str:
    return "" if asked.has_requests else f"{asked.tool} asks only to be called again"


@check(
    id="mcp.mrtr.unasked-answers-ignored",
    reason_code="UNASKED_ANSWER_REFUSED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec=f"{_SPEC}, error handling",
    accepts=[_HEALTHY],
    rejects=[er.refused(_HEALTHY, "extra")],
)
@needs_the_server
def unasked_answers_ignored(transcript: Transcript) -> Iterator[Said]:
    """An answer that nobody asked for is ignored.

    Why: clients answer what an earlier round asked once more. Fix: read the keys you know and leave
    the others.
    """
    does = "refuses the right answers with one more beside them"
    yield from _taken(transcript, "extra", does, "a result")


@check(
    id="mcp.mrtr.missing-answers-asked-again",
    reason_code="MISSING_ANSWER_REFUSED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec=f"{_SPEC}, error handling",
    accepts=[_HEALTHY],
    rejects=[er.refused(_HEALTHY, "missing")],
)
@needs_the_server
def missing_answers_asked_again(transcript: Transcript) -> Iterator[Said]:
    """Answers that are missing are asked for again, not answered with an error.

    Why: a user may have answered one of two questions; an error loses that one too. Fix: answer
    with another InputRequiredResult for what is still needed.
    """
    does = "answers a retry without the answers with an error"
    yield from _taken(transcript, "missing", does, "an InputRequiredResult")


@check(
    id="mcp.mrtr.malformed-answers-refused",
    reason_code="MALFORMED_ANSWER_ACCEPTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec=f"{_SPEC}, error handling",
    accepts=[_HEALTHY],
    rejects=[er.served(_HEALTHY, "malformed"), er.refused(_HEALTHY, "malformed", -32603)],
)
@needs_the_server
def malformed_answers_refused(transcript: Transcript) -> Iterator[Said]:
    """Answers that are no results of what was asked are refused as invalid params.

    Why: what is not looked at is acted on. Fix: validate inputResponses and answer error -32602.
    """
    for found in _retries(transcript, "malformed"):
        if not isinstance(found, tuple):
            yield found
            continue
        asked, retry = found
        code = None if retry.error is None else retry.error.get("code")
        if went_on(asked.first, retry) or (refused(retry) and code != _INVALID_PARAMS):
            yield Violation(
                f"{asked.tool} gets a number in place of each answer and does not refuse it as "
                "invalid params",
                path=retry.probe,
                seen=cut(retry.body) if code is None else cut(code),
                expected=_INVALID_PARAMS,
            )
