"""How a server turns down what is no request as it should be: read over HTTP and stdio alike."""

from collections.abc import Collection, Iterator

from bundles.check import Inconclusive, NotApplicable, Said, Violation
from bundles.mcp.probes import ALIVE
from bundles.mcp.reading import not_made, refusal, unreached
from bundles.mcp.schema import LEGACY, cut
from bundles.transcript import Exchange, Failure, Transcript


def must_be_refused(
    transcript: Transcript, probe: str, what: str, codes: Collection[int] = ()
) -> Iterator[Said]:
    """Say where a stimulus that is no request was served, or not refused as its transport wants.

    Over HTTP the answer has to have a 4xx status (before 2026-07-28: must not be a result; a wrong
    request that was taken for a notification is ignored, which is its refusal). Over stdio silence
    refuses as well, once a later request has its answer.

    Args:
        transcript: what a run saw.
        probe: id of the stimulus.
        what: the stimulus in words, as in "a batch".
        codes: the error codes it may be refused with, any where empty (2026-07-28 only).
    """
    exchange = next(iter(transcript.of(probe)), None)
    if exchange is None:
        yield not_made(probe)
        return
    if transcript.transport == "stdio" and exchange.failure is Failure.TIMEOUT:
        if why := _no_later_answer(transcript, probe):
            yield Inconclusive(why)
        return
    if why := unreached(exchange):
        yield Inconclusive(why)
    elif is_served(exchange):
        yield Violation(
            f"{what} is served", path=probe, seen=cut(exchange.body), expected="a refusal"
        )
    elif transcript.revision != LEGACY:
        yield from _refused_as_it_should_be(exchange, what, codes)


def is_served(exchange: Exchange) -> bool:
    """True where what came back is a result, or a batch of answers."""
    batch = exchange.message is None and exchange.body.lstrip().startswith("[")
    return batch or "result" in (exchange.message or {})


def _no_later_answer(transcript: Transcript, probe: str) -> str:
    alive = next(iter(transcript.of(ALIVE + probe)), None)
    if alive is None:
        return f"{probe}: no answer, and no later request to compare with"
    return unreached(alive)


def _refused_as_it_should_be(
    exchange: Exchange, what: str, codes: Collection[int]
) -> Iterator[Said]:
    code = exchange.error.get("code") if exchange.error else None
    if exchange.status is not None and not 400 <= exchange.status < 500:
        yield Violation(
            f"{what} is not refused with a 4xx status",
            path=exchange.probe,
            seen=refusal(exchange),
            expected="HTTP 400",
        )
    elif exchange.error is not None and codes and code not in codes:
        yield Violation(
            f"{what} is refused with another code",
            path=exchange.probe,
            pointer="/error/code",
            seen=cut(code),
            expected=" or ".join(map(str, codes)),
        )


def over_http_only(transcript: Transcript) -> NotApplicable | None:
    """Why a check of HTTP alone does not apply, None where it does."""
    return None if transcript.transport == "http" else NotApplicable("the server speaks over stdio")
