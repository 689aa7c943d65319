"""How a protected server turns callers away: what a client needs to get a token, and no more."""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import example_protected as ex
from bundles.mcp import probes
from bundles.mcp.admission import (
    challenge_of,
    known,
    lets_the_profile_in,
    one,
    succeeded,
    turned_away,
    without_oauth,
)
from bundles.mcp.authorization import NARROW_SCOPE
from bundles.mcp.challenge import bearer_of
from bundles.mcp.metadata import documents
from bundles.mcp.reading import not_made, refusal, unanswered, unreached
from bundles.mcp.refusals import over_http_only
from bundles.mcp.schema import LEGACY, cut
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_PROTECTED = ex.protected()
_PROTECTED_LEGACY = ex.protected(revision=LEGACY)
_OFFLINE = "offline_access"
_NARROW = f"{probes.AUTH}narrow_scope"
_WITH_OFFLINE = ex.CHALLENGE.replace('"call"', f'"call {_OFFLINE}"')
_WITHOUT_SCOPE = ex.CHALLENGE.partition(", scope")[0]


@check(
    id="mcp.auth.challenge-sent",
    reason_code="CHALLENGE_MISSING",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec="RFC 9110, 15.5.2; MCP 2026-07-28 and 2025-11-25, basic/authorization",
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[ex.challenging(_PROTECTED, ""), ex.challenging(_PROTECTED, 'Basic realm="x"')],
)
def challenge_sent(transcript: Transcript) -> Iterator[Said]:
    """A 401 says in WWW-Authenticate that a bearer token is asked for.

    Why: a client learns there where to get a token; without it a person has to find out. Fix: send
    `WWW-Authenticate: Bearer resource_metadata="…"` with every 401.
    """
    refused = turned_away(transcript)
    if said := without_oauth(transcript):
        yield said
    elif refused is None or refused.status != 401:
        yield NotApplicable("no request without a credential is answered with 401")
    elif bearer_of(refused.headers) is None:
        yield Violation(
            "a 401 does not ask for a bearer token",
            path=refused.probe,
            pointer="/headers/www-authenticate",
            seen=cut(refused.headers.get("www-authenticate", "no WWW-Authenticate")),
            expected='Bearer resource_metadata="…"',
        )


@check(
    id="mcp.auth.challenge-names-scope",
    reason_code="CHALLENGE_WITHOUT_SCOPE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28 and 2025-11-25, basic/authorization, scope selection",
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[ex.challenging(_PROTECTED, _WITHOUT_SCOPE)],
)
def challenge_names_scope(transcript: Transcript) -> Iterator[Said]:
    """The challenge of a 401 names the scopes a token needs.

    Why: a client that is not told asks for every scope there is, or for none. Fix: add `scope="…"`
    with the least that the request needs.
    """
    challenge = challenge_of(transcript)
    if said := without_oauth(transcript):
        yield said
    elif challenge is None:
        yield NotApplicable("there is no challenge that could name scopes")
    elif not challenge.parameters.get("scope", "").strip():
        yield Violation(
            "the challenge names no scope",
            path=_probe_of(turned_away(transcript)),
            pointer="/headers/www-authenticate",
            seen=sorted(challenge.parameters),
            expected="scope",
        )


@check(
    id="mcp.auth.offline-access-not-asked",
    reason_code="OFFLINE_ACCESS_ASKED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28, basic/authorization, refresh tokens",
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[
        ex.challenging(_PROTECTED, _WITH_OFFLINE),
        ex.describing(_PROTECTED, scopes_supported=["call", _OFFLINE]),
    ],
)
def offline_access_not_asked(transcript: Transcript) -> Iterator[Said]:
    """Neither the challenge nor the metadata lists the scope `offline_access`.

    Why: whether a client keeps a refresh token is between it and the authorization server; a client
    that copies the list gets one it never wanted. Fix: take the scope out of both.
    """
    if said := without_oauth(transcript):
        yield said
        return
    challenge = challenge_of(transcript)
    scopes = "" if challenge is None else challenge.parameters.get("scope", "")
    if _OFFLINE in scopes.split():
        yield Violation(
            f"the challenge asks for {_OFFLINE}",
            path=_probe_of(turned_away(transcript)),
            pointer="/headers/www-authenticate",
            seen=cut(scopes),
            expected="the scopes the request needs",
        )
    for exchange, document in documents(transcript):
        listed = document.get("scopes_supported")
        if isinstance(listed, list) and _OFFLINE in listed:
            yield Violation(
                f"the metadata lists {_OFFLINE}",
                path=exchange.probe,
                pointer="/scopes_supported",
                seen=cut(listed),
                expected="the scopes the server itself checks",
            )
            return


@check(
    id="mcp.auth.narrow-scope-refused",
    reason_code="NARROW_SCOPE_ACCEPTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, basic/authorization, token handling: OAuth 2.1, 5.3",
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[
        ex.called(_PROTECTED, _NARROW, isError=False),
        ex.called(_PROTECTED_LEGACY, _NARROW, isError=False),
    ],
)
def narrow_scope_refused(transcript: Transcript) -> Iterator[Said]:
    """A token whose scopes do not cover a tool cannot call it.

    Why: scopes that nobody checks are no limit for a stolen or an over-eager client. Fix: compare
    the token's scopes with what the tool needs before it runs.
    """
    exchange = one(transcript, _NARROW)
    if exchange is None:
        yield _why_not_called(transcript)
    elif exchange.failure is not None or (unreached(exchange) and exchange.status != 403):
        yield Inconclusive(unreached(exchange))
    elif succeeded(exchange):
        yield Violation(
            "a call is served to a token whose scope does not cover it",
            path=_NARROW,
            seen="a result",
            expected="HTTP 403",
        )
    elif not _is_served_to_the_profile(transcript):
        yield Inconclusive("the same call does not succeed with the profile's own credential")


@check(
    id="mcp.auth.narrow-scope-challenged",
    reason_code="NARROW_SCOPE_CHALLENGE_INCOMPLETE",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.SHOULD,
    spec="MCP 2026-07-28 and 2025-11-25, basic/authorization, runtime insufficient scope errors",
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[
        ex.challenging(_PROTECTED, "", NARROW_SCOPE),
        ex.challenging(_PROTECTED, 'Bearer error="insufficient_scope"', NARROW_SCOPE),
        ex.called(_PROTECTED, _NARROW, isError=True),
    ],
)
def narrow_scope_challenged(transcript: Transcript) -> Iterator[Said]:
    """A call beyond a token's scopes is answered with 403 and what to ask for.

    Why: a client steps up by itself where it is told the scope, and gives up where it is not. Fix:
    answer 403 with `WWW-Authenticate: Bearer error="insufficient_scope", scope="…",
    resource_metadata="…"`.
    """
    exchange = one(transcript, _NARROW)
    if exchange is None:
        yield _why_not_called(transcript)
        return
    if exchange.failure is not None or (unreached(exchange) and exchange.status != 403):
        yield Inconclusive(unreached(exchange))
        return
    if succeeded(exchange):
        yield NotApplicable("the call is served")
        return
    if not _is_served_to_the_profile(transcript):
        yield Inconclusive("the same call does not succeed with the profile's own credential")
        return
    challenge = bearer_of(exchange.headers)
    told = {} if challenge is None else dict(challenge.parameters)
    missing = [name for name in ("scope", "resource_metadata") if not told.get(name)]
    if told.get("error") != "insufficient_scope":
        missing.insert(0, "error")
    if exchange.status != 403 or missing:
        yield Violation(
            "the refusal of a token's scope does not say what to ask for",
            path=_NARROW,
            pointer="/headers/www-authenticate",
            seen=f"{refusal(exchange)}; its challenge lacks {', '.join(missing) or 'nothing'}",
            expected="HTTP 403, error insufficient_scope, scope, resource_metadata",
        )


def _why_not_called(transcript: Transcript) -> Said:
    context = known(transcript)
    if other := over_http_only(transcript):
        return other
    if not context:
        return not_made(_NARROW)
    if why := context["missing"].get(NARROW_SCOPE):
        return Inconclusive(f"the profile's token of narrow scope cannot be used: {why}")
    if NARROW_SCOPE not in context["declared"]:
        return NotApplicable(f"the profile names no {NARROW_SCOPE} token in authorization.negative")
    if context["narrow"] not in transcript.safe_calls:
        return Inconclusive(f"tool {cut(context['narrow'])} is not safe to call")
    return not_made(_NARROW)


def _is_served_to_the_profile(transcript: Transcript) -> bool:
    call = one(transcript, f"{probes.SAFE_CALL}{known(transcript).get('narrow')}:0")
    answered = call is not None and not unanswered(call)
    return answered and succeeded(call) and lets_the_profile_in(transcript)


def _probe_of(exchange: Exchange | None) -> str:
    return "" if exchange is None else exchange.probe
