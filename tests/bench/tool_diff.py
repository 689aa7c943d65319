"""All tools of a large server, two versions, against plain containment of the same schemas."""

import json
from typing import Any

from jsonschema_rs import Draft202012, canonical, canonicalize

from bundles.compat.containment import compare as contains
from bundles.mcp.snapshot import Snapshot, read_snapshot
from bundles.mcp.snapshot_diff import compare
from tests.bench.measured import Measured, interleaved

TOOLS = 117
_MEMBERS = 8


def measure() -> list[Measured]:
    old, new = version(0), version(1)

    def ours() -> None:
        assert len(compare(old, new, contains).by_tool) == TOOLS

    def floor() -> None:
        for was, now in zip(old.tools, new.tools, strict=True):
            for member in ("inputSchema", "outputSchema"):
                reader, writer = _canonical(now[member]), _canonical(was[member])
                assert isinstance(reader.covers(writer), canonical.Containment)

    medians = interleaved(ours, floor, rounds=15)
    note = f"canonicalising the input and output schemas of {TOOLS} tools, and `covers`"
    return [Measured(f"diff of {TOOLS} tools, each changed", *medians, 3, note)]


def version(number: int) -> Snapshot:
    """A server's tools; in version 1 each takes and tells another member."""
    text = json.dumps({"tools": [_tool(at, number) for at in range(TOOLS)]})
    return read_snapshot(json.loads(text), text)


def _tool(at: int, number: int) -> dict[str, Any]:
    members: dict[str, Any] = {
        f"member_{n}": {"type": "string", "description": f"What member {n} is.", "maxLength": 64}
        for n in range(_MEMBERS + number)
    }
    members["state"] = {"type": "string", "enum": ["open", "closed", "all"]}
    members["page"] = {"type": "integer", "minimum": 1, "maximum": 100 + number}
    told = {name: schema for name, schema in members.items() if name != "page"}
    answer = {"items": {"type": "array", "items": {"type": "object", "properties": told}}}
    return {
        "name": f"tool_{at}",
        "description": f"Does thing {at}, as version {number} does it.",
        "inputSchema": {"type": "object", "properties": members, "required": ["member_0"]},
        "outputSchema": {"type": "object", "properties": answer},
        "annotations": {"readOnlyHint": True},
    }


def _canonical(schema: Any) -> Any:
    return canonicalize(schema, draft=Draft202012, offline=True)
