"""Which credentials open the door of a protected server: the right one, in the right place."""

from collections.abc import Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Subject, Violation, check
from bundles.mcp import example_protected as ex
from bundles.mcp import probes
from bundles.mcp.admission import (
    OPEN,
    is_turned_away,
    known,
    must_not_serve,
    must_stay_out,
    one,
    speaks_for_itself,
    turned_away,
    without_a_door,
)
from bundles.mcp.authorization import OTHER_PRINCIPAL
from bundles.mcp.reading import not_made, refusal, unreached
from bundles.mcp.refusals import over_http_only
from bundles.mcp.schema import LEGACY
from bundles.mcp.tools import listed_tools, tools_in
from bundles.transcript import Transcript
from bundles.verdict import Layer, Severity, Stage

_PROTECTED = ex.protected()
_PROTECTED_LEGACY = ex.protected(revision=LEGACY)
_NONE = f"{probes.AUTH}none"
_SPEC = "MCP 2026-07-28 and 2025-11-25, basic/authorization, token handling"


@check(
    id="mcp.auth.missing-token-refused",
    reason_code="MISSING_TOKEN_ACCEPTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, basic/authorization, error handling",
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public(), ex.public(transport="stdio")],
    rejects=[
        ex.serving_anybody(),
        ex.refused_with(_PROTECTED, "none", 403),
        ex.refused_with(_PROTECTED, "none", 400),
    ],
)
def missing_token_refused(transcript: Transcript) -> Iterator[Said]:
    """A protected server answers a request without a token with 401.

    A server counts as protected when it publishes OAuth metadata, or the profile names tokens that
    must be refused, and the profile carries a credential. One that serves everybody the same
    although nothing says that it is protected is public, which is its right.

    Why: whoever finds the address is served. Fix: answer 401 to every request without a valid
    token; where anybody may call the server, take the credential out of the profile.
    """
    refused = turned_away(transcript)
    said = without_a_door(transcript)
    asked = one(transcript, _NONE)
    if said == OPEN:
        yield from _serves_everybody(transcript)
    elif refused is None and (asked is None or unreached(asked)):
        yield said or not_made(_NONE)
    elif not speaks_for_itself(transcript):
        yield Inconclusive("nobody was let in, so who refuses, and why, is not known")
    elif refused is None or refused.status != 401:
        last = refused or asked
        yield Violation(
            "a request without a credential is not refused with 401",
            path=_NONE if last is None else last.probe,
            seen="no answer" if last is None else refusal(last),
            expected="HTTP 401",
        )


def _serves_everybody(transcript: Transcript) -> Iterator[Said]:
    context = known(transcript)
    refused = [name for name in context["declared"] if name != OTHER_PRINCIPAL]
    claimed = refused or any(
        e.status == 200 and e.body.lstrip().startswith("{")
        for e in transcript.starting(probes.METADATA)
    )
    if not context["credential"] or not claimed:
        yield OPEN
        return
    anonymous = transcript.of(_NONE)
    own = transcript.of(probes.TOOLS_LIST)[:1]
    if tools_in(anonymous) != tools_in(own):
        yield NotApplicable("callers without a credential are served a list of their own")
        return
    call = one(transcript, f"{_NONE}-call")
    if call is None or unreached(call):
        yield Inconclusive("whether calls need a credential is not known")
        return
    yield Violation(
        f"all {len(listed_tools(transcript))} tools are served without a credential",
        path=_NONE,
        seen="the list the profile's credential gets",
        expected="HTTP 401",
    )


@check(
    id="mcp.auth.invalid-token-refused",
    reason_code="INVALID_TOKEN_ACCEPTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[
        ex.served(_PROTECTED, "invalid"),
        ex.refused_with(_PROTECTED, "invalid", 403),
        ex.refused_with(_PROTECTED, "invalid", 500),
    ],
)
def invalid_token_refused(transcript: Transcript) -> Iterator[Said]:
    """A bearer token nobody issued is answered with 401.

    Why: a server that takes any token protects nothing, and a client renews its token only on 401.
    Fix: validate signature, issuer, audience and time of every token, and answer 401.
    """
    yield from must_stay_out(transcript, "invalid", "a token nobody issued")


@check(
    id="mcp.auth.expired-token-refused",
    reason_code="EXPIRED_TOKEN_ACCEPTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[ex.served(_PROTECTED, "expired")],
)
def expired_token_refused(transcript: Transcript) -> Iterator[Said]:
    """A token whose time is over is answered with 401.

    Why: a token that was lost once works for ever. Fix: compare `exp` with the clock, allowing a
    few seconds at most.
    """
    yield from must_stay_out(transcript, "expired", "an expired token")


@check(
    id="mcp.auth.other-audience-refused",
    reason_code="OTHER_AUDIENCE_ACCEPTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec=f"{_SPEC}; RFC 8707",
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[ex.served(_PROTECTED, "other_audience")],
)
def other_audience_refused(transcript: Transcript) -> Iterator[Said]:
    """A token issued for another server is answered with 401.

    Why: any service its users trust could take their tokens and call this one. Fix: accept only
    tokens whose audience names this server.
    """
    yield from must_stay_out(transcript, "other_audience", "a token for another server")


@check(
    id="mcp.auth.other-issuer-refused",
    reason_code="OTHER_ISSUER_ACCEPTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[ex.served(_PROTECTED, "other_issuer")],
)
def other_issuer_refused(transcript: Transcript) -> Iterator[Said]:
    """A token of an issuer the server does not name is answered with 401.

    Why: whoever runs an authorization server could let themselves in. Fix: take the issuer, and
    its keys, from configuration and never from the token.
    """
    yield from must_stay_out(transcript, "other_issuer", "a token of another issuer")


@check(
    id="mcp.auth.token-in-url-refused",
    reason_code="TOKEN_IN_URL_ACCEPTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, basic/authorization, access token usage",
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[ex.served(_PROTECTED, "in_url")],
)
def token_in_url_refused(transcript: Transcript) -> Iterator[Said]:
    """A valid token in the query of the URL lets nobody in.

    Why: URLs end up in access logs, histories and referrers. Fix: read the token from the
    Authorization header alone.
    """
    yield from must_not_serve(transcript, "in_url", "a token in the URL")


@check(
    id="mcp.auth.basic-token-refused",
    reason_code="BASIC_TOKEN_ACCEPTED",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.POLICY,
    spec="MCP 2026-07-28 and 2025-11-25, basic/authorization, access token usage",
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[ex.served(_PROTECTED, "basic")],
)
def basic_token_refused(transcript: Transcript) -> Iterator[Said]:
    """The token as the password of Basic authentication lets nobody in.

    Why: browsers and tools store and resend Basic credentials by themselves. Fix: accept the scheme
    Bearer alone.
    """
    if known(transcript).get("credential") and not known(transcript)["bearer"]:
        yield NotApplicable("the profile's credential is no bearer token")
    elif known(transcript) and not known(transcript)["credential"]:
        yield NotApplicable("the profile carries no credential")
    else:
        yield from must_not_serve(transcript, "basic", "a token as a Basic password")


@check(
    id="mcp.auth.session-not-authentication",
    reason_code="SESSION_TAKEN_FOR_CREDENTIAL",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.SECURITY],
    layer=Layer.AUTHORIZATION,
    severity=Severity.MUST,
    spec="MCP 2025-11-25, basic/security_best_practices, session hijacking",
    accepts=[_PROTECTED, _PROTECTED_LEGACY, ex.public()],
    rejects=[ex.served(_PROTECTED_LEGACY, "session")],
)
def session_not_authentication(transcript: Transcript) -> Iterator[Said]:
    """In a session that was opened with a token, a request without one is refused.

    Why: whoever learns a session's id is let in as its owner. Fix: validate the token of every
    request, whatever session it names.
    """
    if transcript.revision != LEGACY:
        yield over_http_only(transcript) or NotApplicable("2026-07-28 has no sessions")
    elif not known(transcript).get("credential", True):
        yield NotApplicable("the profile carries no credential")
    elif _has_no_session(transcript):
        yield NotApplicable("the server opens no sessions")
    else:
        yield from must_not_serve(transcript, "session", "a session without a token")


def _has_no_session(transcript: Transcript) -> bool:
    opened = one(transcript, probes.INITIALIZE)
    return (
        opened is not None
        and opened.message is not None
        and not is_turned_away(opened)
        and "mcp-session-id" not in opened.headers
    )
