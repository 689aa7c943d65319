"""Requests whose HTTP headers and body do not say the same, or say it in an unusual spelling."""

from collections.abc import AsyncIterator, Mapping, Sequence

from bundles.mcp import probes, wire
from bundles.mcp.parameter_headers import in_base64
from bundles.mcp.tools import Tool
from bundles.transcript import Exchange
from workers.endpoints import HttpEndpoint
from workers.probes.aside import WAIT_S, first_method, until_deaf
from workers.probes.calls import SafeCall, allowed_calls, unlisted_name
from workers.probes.conversation import HeaderLine
from workers.probes.mirror import mirrored_headers
from workers.probes.observation import Line, Observation

_OTHER_VERSION = "2099-01-01"
_VERSION = "mcp-protocol-version"
_METHOD = "mcp-method"
_NAME = "mcp-name"
_PARAMETER = "mcp-param-"

_WRONG: dict[str, Mapping[str, str | None]] = {
    "session": {
        "mcp-session-id": "bundlegate-no-such-session",
        "last-event-id": "bundlegate-no-such-event",
    },
    "version-absent": {_VERSION: None},
    "version-other": {_VERSION: _OTHER_VERSION},
    "method-absent": {_METHOD: None},
    "method-other": {_METHOD: "tools/list"},
    "method-case": {_METHOD: "SERVER/DISCOVER"},
}
"""Headers of a discover to set or, with None, to leave out; the first of them is allowed."""

_NO_BASE64 = "=?base64?%%%?="
_SOMETHING_ELSE = "bundlegate-something-else"
_VERBS_WAIT_S = 2.0
_MOST_TOOLS = 4


async def headers(
    observation: Observation, line: Line, tools: Mapping[str, Tool]
) -> list[Exchange]:
    """What is allowed first, so that what is not cannot spoil it; nothing over stdio."""
    if not observation.over_http:
        return []
    made = await until_deaf(_spelt(observation, line))
    if observation.plan.revision == wire.LEGACY:
        return made
    calls = await allowed_calls(observation.plan.safe_calls, tools, observation.judge)
    made += await until_deaf(_spoilt(line))
    if tools:
        made += await until_deaf(_named(line, tools, calls))
    return made + await until_deaf(_mirrored(observation, line, calls))


async def verbs(observation: Observation) -> list[Exchange]:
    """The endpoint asked with GET and with DELETE, on connections of its own; none over stdio."""
    if not isinstance(observation.endpoint, HttpEndpoint):
        return []
    async with observation.at(observation.endpoint) as conversation:
        return [
            observation.tell(
                await conversation.ask(probes.VERB + verb, verb, timeout_s=_VERBS_WAIT_S)
            )
            for verb in ("GET", "DELETE")
        ]


async def _spelt(observation: Observation, line: Line) -> AsyncIterator[list[Exchange]]:
    method = first_method(observation.plan.revision)
    probe = f"{probes.HEADER}names-upper"
    yield [await line.call(probe, method, None, written=_in_capitals, timeout_s=WAIT_S)]


async def _spoilt(line: Line) -> AsyncIterator[list[Exchange]]:
    method = first_method(wire.MODERN)
    for name, changes in _WRONG.items():
        probe = probes.HEADER + name
        yield [await line.call(probe, method, None, headers=changes, timeout_s=WAIT_S)]
    meta = {"_meta": {wire.PROTOCOL_VERSION_KEY: _OTHER_VERSION}}
    kept = {_VERSION: wire.MODERN}
    probe = f"{probes.HEADER}body-version-other"
    yield [await line.call(probe, method, meta, headers=kept, timeout_s=WAIT_S)]
    for name, written in (("method-twice", _twice), ("method-twice-reversed", _reversed)):
        probe = probes.HEADER + name
        yield [await line.call(probe, method, None, written=written, timeout_s=WAIT_S)]


async def _named(
    line: Line, tools: Mapping[str, Tool], calls: Sequence[SafeCall]
) -> AsyncIterator[list[Exchange]]:
    """Calls with one Mcp-Name. What is to be served has no tool; what is not, a safe one."""
    name = unlisted_name(tools)
    unknown = {"name": name, "arguments": {}}
    encoded = {_NAME: in_base64(name)}
    probe = f"{probes.HEADER}name-encoded"
    yield [await line.call(probe, "tools/call", unknown, headers=encoded, timeout_s=WAIT_S)]
    probe = f"{probes.HEADER}name-padded"
    yield [await line.call(probe, "tools/call", unknown, written=_padded, timeout_s=WAIT_S)]
    safe = ({"name": tool, "arguments": given} for tool, _, given in calls if tool in tools)
    named = next(safe, unknown)
    for how, value in (("absent", None), ("other", _SOMETHING_ELSE), ("malformed", _NO_BASE64)):
        probe = f"{probes.HEADER}name-{how}"
        spoilt = {_NAME: value}
        yield [await line.call(probe, "tools/call", named, headers=spoilt, timeout_s=WAIT_S)]


async def _mirrored(
    observation: Observation, line: Line, calls: Sequence[SafeCall]
) -> AsyncIterator[list[Exchange]]:
    """Safe calls with one of the headers their arguments are mirrored into, one call a tool."""
    schemas = observation.terms.tools
    asked: set[str] = set()
    for tool, number, arguments in calls:
        params = {"name": tool, "arguments": arguments}
        mirrored = mirrored_headers({"method": "tools/call", "params": params}, schemas)
        header = next((name for name in mirrored if name.startswith(_PARAMETER)), None)
        if header is None or tool in asked or len(asked) >= _MOST_TOOLS:
            continue
        asked.add(tool)
        for name, value in _values(mirrored[header]):
            probe = f"{probes.PARAMETER}{name}:{tool}:{number}"
            spoilt = {header: value}
            yield [await line.call(probe, "tools/call", params, headers=spoilt, timeout_s=WAIT_S)]


def _values(value: str) -> Sequence[tuple[str, str | None]]:
    encoded = value if value.startswith("=?base64?") else in_base64(value)
    return (
        ("encoded", encoded),
        ("absent", None),
        ("other", _SOMETHING_ELSE),
        ("malformed", _NO_BASE64),
    )


def _in_capitals(name: str, value: str) -> Sequence[HeaderLine]:
    return ((name.upper(), value),)


def _twice(name: str, value: str) -> Sequence[HeaderLine]:
    return ((name, value), (name, "tools/list")) if name == _METHOD else ((name, value),)


def _reversed(name: str, value: str) -> Sequence[HeaderLine]:
    return _twice(name, value)[::-1]


def _padded(name: str, value: str) -> Sequence[HeaderLine]:
    return ((name, f" \t {value} \t "),) if name == _NAME else ((name, value),)
