"""subscriptions/listen (2026-07-28): served where it is declared, and only what was asked for.

How a subscription ends is not judged: the pages of the specification contradict each other there.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.example_streams import acknowledged
from bundles.mcp.opening import UNREADABLE, capabilities, opening_of
from bundles.mcp.reading import needs_the_server, not_made, refusal, unreached
from bundles.mcp.schema import LEGACY, cut
from bundles.mcp.subscriptions import (
    ACKNOWLEDGED,
    CHANGES,
    RESOURCE_SUBSCRIPTIONS,
    SUBSCRIPTION_ID_KEY,
    declared_changes,
    filter_for,
)
from bundles.mcp.wire import same_id
from bundles.transcript import Exchange, Failure, Transcript
from bundles.verdict import Layer, Severity, Stage

Json = Mapping[str, Any]

_HEALTHY = ex.healthy()
_HEALTHY_LEGACY = ex.healthy(revision=LEGACY)
_STDIO = ex.healthy(transport="stdio")
_NOTHING = ex.without(ex.declaring(_HEALTHY, tools={}), probes.SUBSCRIBE)
_TOOLS, _PROMPTS = (
    {"jsonrpc": "2.0", "method": f"notifications/{name}/list_changed"}
    for name in ("tools", "prompts")
)
_NO_SUCH_METHOD = -32601
_INTERNAL_ERROR = -32603  # too many are open, say: no word about the method


def _hearing(transcript: Transcript, *events: Json) -> Transcript:
    return ex.changed(transcript, probes.SUBSCRIBE, events=events)


def _of_resources() -> Transcript:
    """From a server that declares changes of resources alone, asked for those."""
    server = ex.declaring(ex.offering(_HEALTHY), tools={}, resources={"subscribe": True})
    params = {"notifications": filter_for(RESOURCE_SUBSCRIPTIONS)}
    request = {**server.of(probes.SUBSCRIBE)[0].request, "params": params}
    told = acknowledged(toolsListChanged=False)
    return ex.changed(server, probes.SUBSCRIBE, request=request, events=(told,))


_RESOURCES = _of_resources()


def _asked(transcript: Transcript) -> Exchange | Said:
    """The subscription that was asked for, or why there is none to judge."""
    if transcript.revision == LEGACY:
        return NotApplicable("subscriptions/listen came with 2026-07-28")
    if capabilities(transcript) is None:
        return UNREADABLE
    if not declared_changes(opening_of(transcript).result):
        return NotApplicable("no changes are declared: neither listChanged nor resources.subscribe")
    exchange = next(iter(transcript.of(probes.SUBSCRIBE)), None)
    if exchange is None:
        return not_made(probes.SUBSCRIBE)
    # what came before the time was up counts
    if exchange.failure is Failure.TIMEOUT and exchange.events:
        return exchange
    return Inconclusive(unreached(exchange)) if unreached(exchange) else exchange


@check(
    id="mcp.subscriptions.declared-served",
    reason_code="SUBSCRIPTION_REFUSED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, subscriptions: changes are delivered through subscriptions/listen",
    accepts=[_HEALTHY, _HEALTHY_LEGACY, _STDIO, _NOTHING, _RESOURCES],
    rejects=[
        ex.refusing(_hearing(_HEALTHY), probes.SUBSCRIBE, _NO_SUCH_METHOD, status=404),
        ex.refusing(_hearing(_RESOURCES), probes.SUBSCRIBE, _NO_SUCH_METHOD, status=404),
    ],
)
@needs_the_server
def declared_served(transcript: Transcript) -> Iterator[Said]:
    """A server that declares listChanged takes a subscription to it.

    So does one that declares resources.subscribe.

    Why: since 2026-07-28 there is no other way to hear of changes, so the declaration is empty and
    clients keep what is out of date. Fix: serve subscriptions/listen, or do not declare it.
    """
    asked = _asked(transcript)
    if not isinstance(asked, Exchange):
        yield asked
    elif asked.error is None and asked.message is None and not asked.events:
        yield Inconclusive(f"{asked.probe}: nothing came, neither a message nor a refusal")
    elif asked.error is not None and not _is_about_the_method(asked):
        yield Inconclusive(f"{asked.probe}: {refusal(asked)}")
    elif asked.error is not None:
        yield Violation(
            "changes are declared and a subscription to them is refused",
            path=asked.probe,
            pointer="/error",
            seen=cut(dict(asked.error)),
            expected=ACKNOWLEDGED,
        )


@check(
    id="mcp.subscriptions.acknowledged-first",
    reason_code="SUBSCRIPTION_NOT_ACKNOWLEDGED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, subscriptions: acknowledged is the first message, with subscriptionId",
    accepts=[
        _HEALTHY,
        _HEALTHY_LEGACY,
        _STDIO,
        _NOTHING,
        _hearing(_HEALTHY, acknowledged(), _TOOLS),
    ],
    rejects=[
        _hearing(_HEALTHY, _TOOLS, acknowledged()),
        _hearing(_HEALTHY, acknowledged(to=1)),
        _hearing(_STDIO, acknowledged(to=None)),
        ex.answering(_hearing(_HEALTHY), probes.SUBSCRIBE, {"result": {}}, status=200),
    ],
)
@needs_the_server
def acknowledged_first(transcript: Transcript) -> Iterator[Said]:
    """A subscription is acknowledged before anything else, under the id of its request.

    Why: a client knows by it what it will hear of, and over stdio which message is for whom. Fix:
    send notifications/subscriptions/acknowledged first, with the request's id, as it was, in _meta.
    """
    asked = _asked(transcript)
    if not isinstance(asked, Exchange):
        yield asked
        return
    # over stdio, messages of other requests may come in between
    first = next((e for e in asked.events if transcript.transport == "http" or _is_ours(e)), None)
    if asked.error is not None or (first is None and asked.message is None):
        yield Inconclusive(f"{asked.probe}: no message came over the subscription")
    elif first is None or first.get("method") != ACKNOWLEDGED:
        yield Violation(
            "a subscription does not begin with its acknowledgement",
            path=asked.probe,
            seen=cut(asked.message if first is None else dict(first)),
            expected=ACKNOWLEDGED,
        )
    elif not same_id(asked.request["id"], _subscription_id(first)):
        yield Violation(
            "the acknowledgement names another subscription than the request",
            path=asked.probe,
            pointer=f"/params/_meta/{SUBSCRIPTION_ID_KEY.replace('/', '~1')}",
            seen=cut(_subscription_id(first)),
            expected=asked.request["id"],
        )


@check(
    id="mcp.subscriptions.only-what-was-asked",
    reason_code="CHANGE_UNASKED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, subscriptions: MUST NOT send types that were not requested",
    accepts=[_HEALTHY, _HEALTHY_LEGACY, _STDIO, _NOTHING],
    rejects=[
        _hearing(_HEALTHY, acknowledged(promptsListChanged=True)),
        _hearing(_STDIO, acknowledged(), _PROMPTS),
        ex.changed(_HEALTHY, ex.STREAMED, events=(_PROMPTS,)),
    ],
)
@needs_the_server
def only_what_was_asked(transcript: Transcript) -> Iterator[Said]:
    """Changes are told to those who subscribed to them, and to nobody else.

    Why: a client that did not ask has no place for them, and what changed may not be meant for it.
    Fix: acknowledge what is in the filter and no more; send changes over subscriptions alone.
    """
    if transcript.revision == LEGACY:
        yield NotApplicable("before 2026-07-28 changes are told to every client")
        return
    subscription = next(iter(transcript.of(probes.SUBSCRIBE)), Exchange(probes.SUBSCRIBE, 0, {}))
    wanted = _filter(subscription.request)
    for exchange in transcript.exchanges:
        for event in exchange.events if exchange.probe not in probes.OLDER_ERA else ():
            told = CHANGES.get(str(event.get("method")))
            # over stdio, what was asked for may come while something else is waited for
            if told is not None and not (told in wanted and _may_carry(transcript, exchange)):
                yield Violation(
                    "a change is told that nobody subscribed to",
                    path=exchange.probe,
                    seen=cut(dict(event)),
                    expected=sorted(wanted),
                )
    for event in subscription.events:
        if event.get("method") == ACKNOWLEDGED and _filter(event) - wanted:
            yield Violation(
                "more is acknowledged than was asked for",
                path=subscription.probe,
                pointer="/params/notifications",
                seen=sorted(_filter(event)),
                expected=sorted(wanted),
            )


def _is_about_the_method(asked: Exchange) -> bool:
    """Whether a refusal is of subscriptions; one to a resource that is not there may be of that."""
    code = None if asked.error is None else asked.error.get("code")
    if RESOURCE_SUBSCRIPTIONS in _filter(asked.request):
        return code == _NO_SUCH_METHOD
    return code != _INTERNAL_ERROR


def _may_carry(transcript: Transcript, exchange: Exchange) -> bool:
    return exchange.probe == probes.SUBSCRIBE or transcript.transport == "stdio"


def _is_ours(event: Json) -> bool:
    return event.get("method") in {ACKNOWLEDGED, *CHANGES}


def _params(message: Json) -> Json:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def _filter(message: Json) -> set[str]:
    """The kinds of change that a filter names, of those this revision knows."""
    named = _params(message).get("notifications")
    known = set(CHANGES.values())
    return {k for k, v in named.items() if k in known and v} if isinstance(named, dict) else set()


def _subscription_id(event: Json) -> Any:
    meta = _params(event).get("_meta")
    return meta.get(SUBSCRIPTION_ID_KEY) if isinstance(meta, dict) else None
