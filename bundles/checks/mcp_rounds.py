"""Tools that ask for input (2026-07-28): do they ask for what they may, of whom they may?"""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.check import Inconclusive, Said, Subject, Violation, check
from bundles.mcp import example_rounds as er
from bundles.mcp import probes
from bundles.mcp.multi_round import METHODS
from bundles.mcp.reading import needs_the_server, unanswered
from bundles.mcp.rounds import TOO_OLD, Asked, asked_tools, asks, probe_of
from bundles.mcp.schema import LEGACY, cut, input_required_problems
from bundles.mcp.wire import CLIENT_CAPABILITIES_KEY
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = er.asking()
_STDIO = er.asking(transport="stdio")
_SPEC = "MCP 2026-07-28, basic/patterns/mrtr, server requirements"
_CAPABILITY_OF = {method: capability for capability, method in METHODS.items()}
_MISSING_CAPABILITY = -32021
_HINTS = ("ttlMs", "cacheScope")
_ROOTS = {"where": {"method": "roots/list"}}
_URL = {"message": "Sign in", "mode": "url", "url": "https://example.com/"}


def _questions(transcript: Transcript) -> Iterator[Exchange | Said]:
    """The first answer of each tool that asks for input, declared or not; why there is none."""
    if transcript.revision == LEGACY:
        yield TOO_OLD
        return
    told: set[str] = set()
    for exchange in transcript.exchanges:
        if asks(exchange.result) and _named(exchange) not in told:
            told.add(_named(exchange))
            yield exchange
    for said in asked_tools(transcript):
        if isinstance(said, Inconclusive) or (not told and not isinstance(said, Asked)):
            yield said


def _named(exchange: Exchange) -> str:
    params = exchange.request.get("params")
    return str(params.get("name", "")) if isinstance(params, dict) else ""


@check(
    id="mcp.mrtr.asks-for-something",
    reason_code="INPUT_REQUIRED_EMPTY",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[
        _HEALTHY,
        er.asked(_HEALTHY, inputRequests=None),
        er.asked(_HEALTHY, requestState=None),
    ],
    rejects=[er.asked(_HEALTHY, inputRequests=None, requestState=None)],
)
@needs_the_server
def asks_for_something(transcript: Transcript) -> Iterator[Said]:
    """An answer that asks for input has inputRequests, requestState, or both.

    Why: with neither, a client has nothing to give and nothing to send back, and can only repeat
    the call for ever. Fix: say what is needed in inputRequests, or what to send back.
    """
    for question in _questions(transcript):
        if not isinstance(question, Exchange):
            yield question
        elif not {"inputRequests", "requestState"} & question.result.keys():
            yield Violation(
                f"{_named(question)} asks for input and says not for what",
                path=question.probe,
                pointer="/result",
                seen=sorted(question.result),
                expected="inputRequests, requestState or both",
            )


@check(
    id="mcp.mrtr.requests-well-formed",
    reason_code="INPUT_REQUEST_INVALID",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.SCHEMA,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, basic/patterns/mrtr, server requirements; schema InputRequiredResult",
    accepts=[_HEALTHY],
    rejects=[
        er.asked(_HEALTHY, requestState=7),
        er.asked(_HEALTHY, inputRequests={"who": {"method": "elicitation/create", "params": {}}}),
    ],
)
@needs_the_server
def requests_well_formed(transcript: Transcript) -> Iterator[Said]:
    """What an answer asks for is a map of elicitation, sampling and roots requests.

    Why: a client can fulfil these three kinds and no other, and cannot show a form without a
    schema. Fix: use elicitation/create, sampling/createMessage and roots/list with their params,
    and a text as requestState.
    """
    for question in _questions(transcript):
        if not isinstance(question, Exchange):
            yield question
            continue
        for problem in input_required_problems(question.result):
            yield Violation(
                f"what {_named(question)} asks for: {problem.message}",
                path=question.probe,
                pointer=f"/result{problem.pointer}",
                seen=problem.seen,
            )


@check(
    id="mcp.mrtr.no-cache-hints",
    reason_code="INPUT_REQUIRED_CACHEABLE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28, server/utilities/caching, cacheable results",
    accepts=[_HEALTHY],
    rejects=[er.asked(_HEALTHY, ttlMs=0), er.asked(_HEALTHY, cacheScope="public")],
)
@needs_the_server
def no_cache_hints(transcript: Transcript) -> Iterator[Said]:
    """An answer that asks for input carries no caching hints.

    Why: a cached question would be shown to somebody else, with a state that is not theirs. Fix:
    leave out ttlMs and cacheScope where resultType is "input_required".
    """
    for question in _questions(transcript):
        if not isinstance(question, Exchange):
            yield question
            continue
        for name in question.result.keys() & set(_HINTS):
            yield Violation(
                f"{_named(question)} asks for input with {name}",
                path=question.probe,
                pointer=f"/result/{name}",
                seen=cut(question.result[name]),
            )


@check(
    id="mcp.mrtr.only-declared-capabilities",
    reason_code="INPUT_REQUEST_UNDECLARED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_HEALTHY, er.answered(_HEALTHY, "undeclared", {"result": {"content": []}})],
    rejects=[
        er.answered(
            _HEALTHY,
            "undeclared",
            {"result": {"resultType": "input_required", "inputRequests": _ROOTS}},
            status=200,
        ),
        er.asked(_HEALTHY, inputRequests=_ROOTS),
        er.asked(_HEALTHY, inputRequests={"a": {"method": "elicitation/create", "params": _URL}}),
    ],
)
@needs_the_server
def only_declared_capabilities(transcript: Transcript) -> Iterator[Said]:
    """A server asks a client only for what the client says it can give.

    Why: a client without the capability cannot answer, and the call never ends. Fix: read
    clientCapabilities of each request; without what is needed answer -32021, or finish without.
    """
    yield from (said for said in asked_tools(transcript) if not isinstance(said, Asked))
    if transcript.revision == LEGACY:
        return
    for tool in _declared(transcript):
        if why := _undeclared_unanswered(transcript, tool):
            yield Inconclusive(why)
    told: set[tuple[str, str]] = set()
    for exchange in transcript.exchanges:
        for key, why in _undeclared_requests(exchange):
            if (_named(exchange), why) not in told:
                told.add((_named(exchange), why))
                yield Violation(
                    f"{_named(exchange)} asks for {why}, which the client does not declare",
                    path=exchange.probe,
                    pointer=f"/result/inputRequests/{key}",
                    seen=why,
                    expected=sorted(_capabilities(exchange)),
                )


def _declared(transcript: Transcript) -> Mapping[str, Any]:
    declared: Mapping[str, Any] = transcript.context.get(probes.CONTEXT_MRTR_TOOLS, {})
    return declared


def _undeclared_unanswered(transcript: Transcript, tool: str) -> str:
    probe = probe_of("undeclared", tool)
    call = next(iter(transcript.of(probe)), None)
    return f"the run did not make the probe {probe}" if call is None else unanswered(call)


def _capabilities(exchange: Exchange) -> Mapping[str, Any]:
    """What the client declared with a request."""
    params = exchange.request.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    declared = meta.get(CLIENT_CAPABILITIES_KEY) if isinstance(meta, dict) else None
    return declared if isinstance(declared, dict) else {}


def _undeclared_requests(exchange: Exchange) -> Iterator[tuple[str, str]]:
    """(key, capability) of what is asked for without being declared."""
    requests = exchange.result.get("inputRequests") if asks(exchange.result) else None
    if not isinstance(requests, dict):
        return
    declared = _capabilities(exchange)
    for key, request in requests.items():
        method = request.get("method") if isinstance(request, dict) else None
        capability = _CAPABILITY_OF.get(str(method))
        if capability is None:
            continue  # no request at all, which is what another check says
        settings = declared.get(capability)
        if settings is None:
            yield key, capability
        elif _mode(request) == "url" and not (isinstance(settings, dict) and "url" in settings):
            yield key, f"{capability}.url"


def _mode(request: Mapping[str, Any]) -> Any:
    params = request.get("params")
    return params.get("mode") if isinstance(params, dict) else None


@check(
    id="mcp.mrtr.missing-capability-refused",
    reason_code="MISSING_CAPABILITY_UNNAMED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, basic, errors: missing required client capability",
    accepts=[
        _HEALTHY,
        _STDIO,
        er.answered(_HEALTHY, "undeclared", {"result": {"content": []}}, status=200),
    ],
    rejects=[
        er.refused(_HEALTHY, "undeclared"),
        er.refused(_STDIO, "undeclared", -32603),
        er.refused(_HEALTHY, "undeclared", _MISSING_CAPABILITY),
    ],
)
@needs_the_server
def missing_capability_refused(transcript: Transcript) -> Iterator[Said]:
    """A call that needs a capability the client lacks is refused by naming it, or finished without.

    Why: only with the code and the name can a client tell its user what is missing. Fix: answer
    error -32021 with data.requiredCapabilities, over HTTP with status 400.
    """
    for asked in asked_tools(transcript):
        if not isinstance(asked, Asked):
            yield asked
        elif why := _undeclared_unanswered(transcript, asked.tool):
            yield Inconclusive(why)
        else:
            yield from _refused_by_name(asked.tool, asked.of("undeclared")[0])


def _refused_by_name(tool: str, call: Exchange) -> Iterator[Said]:
    if call.error is None:
        return
    code, data = call.error.get("code"), call.error.get("data")
    needed = data.get("requiredCapabilities") if isinstance(data, dict) else None
    what = f"{tool}, called by a client without capabilities, "
    if code != _MISSING_CAPABILITY:
        yield Violation(
            f"{what}is refused with another code",
            path=call.probe,
            pointer="/error/code",
            seen=cut(code),
            expected=_MISSING_CAPABILITY,
        )
    elif not isinstance(needed, dict) or not needed:
        yield Violation(
            f"{what}is refused without naming what is needed",
            path=call.probe,
            pointer="/error/data/requiredCapabilities",
            seen=cut(needed),
            expected="an object of capabilities",
        )
    elif call.status not in (None, 400):
        yield Violation(
            f"{what}is refused with HTTP status {call.status}",
            path=call.probe,
            seen=call.status,
            expected=400,
        )
