"""Reading who was let in: the stimuli of `bundles.mcp.probes.AUTH`, shared by the checks of them.

The door is what the server refuses to callers without a credential. Without a door nothing can be
said about tokens; without the profile's own credential passing it, a refusal of another one means
nothing.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.check import Inconclusive, NotApplicable, Said, Violation
from bundles.mcp import probes
from bundles.mcp.authorization import NEGATIVE
from bundles.mcp.challenge import Challenge, bearer_of, challenges
from bundles.mcp.reading import not_made, refusal, unreached
from bundles.mcp.refusals import over_http_only
from bundles.transcript import Exchange, Transcript

OPEN = NotApplicable("the server serves callers without a credential, so it asks for no tokens")
_OWN = (probes.DISCOVER, probes.INITIALIZE, probes.TOOLS_LIST)
_LIST, _CALL = f"{probes.AUTH}none", f"{probes.AUTH}none-call"
ANSWERS_OF_GATEWAYS = frozenset({407, 429, 502, 503, 504})


def known(transcript: Transcript) -> Mapping[str, Any]:
    """`probes.CONTEXT_AUTHORIZATION`; empty where the run did not look."""
    context = transcript.context.get(probes.CONTEXT_AUTHORIZATION)
    return context if isinstance(context, dict) else {}


def one(transcript: Transcript, probe: str) -> Exchange | None:
    """The first exchange of a probe, None where it was not made."""
    return next(iter(transcript.of(probe)), None)


def is_turned_away(exchange: Exchange) -> bool:
    """Whether somebody was refused for who they are."""
    return exchange.status in (401, 403) and "result" not in (exchange.message or {})


def lets_the_profile_in(transcript: Transcript) -> bool:
    """Whether the profile's own credential got an answer of the server."""
    own = [exchange for probe in _OWN for exchange in transcript.of(probe)]
    return any(e.message is not None and not unreached(e) for e in own) and not any(
        is_turned_away(e) for e in own
    )


def turned_away(transcript: Transcript) -> Exchange | None:
    """The refusal of a caller without a credential, None where there was none."""
    asked = (_LIST, _CALL) if known(transcript).get("credential") else _OWN
    return next((e for probe in asked for e in transcript.of(probe) if is_turned_away(e)), None)


def without_a_door(transcript: Transcript) -> Said | None:
    """Why nothing can be said about tokens, None where there is a door."""
    if other := over_http_only(transcript):
        return other
    if not known(transcript):
        return not_made(_LIST)
    if turned_away(transcript) is not None:
        return None
    if not known(transcript)["credential"]:
        own = next((e for probe in _OWN for e in transcript.of(probe) if unreached(e)), None)
        return OPEN if own is None else Inconclusive(unreached(own))
    asked = one(transcript, _LIST)
    if asked is None:
        return not_made(_LIST)
    if why := unreached(asked):
        return Inconclusive(why)
    if "result" in (asked.message or {}) or _as_to_the_profile(transcript, asked):
        return OPEN
    return Inconclusive(f"{_LIST}: what callers without a credential get is {refusal(asked)}")


def _as_to_the_profile(transcript: Transcript, asked: Exchange) -> bool:
    """Whether the list is refused to the profile with the same error, as where there is none."""
    own = one(transcript, probes.TOOLS_LIST)
    if own is None or own.error is None or asked.error is None:
        return False
    return own.error.get("code") == asked.error.get("code")


def challenge_of(transcript: Transcript) -> Challenge | None:
    """The Bearer challenge that callers without a credential get."""
    refused = turned_away(transcript)
    return None if refused is None else bearer_of(refused.headers)


def speaks_for_itself(transcript: Transcript) -> bool:
    """Whether a refusal is known to be the server's: it lets the profile in, or asks for tokens."""
    return lets_the_profile_in(transcript) or challenge_of(transcript) is not None


def without_oauth(transcript: Transcript) -> Said | None:
    """Why the rules of OAuth do not hold for the server, None where they do."""
    if said := without_a_door(transcript):
        return said
    refused = turned_away(transcript)
    field = "" if refused is None else refused.headers.get("www-authenticate", "")
    asked = [challenge.scheme for challenge in challenges(field)]
    context = known(transcript)
    if context["credential"] and not context["bearer"]:
        return NotApplicable("the profile's credential is no bearer token, so this is no OAuth")
    if not context["credential"] and asked and "bearer" not in asked:
        return NotApplicable(f"the server asks for {asked[0]}, and MCP leaves authorization open")
    if not speaks_for_itself(transcript):
        return Inconclusive("nobody was let in, so who refuses, and why, is not known")
    return None


def why_not_asked(transcript: Transcript, name: str, what: str) -> Said:
    """Why the door was not tried with a credential."""
    context = known(transcript)
    if other := over_http_only(transcript):
        return other
    if not context:
        return not_made(probes.AUTH + name)
    if why := context["missing"].get(name):
        return Inconclusive(f"the profile names {what}, and it cannot be used: {why}")
    if name in NEGATIVE and name not in context["declared"]:
        return NotApplicable(f"the profile names no {name} token in authorization.negative")
    return without_a_door(transcript) or not_made(probes.AUTH + name)


def must_stay_out(transcript: Transcript, name: str, what: str) -> Iterator[Said]:
    """Say where a credential is not answered with 401 at the door.

    Args:
        transcript: what a run saw.
        name: of the stimulus, after `probes.AUTH`.
        what: the credential in words, as in "an expired token".
    """
    probe = probes.AUTH + name
    exchange = one(transcript, probe)
    if exchange is None:
        yield why_not_asked(transcript, name, what)
    elif exchange.failure is not None or exchange.status in ANSWERS_OF_GATEWAYS:
        yield Inconclusive(unreached(exchange))
    elif is_opened(transcript, exchange):
        yield Violation(
            f"{what} is served", path=probe, seen=refusal(exchange), expected="HTTP 401"
        )
    elif not lets_the_profile_in(transcript):
        yield Inconclusive("the profile's own credential is refused as well")
    elif exchange.status != 401:
        yield Violation(
            f"{what} is not refused with 401",
            path=probe,
            seen=refusal(exchange),
            expected="HTTP 401",
        )


def must_not_serve(transcript: Transcript, name: str, what: str) -> Iterator[Said]:
    """Say where a way to bring a credential that clients must not use opens the door."""
    probe = probes.AUTH + name
    exchange = one(transcript, probe)
    if exchange is None:
        yield why_not_asked(transcript, name, what)
    elif exchange.failure is not None or exchange.status in ANSWERS_OF_GATEWAYS:
        yield Inconclusive(unreached(exchange))
    elif is_opened(transcript, exchange):
        yield Violation(
            f"{what} is served", path=probe, seen=refusal(exchange), expected="HTTP 401"
        )
    elif not lets_the_profile_in(transcript):
        yield Inconclusive("the profile's own credential is refused as well")


def is_opened(transcript: Transcript, exchange: Exchange) -> bool:
    """Whether a request came past the door: a result, or the error that its own method gives."""
    if exchange.error is None:
        return "result" in (exchange.message or {})
    unknown = one(transcript, probes.UNKNOWN_TOOL)
    usual = unknown.error.get("code") if unknown is not None and unknown.error else None
    asked = exchange.request.get("method") == "tools/call"
    return asked and exchange.status != 401 and exchange.error.get("code") == usual


def succeeded(exchange: Exchange | None) -> bool:
    """Whether a call came to a result that is no error."""
    result = None if exchange is None else exchange.result
    return isinstance(result, dict) and result.get("isError") is not True
