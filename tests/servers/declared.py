"""What the reference server says about itself: versions, capabilities, and the lists behind them.

What lies behind prompts and resources is `offers`' business.
"""

from typing import Any

from tests.servers import offers

Json = dict[str, Any]

MODERN = "2026-07-28"
LATER = "2026-12-01"


def supported(fault: str) -> list[str]:
    """The versions discover lists."""
    if fault == "revision-unlisted":
        return ["2026-01-01"]
    return [MODERN, LATER] if fault == "later-version-refused" else [MODERN]


def named_in_refusal(fault: str) -> list[str]:
    """The versions the refusal of an unknown one lists."""
    if fault == "revision-unlisted":
        return [MODERN]
    return [MODERN, LATER] if fault == "version-lists-differ" else supported(fault)


def capabilities(fault: str) -> Json:
    """Of both eras."""
    declared: Json = {"tools": {"listChanged": True}, "logging": {}, **offers.capabilities(fault)}
    if fault == "resource-subscription-refused":
        declared |= {"tools": {}, "resources": {"subscribe": True}}
    if fault == "extension-unprefixed":
        declared["extensions"] = {"forecasts": {}}
    return declared


def discovered(fault: str, time: int) -> Json:
    """The DiscoverResult; `time` counts how often it was asked for."""
    result = {
        "supportedVersions": supported(fault),
        "capabilities": capabilities(fault),
        "resultType": "complete",
        "ttlMs": 60_000,
        "cacheScope": "private",
    }
    if fault == "discover-misshapen":
        del result["resultType"]
    if fault == "discover-uncacheable":
        result["ttlMs"] = "60000"
    if fault == "discover-varies":
        result["instructions"] = f"You are visitor {time}."
    return result


def other(fault: str, method: str, *, modern: bool) -> Json | None:
    """What a method besides discovery and tools answers, None where there is none."""
    if method == "prompts/list" and fault == "input-required-on-list":
        asking = {"resultType": "input_required", "requestState": "s1"}
        return asking if modern else {"prompts": []}
    refuses = fault in {"subscription-refused", "resource-subscription-refused"}
    if method == "subscriptions/listen" and modern and not refuses:
        return {}  # said only after its acknowledgement (`tests.servers.streams`)
    if method == "initialize" and fault == "handshake-kept":
        return {"protocolVersion": MODERN, "capabilities": {}, "resultType": "complete"}
    kept = not modern or fault == "ping-kept"
    if method in {"ping", "logging/setLevel"} and kept:
        return {}
    return None
