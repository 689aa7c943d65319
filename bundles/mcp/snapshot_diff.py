"""What changed between two snapshots of one profile; pure.

Only what a change is, is judged here: an added tool is compatible, a removed or renamed one breaks,
a text is cosmetic or relevant to security, and whatever else is defined differently is a risk until
somebody looked at it.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from bundles.canonical import canonical_bytes, semantic_digest
from bundles.errors import Invalid, Refused
from bundles.mcp import changes as say
from bundles.mcp.changes import Change, Compatibility, SnapshotDiff
from bundles.mcp.hidden_text import hidden_characters
from bundles.mcp.leaks import strings
from bundles.mcp.schema import cut, pointer_of
from bundles.mcp.snapshot import Snapshot
from bundles.mcp.text_change import concerns
from bundles.mcp.tools import Tool, by_name, effective, tool_digest
from bundles.reasons import reason

SNAPSHOT_PROFILES_DIFFER = reason(
    "SNAPSHOT_PROFILES_DIFFER",
    "Two snapshots were taken under different profiles.",
    "compare snapshots of one profile; different tools for different credentials are no change",
)

_SCHEMAS = ("inputSchema", "outputSchema")
_TEXTS = frozenset({"title", "description", "$comment"})
_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Members whose keys are names, not keywords: a property may be called "title"."""
_MEANS_ANOTHER_THING = frozenset(
    {
        "items",
        "additionalItems",
        "dependencies",
        "$recursiveRef",
        "$dynamicRef",
        "prefixItems",
        "id",
    }
)
"""Keywords whose meaning depends on the dialect (`items` only as an array)."""
_DEEPEST = 64


def compare(old: Snapshot, new: Snapshot) -> SnapshotDiff:
    """What changed between two snapshots.

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
    found = diff(old.tools, new.tools)
    return SnapshotDiff((*found.changes, *_server(old, new)), _normalised(old, new, found.changes))


def diff(old: Sequence[Tool], new: Sequence[Tool]) -> SnapshotDiff:
    """What changed between two lists of tools.

    Raises:
        Refused: a tool has no canonical form.
    """
    before, after = by_name(old), by_name(new)
    renamed = renames(before, after)
    names = [*before, *after]
    found: list[Change] = []
    for name in sorted(before.keys() - after.keys()):
        if name in renamed:
            to = {"to": renamed[name]}
            found.append(Change(name, "renamed", "", Compatibility.BREAKING, say.TOOL_RENAMED, to))
        else:
            found.append(Change(name, "removed", "", Compatibility.BREAKING, say.TOOL_REMOVED))
    common = before.keys() & after.keys()
    for name in sorted(common):
        if tool_digest(before[name]) != tool_digest(after[name]):
            others = [other for other in names if other != name]
            found += _changes(name, effective(before[name]), effective(after[name]), others)
    for name in sorted(after.keys() - before.keys() - set(renamed.values())):
        found.append(Change(name, "added", "", Compatibility.COMPATIBLE, say.TOOL_ADDED))
        found += _hidden(name, after[name])
    if [n for n in before if n in common] != [n for n in after if n in common]:
        found.append(Change("", "reordered", "", Compatibility.COMPATIBLE, say.ORDER_CHANGED))
    return SnapshotDiff(tuple(found))


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


def _changes(name: str, old: Tool, new: Tool, others: Sequence[str]) -> Iterator[Change]:
    for member in sorted(old.keys() | new.keys()):
        was, now = old.get(member), new.get(member)
        if _same(old, new, member):
            continue
        if member == "annotations" and isinstance(was, dict) and isinstance(now, dict):
            yield from _annotations(name, was, now, others)
        elif member in ("title", "description") and _is_text(was) and _is_text(now):
            yield _text(name, [member], was, now, others)
        elif member in _SCHEMAS and isinstance(was, dict) and isinstance(now, dict):
            yield from _schema(name, member, was, now, others)
        else:
            yield _changed(name, [member])
    yield from _hidden(name, new, known=set(strings(old)))


def _annotations(
    name: str, old: Mapping[str, Any], new: Mapping[str, Any], others: Sequence[str]
) -> Iterator[Change]:
    for hint in sorted(old.keys() | new.keys()):
        if _same(old, new, hint):
            continue
        path = ["annotations", hint]
        was, now = old.get(hint), new.get(hint)
        if hint == "title" and _is_text(was) and _is_text(now):
            yield _text(name, path, was, now, others)
        else:
            witness = {"old": cut(was), "new": cut(now)}
            yield Change(
                name,
                "annotation",
                pointer_of([*path]),
                Compatibility.RISK,
                say.ANNOTATION_CHANGED,
                witness,
            )


def _schema(
    name: str, member: str, old: dict[str, Any], new: dict[str, Any], others: Sequence[str]
) -> Iterator[Change]:
    """A changed schema: its dialect, the texts in it, and everything else as one change."""
    dialects = old.get("$schema"), new.get("$schema")
    plain_old, plain_new = ({k: v for k, v in s.items() if k != "$schema"} for s in (old, new))
    if dialects[0] != dialects[1]:
        sensitive = _depends_on_dialect(plain_old) or _depends_on_dialect(plain_new)
        yield Change(
            name,
            "dialect",
            f"/{member}/$schema",
            Compatibility.RISK if sensitive else Compatibility.COMPATIBLE,
            say.DIALECT_CHANGED,
            {"old": cut(dialects[0]), "new": cut(dialects[1])},
        )
    reshaped = semantic_digest(_bare(plain_old)) != semantic_digest(_bare(plain_new))
    if reshaped:
        yield _changed(name, [member])
    before, after = dict(_schema_texts(plain_old)), dict(_schema_texts(plain_new))
    for path in sorted(before.keys() | after.keys(), key=str):
        was, now = before.get(path, ""), after.get(path, "")
        # beside a changed shape only what models must not miss is worth a line of its own
        if was != now and not (reshaped and not concerns(was, now, others)):
            yield _text(name, [member, *path], was, now, others)


def _bare(schema: Any, depth: int = 0, *, keywords: bool = True) -> Any:
    """A schema without the texts in it; deeper than any client reads it stays as it is."""
    if depth > _DEEPEST:
        return schema
    if isinstance(schema, dict):
        return {
            key: _bare(child, depth + 1, keywords=not (keywords and key in _MAPS))
            for key, child in schema.items()
            if not (keywords and key in _TEXTS and isinstance(child, str))
        }
    if isinstance(schema, list):
        return [_bare(child, depth + 1, keywords=keywords) for child in schema]
    return schema


def _schema_texts(
    schema: Any, path: tuple[str | int, ...] = (), *, keywords: bool = True
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The texts in a schema with their paths, as deep as `_bare` takes them out."""
    if len(path) > _DEEPEST:
        return
    if isinstance(schema, dict):
        for key, child in schema.items():
            if keywords and key in _TEXTS and isinstance(child, str):
                yield (*path, key), child
            else:
                inner = not (keywords and key in _MAPS)
                yield from _schema_texts(child, (*path, key), keywords=inner)
    elif isinstance(schema, list):
        for at, child in enumerate(schema):
            yield from _schema_texts(child, (*path, at), keywords=keywords)


def _depends_on_dialect(schema: Any) -> bool:
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            used = _MEANS_ANOTHER_THING & node.keys()
            if used - {"items"} or isinstance(node.get("items"), list):
                return True
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    return False


def _text(
    name: str, path: Sequence[str | int], old: str | None, new: str | None, others: Sequence[str]
) -> Change:
    why = concerns(old or "", new or "", others)
    relevant = {"class": "security-relevant", "why": list(why)}
    return Change(
        name,
        "text",
        pointer_of([*path]),
        Compatibility.RISK if why else Compatibility.COMPATIBLE,
        say.TEXT_RELEVANT if why else say.TEXT_COSMETIC,
        relevant if why else {"class": "cosmetic"},
    )


def _changed(name: str, path: Sequence[str | int]) -> Change:
    return Change(name, "changed", pointer_of([*path]), Compatibility.RISK, say.TOOL_CHANGED)


def _hidden(name: str, tool: Tool, known: Collection[str] = ()) -> Iterator[Change]:
    """Hidden characters in texts that were not there before."""
    found = [c for text in strings(tool) if text not in known for c in hidden_characters(text)]
    if found:
        witness = {"characters": list(dict.fromkeys(found))[:10]}
        yield Change(name, "hidden", "", Compatibility.RISK, say.HIDDEN_CHARACTERS, witness)


def _server(old: Snapshot, new: Snapshot) -> Iterator[Change]:
    """What changed around the tools, where both snapshots say it."""
    if old.revision and new.revision and old.revision != new.revision:
        witness = {"old": old.revision, "new": new.revision}
        yield Change(
            "", "server", "/revision", Compatibility.RISK, say.SURROUNDINGS_CHANGED, witness
        )
    if old.capabilities is None or new.capabilities is None:
        return
    for name in sorted(old.capabilities.keys() | new.capabilities.keys()):
        if not _same(old.capabilities, new.capabilities, name):
            path = pointer_of(["capabilities", name])
            yield Change("", "server", path, Compatibility.RISK, say.SURROUNDINGS_CHANGED)


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


def _same(old: Mapping[str, Any], new: Mapping[str, Any], member: str) -> bool:
    if (member in old) is not (member in new):
        return False
    return canonical_bytes(old.get(member)) == canonical_bytes(new.get(member))


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)
