"""How a server turns down a request whose HTTP headers do not say what its body says."""

from collections.abc import Collection, Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Violation
from bundles.mcp.opening import opening_of
from bundles.mcp.probes import TOOLS_LIST
from bundles.mcp.reading import has_no_tools, not_made, refusal, unanswered, unreached
from bundles.mcp.refusals import is_served, over_http_only
from bundles.mcp.schema import LEGACY
from bundles.mcp.tools import gap_in, listed_tools
from bundles.transcript import Exchange, Transcript

HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022


_REPEATING = "requests before 2026-07-28 do not repeat their body in headers"


def of_older_era(transcript: Transcript, why: str = _REPEATING) -> NotApplicable | None:
    """Why a check of HTTP as 2026-07-28 has it does not apply, None where it does.

    Args:
        transcript: what a run saw.
        why: what was otherwise before, in words.
    """
    if other := over_http_only(transcript):
        return other
    return NotApplicable(why) if transcript.revision == LEGACY else None


def asked(transcript: Transcript, probe: str) -> Exchange | Said:
    """The exchange of a stimulus, or why it says nothing about headers."""
    exchange = next(iter(transcript.of(probe)), None)
    if exchange is None:
        return not_made(probe)
    if why := unreached(exchange):
        return Inconclusive(why)
    if not isinstance(opening_of(transcript).result, dict):
        return Inconclusive("the well-formed request is not served, so a spoilt one says nothing")
    return exchange


def must_mismatch(
    transcript: Transcript,
    probe: str,
    what: str,
    codes: Collection[int] = (HEADER_MISMATCH,),
) -> Iterator[Said]:
    """Say where a stimulus is not refused with HTTP 400 and the error for headers.

    Args:
        transcript: what a run saw.
        probe: id of the stimulus.
        what: the request in words, as in "without Mcp-Method".
        codes: the error codes that say why.
    """
    exchange = asked(transcript, probe)
    if isinstance(exchange, Exchange):
        yield from mismatched(exchange, what, codes)
    else:
        yield exchange


def mismatched(
    exchange: Exchange, what: str, codes: Collection[int] = (HEADER_MISMATCH,)
) -> Iterator[Said]:
    """The same of an exchange that was answered."""
    code = exchange.error.get("code") if exchange.error else None
    if exchange.status != 400 or code not in codes:
        served = is_served(exchange)
        yield Violation(
            f"a request {what} is {'served' if served else 'not refused as such'}",
            path=exchange.probe,
            pointer="/error/code",
            seen=refusal(exchange),
            expected=f"HTTP 400, error {' or '.join(map(str, codes))}",
        )


def must_be_read(transcript: Transcript, probe: str, what: str) -> Iterator[Said]:
    """Say where a request that says the same in headers and body gets no result."""
    exchange = asked(transcript, probe)
    if not isinstance(exchange, Exchange):
        yield exchange
    elif unanswered(exchange) and exchange.status in {None, 200}:
        yield Inconclusive(unanswered(exchange))
    elif exchange.message is None or "result" not in exchange.message:
        yield Violation(
            f"a request {what} is refused",
            path=probe,
            seen=refusal(exchange),
            expected="a result",
        )


def must_be_read_alike(transcript: Transcript, probe: str, plain: str, what: str) -> Iterator[Said]:
    """Say where a tools/call is refused for its headers though they say what its body says.

    Whatever else is wrong with the call is no matter: the one that says it plainly has it too.

    Args:
        transcript: what a run saw.
        probe: id of the stimulus.
        plain: id of the same call with the headers every client sends.
        what: the request in words.
    """
    usual, exchange = asked(transcript, plain), asked(transcript, probe)
    if not isinstance(exchange, Exchange):
        yield exchange
    elif not isinstance(usual, Exchange) or unanswered(usual) or _is_mismatch(usual):
        yield Inconclusive(f"{probe}: the same call with plain headers is not answered")
    elif _is_mismatch(exchange) or (exchange.message is None and exchange.status == 400):
        yield Violation(
            f"a request {what} is refused",
            path=probe,
            pointer="/error/code",
            seen=refusal(exchange),
            expected=refusal(usual),
        )
    elif unanswered(exchange):
        yield Inconclusive(unanswered(exchange))


def _is_mismatch(exchange: Exchange) -> bool:
    return exchange.error is not None and exchange.error.get("code") == HEADER_MISMATCH


def lists_no_tools(transcript: Transcript) -> NotApplicable | None:
    """Why a check of tools does not apply, None where a tool is listed or the list is not whole."""
    whole = not gap_in(transcript.of(TOOLS_LIST))
    none = has_no_tools(transcript) or (whole and not listed_tools(transcript))
    return NotApplicable("the server lists no tools") if none else None
