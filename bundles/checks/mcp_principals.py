"""Two principals of one server: each is served its own, and a handle is no permission.

The second one is named by the profile (`other_principal`).
"""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.checks.mcp_tools import NO_TOOLS
from bundles.mcp import example_protected as ex
from bundles.mcp import examples, probes
from bundles.mcp.admission import known, one, succeeded
from bundles.mcp.authorization import OTHER_PRINCIPAL
from bundles.mcp.reading import (
    has_no_tools,
    needs_the_server,
    not_made,
    unanswered,
    unreached,
)
from bundles.mcp.refusals import over_http_only
from bundles.mcp.schema import LEGACY
from bundles.mcp.tools import by_name, gap_in, tools_in
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_PROTECTED = ex.protected()
_PROTECTED_LEGACY = ex.protected(revision=LEGACY)
_LIST = f"{probes.OTHER}list"
_CURSOR = f"{probes.OTHER}cursor"
_SESSION = f"{probes.OTHER}session"
_NONE = f"{probes.AUTH}none"


def _scoped(scope: str, *pages: str) -> Transcript:
    transcript = _PROTECTED
    for page in pages:
        transcript = examples.edited(transcript, page, lambda r: r.update(cacheScope=scope))
    return transcript


def without_another(transcript: Transcript) -> Said | None:
    """Why no second principal was asked, None where one was."""
    context = known(transcript)
    if other := over_http_only(transcript):
        return other
    if not context:
        return not_made(_LIST)
    if why := context["missing"].get(OTHER_PRINCIPAL):
        return Inconclusive(f"the second principal's credentials cannot be used: {why}")
    if OTHER_PRINCIPAL not in context["declared"]:
        return NotApplicable(f"the profile names no second principal ({OTHER_PRINCIPAL})")
    listed = one(transcript, _LIST)
    if listed is None:
        return not_made(_LIST)
    return Inconclusive(unreached(listed)) if unreached(listed) else None


@check(
    id="mcp.cache.differing-list-private",
    reason_code="DIFFERING_LIST_CACHED_PUBLICLY",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec="MCP 2026-07-28, basic/utilities/caching, cacheScope",
    accepts=[
        _PROTECTED,
        _PROTECTED_LEGACY,
        ex.public(),
        examples.edited(
            _scoped("public", probes.TOOLS_LIST, _LIST),
            _LIST,
            lambda r: r["tools"].append(examples.SAVE),
        ),
    ],
    rejects=[_scoped("public", probes.TOOLS_LIST), _scoped("public", _LIST)],
)
@needs_the_server
def differing_list_private(transcript: Transcript) -> Iterator[Said]:
    """A tool list that differs by who asks has the cache scope "private".

    Why: a shared cache would serve one principal the list of another. Fix: send
    `"cacheScope": "private"` wherever the answer depends on the credential.
    """
    if transcript.revision == LEGACY:
        yield NotApplicable("lists have no cache scope before 2026-07-28")
        return
    if over := over_http_only(transcript):
        yield over
        return
    if has_no_tools(transcript):
        yield NotApplicable(NO_TOOLS)
        return
    own = transcript.of(probes.TOOLS_LIST)
    other, anonymous = transcript.of(_LIST), transcript.of(_NONE)
    if gap_in(own):
        yield Inconclusive(gap_in(own))
        return
    said = without_another(transcript)
    if said is None and gap_in(other):
        said = Inconclusive(f"the second principal: {gap_in(other)}")
    differing = _differ(own, other) if said is None else False
    served_anonymously = bool(tools_in(anonymous))
    if not differing and served_anonymously:
        differing = tools_in(own[:1]) != tools_in(anonymous)
    if not differing:
        yield said or NotApplicable("the list does not differ by who asks")
        return
    for page in (*own, *other):
        result = page.result if isinstance(page.result, dict) else {}
        if "tools" in result and result.get("cacheScope") != "private":
            yield Violation(
                "the list differs by who asks, and shared caches may keep it",
                path=page.probe,
                pointer="/result/cacheScope",
                seen=result.get("cacheScope"),
                expected="private",
            )
            return


def _differ(own: tuple[Exchange, ...], other: tuple[Exchange, ...]) -> bool:
    return by_name(tools_in(own)) != by_name(tools_in(other))


@check(
    id="mcp.auth.cursor-is-no-permission",
    reason_code="CURSOR_CROSSES_PRINCIPALS",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, basic/security_best_practices, access by handle",
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[ex.served(_PROTECTED, "cursor", probes.OTHER)],
)
@needs_the_server
def cursor_is_no_permission(transcript: Transcript) -> Iterator[Said]:
    """The cursor of one principal shows another nothing that is not theirs.

    Why: cursors are handles; a server that trusts one shows what the asking token may not see.
    Fix: filter every page by the token of its own request, or bind cursors to the principal.
    """
    if said := without_another(transcript):
        yield said
        return
    exchange = one(transcript, _CURSOR)
    if exchange is None:
        first = one(transcript, probes.TOOLS_LIST)
        if has_no_tools(transcript):
            yield NotApplicable(NO_TOOLS)
        elif first is not None and not unanswered(first) and not _has_cursor(first):
            yield NotApplicable("the list has one page, so there is no cursor")
        else:
            yield not_made(_CURSOR)
        return
    if exchange.failure is not None:
        yield Inconclusive(unreached(exchange))
        return
    if gap_in(transcript.of(_LIST)):
        yield Inconclusive(gap_in(transcript.of(_LIST)))
        return
    theirs = by_name(tools_in(transcript.of(_LIST)))
    foreign = sorted(by_name(tools_in([exchange])).keys() - theirs.keys())
    if foreign:
        yield Violation(
            "another principal's cursor shows tools that are not this principal's",
            path=_CURSOR,
            pointer="/result/tools",
            seen=foreign,
            expected=sorted(theirs),
        )


def _has_cursor(page: Exchange) -> bool:
    return isinstance(page.result, dict) and page.result.get("nextCursor") is not None


@check(
    id="mcp.auth.session-bound-to-principal",
    reason_code="SESSION_CROSSES_PRINCIPALS",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.SHOULD,
    spec="MCP 2025-11-25, basic/security_best_practices, session hijacking",
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[ex.served(_PROTECTED_LEGACY, "session", probes.OTHER)],
)
@needs_the_server
def session_bound_to_principal(transcript: Transcript) -> Iterator[Said]:
    """A session opened by one principal is not served to another.

    Why: whoever learns its id could read or feed the owner's session. Fix: keep sessions under the
    principal's id together with their own.
    """
    if transcript.revision != LEGACY:
        yield over_http_only(transcript) or NotApplicable("2026-07-28 has no sessions")
        return
    if said := without_another(transcript):
        yield said
        return
    exchange = one(transcript, _SESSION)
    opened = one(transcript, probes.INITIALIZE)
    if exchange is None:
        none = opened is not None and "mcp-session-id" not in opened.headers
        yield NotApplicable("the server opens no sessions") if none else not_made(_SESSION)
    elif exchange.failure is not None:
        yield Inconclusive(unreached(exchange))
    elif "result" in (exchange.message or {}):
        yield Violation(
            "a session is served to another principal than the one that opened it",
            path=_SESSION,
            seen="a result",
            expected="HTTP 404, or another refusal",
        )


@check(
    id="mcp.auth.denied-calls-refused",
    reason_code="DENIED_CALL_SERVED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec="the profile's other_principal.denied; MCP, basic/security_best_practices",
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[ex.called(_PROTECTED, f"{probes.OTHER}call:save_alert", isError=False)],
)
@needs_the_server
def denied_calls_refused(transcript: Transcript) -> Iterator[Said]:
    """What belongs to one principal is refused to another who names it.

    Why: an id in the arguments says what is meant, not who may have it. Fix: check every id against
    the principal of the token, and answer as for one that does not exist.
    """
    if said := without_another(transcript):
        yield said
        return
    denied = known(transcript)["denied"]
    if not denied:
        yield NotApplicable("the profile denies the second principal nothing (denied)")
    for tool in denied:
        probe = f"{probes.OTHER}call:{tool}"
        exchange = one(transcript, probe)
        own = one(transcript, f"{probes.SAFE_CALL}{tool}:0")
        if tool not in transcript.safe_calls:
            yield Inconclusive(f"tool {str(tool)[:100]} is not safe to call")
        elif exchange is None:
            yield not_made(probe)
        elif exchange.failure is not None:
            yield Inconclusive(unreached(exchange))
        elif succeeded(exchange):
            yield Violation(
                f"a call of {tool} that the profile denies the second principal is served",
                path=probe,
                seen="a result",
                expected="a refusal",
                witness={"tool": tool},
            )
        elif own is None or not succeeded(own):
            yield Inconclusive(f"the same call of {tool} does not succeed for the first principal")
