"""Transcripts of a deployment with two instances, for the examples of live checks."""

from dataclasses import replace

from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.schema import LEGACY, MODERN
from bundles.transcript import Transcript


def two_instances(*, revision: str = MODERN) -> Transcript:
    """Both say the same; each tool has a page of its own."""
    healthy = _paged(ex.healthy(revision=revision))
    first = probes.INITIALIZE if revision == LEGACY else probes.DISCOVER
    pages = healthy.of(probes.TOOLS_LIST)
    prefix = f"{probes.INSTANCE}1:"
    made = [
        replace(healthy.of(first)[0], probe=f"{prefix}discover"),
        *(replace(page, probe=f"{prefix}list") for page in pages),
        replace(pages[1], probe=f"{prefix}cursor"),
    ]
    exchanges = (*healthy.exchanges, *made)
    numbered = tuple(replace(exchange, seq=seq) for seq, exchange in enumerate(exchanges))
    told = replace(healthy, exchanges=numbered)
    return ex.knowing(told, **{probes.CONTEXT_INSTANCES: 1})


def _paged(transcript: Transcript) -> Transcript:
    """With the list over two pages."""
    made = []
    for exchange in transcript.exchanges:
        if exchange.probe != probes.TOOLS_LIST or exchange.message is None:
            made.append(exchange)
            continue
        result = dict(exchange.result)
        for page in ({"tools": [ex.FORECAST], "nextCursor": "1"}, {"tools": [ex.SAVE]}):
            message = {**exchange.message, "result": {**result, **page}}
            made.append(replace(exchange, message=message))
    return replace(transcript, exchanges=tuple(made))
