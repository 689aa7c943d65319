"""What changed between two snapshots of one profile; pure.

The rules of `bundles.compat.rules` say what changed and what it means; here is what they are asked
of. Schemas are compared by an engine that is passed in (`bundles.compat.subjects.Contains`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bundles.canonical import canonical_bytes, semantic_digest
from bundles.compat.change import Change, Diff
from bundles.compat.rule import Overrides, Scope, apply, overridden
from bundles.compat.schema_texts import bare, without_dialect
from bundles.compat.subjects import Contains, SchemaPair, SnapshotPair, ToolPair
from bundles.compat.verdict import Direction
from bundles.errors import Invalid, Refused
from bundles.mcp.snapshot import Snapshot
from bundles.mcp.tools import Tool, by_name, effective, one_dialect, tool_digest
from bundles.reasons import reason

SNAPSHOT_PROFILES_DIFFER = reason(
    "SNAPSHOT_PROFILES_DIFFER",
    "Two snapshots were taken under different profiles.",
    "compare snapshots of one profile; different tools for different credentials are no change",
)

_SCHEMAS = {
    "inputSchema": (Scope.INPUT, Direction.BACKWARD),
    "outputSchema": (Scope.OUTPUT, Direction.FORWARD),
}


def compare(
    old: Snapshot, new: Snapshot, contains: Contains, overrides: Overrides | None = None
) -> Diff:
    """What changed between two snapshots.

    Args:
        old: the snapshot that consumers rely on.
        new: the one that may take its place.
        contains: the engine for schemas.
        overrides: what a policy makes of rules.

    Raises:
        Invalid: SNAPSHOT_PROFILES_DIFFER.
        Refused: a tool has no canonical form.
    """
    if old.profile and new.profile and old.profile != new.profile:
        raise Invalid(
            SNAPSHOT_PROFILES_DIFFER,
            f"one is of the profile {old.profile}, the other of {new.profile}",
            seen=new.profile,
            expected=old.profile,
        )
    found = [*_tools(old.tools, new.tools, contains, _facts(old), _facts(new))]
    changes = tuple(overridden(change, overrides or {}) for change in found)
    return Diff(changes, _normalised(old, new, changes))


def diff(old: Sequence[Tool], new: Sequence[Tool], contains: Contains) -> Diff:
    """What changed between two lists of tools.

    Raises:
        Refused: a tool has no canonical form.
    """
    return Diff(tuple(_tools(old, new, contains, {}, {})))


def pair_of(
    old: Sequence[Tool],
    new: Sequence[Tool],
    old_facts: Mapping[str, Any],
    new_facts: Mapping[str, Any],
) -> SnapshotPair:
    """Two snapshots as the rules of a snapshot look at them."""
    before, after = by_name(old), by_name(new)
    return SnapshotPair(before, after, renames(before, after), old_facts, new_facts)


def _tools(
    old: Sequence[Tool],
    new: Sequence[Tool],
    contains: Contains,
    old_facts: Mapping[str, Any],
    new_facts: Mapping[str, Any],
) -> Iterator[Change]:
    pair = pair_of(old, new, old_facts, new_facts)
    yield from apply(Scope.SNAPSHOT, pair)
    names = [*pair.old, *pair.new]
    for name in sorted(pair.new):
        others = [other for other in names if other != name]
        if name not in pair.old:
            if name not in pair.renamed.values():
                arrived = ToolPair(name, {}, pair.new[name], others)
                yield from (c for c in apply(Scope.TOOL, arrived) if c.kind == "hidden")
        elif tool_digest(pair.old[name]) != tool_digest(pair.new[name]):
            was, now = pair.old[name], pair.new[name]
            yield from _schemas(name, was, now, contains)
            yield from apply(Scope.TOOL, ToolPair(name, effective(was), effective(now), others))


def _schemas(tool: str, old: Tool, new: Tool, contains: Contains) -> Iterator[Change]:
    for member, (scope, direction) in _SCHEMAS.items():
        was, now = old.get(member), new.get(member)
        if _is_reshaped(was, now):
            yield from apply(scope, SchemaPair(tool, was, now, direction, contains))


def _is_reshaped(old: Any, new: Any) -> bool:
    """Whether more than texts changed. Another dialect alone may change what keywords mean."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return isinstance(old, dict) or isinstance(new, dict)
    if one_dialect(old).get("$schema") != one_dialect(new).get("$schema"):
        return True
    old, new = without_dialect(old), without_dialect(new)
    return semantic_digest(bare(old)) != semantic_digest(bare(new))


def _facts(snapshot: Snapshot) -> Mapping[str, Any]:
    told = {"revision": snapshot.revision, "capabilities": snapshot.capabilities}
    return {**told, **snapshot.offers}


def renames(before: Mapping[str, Tool], after: Mapping[str, Tool]) -> dict[str, str]:
    """Old name → new name of tools with the same description and schemas, where just one fits."""
    gone, come = before.keys() - after.keys(), after.keys() - before.keys()
    kept: dict[bytes, list[str]] = {}
    for name in sorted(come):
        kept.setdefault(_likeness(after[name]), []).append(name)
    alike = Counter(_likeness(before[name]) for name in gone)
    return {
        name: kept[likeness][0]
        for name in sorted(gone)
        if (likeness := _likeness(before[name]))
        and alike[likeness] == 1
        and len(kept.get(likeness, [])) == 1
    }


def _likeness(tool: Tool) -> bytes:
    """What two names of one tool share; b"" where there is too little of it to tell tools apart."""
    whole = effective(tool)
    schema = whole.get("inputSchema")
    described = bool(whole.get("description"))
    if not described and not (isinstance(schema, dict) and schema.get("properties")):
        return b""
    members = ("description", *_SCHEMAS)
    try:
        return canonical_bytes({member: whole[member] for member in members if member in whole})
    except Refused:  # it has no canonical form, so nothing equals it
        return b""


def _normalised(old: Snapshot, new: Snapshot, changes: Sequence[Change]) -> dict[str, int]:
    """How many tools are spelled differently and mean the same, by what is spelled differently."""
    counted: Counter[str] = Counter()
    before, after = by_name(old.tools), by_name(new.tools)
    changed = {change.tool for change in changes}
    for name in (before.keys() & after.keys()) - changed:
        was, now = before[name], after[name]
        spelled: list[str] = []
        if canonical_bytes(was.get("annotations")) != canonical_bytes(now.get("annotations")):
            spelled.append("annotation_defaults")
        if any(_same_but_dialect(was.get(m), now.get(m)) for m in _SCHEMAS):
            spelled.append("schema_dialect")
        if _ordered(was) != _ordered(now) and canonical_bytes(was) == canonical_bytes(now):
            spelled.append("key_order")
        told = old.byte_digests.get(name), new.byte_digests.get(name)
        if not spelled and None not in told and told[0] != told[1]:
            spelled.append("whitespace")
        counted.update(spelled)
    return dict(sorted(counted.items()))


def _same_but_dialect(old: Any, new: Any) -> bool:
    if not isinstance(old, dict) or not isinstance(new, dict):
        return False
    return bool(old.get("$schema") != new.get("$schema"))


def _ordered(value: Any) -> Any:
    """A value that equals another only where its members come in the same order."""
    if isinstance(value, Mapping):
        return [(key, _ordered(child)) for key, child in value.items()]
    return [_ordered(child) for child in value] if isinstance(value, list) else value
