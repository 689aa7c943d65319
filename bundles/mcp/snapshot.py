"""Snapshots of a tool list, and what changed between two of them; pure.

Two tools are the same when their digests are (`bundles.mcp.tools`): formatting, key order and
spelled-out annotation defaults make no difference. What a change means for consumers is not judged
here beyond its kind: an added tool is compatible, a removed one breaks, a changed one is a risk.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from bundles.canonical import canonical_bytes
from bundles.errors import Refused
from bundles.limits import DEFAULT_LIMITS
from bundles.mcp.tools import Tool, by_name, effective, list_digest, tool_digest
from bundles.reasons import reason

SNAPSHOT_SHAPE = reason(
    "SNAPSHOT_SHAPE",
    "A document is no tool snapshot.",
    "give a tools/list result, or an array of tools that each have a name of their own",
)
TOOL_ADDED = reason(
    "SNAPSHOT_TOOL_ADDED",
    "A tool is in the new snapshot only.",
    "nothing: consumers of the old snapshot are not affected",
)
TOOL_REMOVED = reason(
    "SNAPSHOT_TOOL_REMOVED",
    "A tool is in the old snapshot only.",
    "keep the tool until no consumer calls it",
)
TOOL_CHANGED = reason(
    "SNAPSHOT_TOOL_CHANGED",
    "A tool is defined differently.",
    "review the member named, and take a new snapshot when consumers can live with it",
)
ORDER_CHANGED = reason(
    "SNAPSHOT_ORDER_CHANGED",
    "The same tools are listed in another order.",
    "list tools in a fixed order, so that prompt caches of clients hold",
)


class Compatibility(IntEnum):
    """Verdicts of a diff, mildest first."""

    IDENTICAL = 0
    COMPATIBLE = 1
    RISK = 2
    BREAKING = 3

    @property
    def word(self) -> str:
        """The verdict as it is printed."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. `path` is the JSON pointer of the tool's member, "" for the whole tool."""

    tool: str
    kind: str
    path: str
    verdict: Compatibility
    reason_code: str

    def to_dict(self) -> dict[str, Any]:
        """{"tool", "kind", "path", "verdict", "reason_code"}."""
        return {
            "tool": self.tool,
            "kind": self.kind,
            "path": self.path,
            "verdict": self.verdict.word,
            "reason_code": self.reason_code,
        }


@dataclass(frozen=True, slots=True)
class SnapshotDiff:
    """All differences: removed, changed and added tools in name order, then the order."""

    changes: tuple[Change, ...]

    @property
    def verdict(self) -> Compatibility:
        """The gravest of the changes."""
        return max((c.verdict for c in self.changes), default=Compatibility.IDENTICAL)

    def to_dict(self) -> dict[str, Any]:
        """{"verdict", "changes": […]}."""
        return {"verdict": self.verdict.word, "changes": [c.to_dict() for c in self.changes]}


def read_tools(document: object, path: str = "") -> tuple[Tool, ...]:
    """The tools of a snapshot document: a tools/list result, or an array of tools.

    Raises:
        Refused: SNAPSHOT_SHAPE, with the pointer of what is wrong.
    """
    listed, at = document, ""
    if isinstance(document, dict):
        listed, at = document.get("tools"), "/tools"
    if not isinstance(listed, list):
        raise Refused(SNAPSHOT_SHAPE, "there is no array of tools", path=path, pointer=at)
    if len(listed) > DEFAULT_LIMITS.tools:
        raise Refused(
            SNAPSHOT_SHAPE,
            "too many tools",
            path=path,
            pointer=at,
            seen=len(listed),
            expected=DEFAULT_LIMITS.tools,
        )
    names: set[str] = set()
    for index, tool in enumerate(listed):
        name = tool.get("name") if isinstance(tool, dict) else None
        if not isinstance(name, str) or name in names:
            what = "two tools have this name" if isinstance(name, str) else "no tool with a name"
            raise Refused(SNAPSHOT_SHAPE, what, path=path, pointer=f"{at}/{index}", seen=name)
        names.add(name)
    return tuple(listed)


def snapshot_document(tools: Sequence[Tool], **facts: Any) -> dict[str, Any]:
    """A snapshot to keep: the tools as served, their digests, and facts outside every digest.

    It is a tools/list result with more beside it, so `read_tools` and bundles take it.

    Raises:
        Refused: a tool has no canonical form.
    """
    return {
        **facts,
        "digest": list_digest(tools),
        "tool_digests": {name: tool_digest(tool) for name, tool in by_name(tools).items()},
        "tools": [dict(tool) for tool in tools],
    }


def diff(old: Sequence[Tool], new: Sequence[Tool]) -> SnapshotDiff:
    """What changed between two snapshots of one profile.

    Raises:
        Refused: a tool has no canonical form.
    """
    before, after = by_name(old), by_name(new)
    changes = [
        Change(name, "removed", "", Compatibility.BREAKING, TOOL_REMOVED)
        for name in sorted(before.keys() - after.keys())
    ]
    common = before.keys() & after.keys()
    for name in sorted(common):
        changes += _changes_of(name, before[name], after[name])
    changes += [
        Change(name, "added", "", Compatibility.COMPATIBLE, TOOL_ADDED)
        for name in sorted(after.keys() - before.keys())
    ]
    if [n for n in before if n in common] != [n for n in after if n in common]:
        changes.append(Change("", "reordered", "", Compatibility.COMPATIBLE, ORDER_CHANGED))
    return SnapshotDiff(tuple(changes))


def _changes_of(name: str, old: Tool, new: Tool) -> list[Change]:
    if tool_digest(old) == tool_digest(new):
        return []
    before, after = effective(old), effective(new)
    return [
        Change(name, "changed", _pointer(member), Compatibility.RISK, TOOL_CHANGED)
        for member in sorted(before.keys() | after.keys())
        if _canonical(before, member) != _canonical(after, member)
    ]


def _canonical(tool: Tool, member: str) -> bytes:
    """Canonical bytes of a member; b"" where it is absent, which no value is."""
    return canonical_bytes(tool[member]) if member in tool else b""


def _pointer(member: str) -> str:
    return "/" + member.replace("~", "~0").replace("/", "~1")
