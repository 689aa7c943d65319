"""The bytes of every answer: can every JSON reader take them, and all of them the same way?"""

from collections.abc import Iterator

from bundles.check import Inconclusive, Said, Subject, Violation, check
from bundles.json_reader import TEXT_BYTE_ORDER_MARK, TEXT_NOT_UTF8
from bundles.json_walk import JSON_DUPLICATE_KEY, JSON_LONE_SURROGATE
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import needs_the_server
from bundles.mcp.schema import cut
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Stage

_HEALTHY = ex.healthy()
_NAMES = {
    TEXT_NOT_UTF8: "the answer holds bytes that are not UTF-8",
    TEXT_BYTE_ORDER_MARK: "the answer begins with a byte order mark",
    JSON_DUPLICATE_KEY: "an object of the answer has the same key twice",
    JSON_LONE_SURROGATE: "a text of the answer holds half a character",
}


def _unreadable(code: str) -> Transcript:
    return ex.changed(_HEALTHY, probes.UNICODE_NAME, message=None, parse_error=f"{code}: where")


def ambiguous(exchange: Exchange) -> str:
    """What makes the bytes of an answer mean different things to different readers, or ""."""
    return _NAMES.get(exchange.parse_error.partition(":")[0], "")


@check(
    id="mcp.envelope.bytes-unambiguous",
    reason_code="ANSWER_BYTES_AMBIGUOUS",
    subject=Subject.TRANSCRIPT,
    stages=[Stage.CONFORMANCE, Stage.SECURITY],
    layer=Layer.PROTOCOL,
    severity=Severity.MUST,
    spec="MCP 2026-07-28 and 2025-11-25, basic/transports: UTF-8; RFC 8259, sections 4, 8.1, 8.2",
    accepts=[_HEALTHY, ex.changed(_HEALTHY, probes.UNICODE_NAME, parse_error="JSON_SYNTAX: x")],
    rejects=[_unreadable(code) for code in _NAMES],
)
@needs_the_server
def bytes_unambiguous(transcript: Transcript) -> Iterator[Said]:
    """Answers are UTF-8 without a byte order mark, a repeated key or half a surrogate pair.

    Why: readers repair these, each in its own way, so two clients see two answers. Fix: encode as
    UTF-8 on purpose (not in the locale's code page), and build JSON with a serializer.
    """
    read = 0
    for exchange in transcript.exchanges:
        read += exchange.message is not None
        if what := ambiguous(exchange):
            yield Violation(
                what, path=exchange.probe, seen=cut(exchange.body), witness=exchange.parse_error
            )
    if not read:
        yield Inconclusive("no answer of this run could be read")
