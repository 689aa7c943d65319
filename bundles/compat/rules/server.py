"""What a server speaks and declares around its lists."""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.canonical import canonical_bytes
from bundles.compat.change import Compatibility as Verdict
from bundles.compat.rule import Said, Scope, rule
from bundles.compat.subjects import SnapshotPair
from bundles.mcp.problem import pointer_of
from bundles.mcp.schema import cut
from bundles.reasons import reason

SURROUNDINGS_CHANGED = reason(
    "SNAPSHOT_SERVER_CHANGED",
    "The server speaks another revision, or declares other capabilities or extensions.",
    "run the conformance and security stages again",
)
CAPABILITY_LOST = reason(
    "CAPABILITY_LOST",
    "The server no longer declares a capability or an extension.",
    "keep it until no consumer uses it",
)
CAPABILITY_GAINED = reason(
    "CAPABILITY_GAINED",
    "The server declares a capability or an extension that it did not.",
    "have it verified: a capability needs evidence of its own",
)


def _can(**capabilities: Any) -> dict[str, Any]:
    return {"tools": [], "capabilities": {"tools": {}, **capabilities}}


_OLD_REVISION = {"tools": [], "revision": "2025-11-25"}
_NEW_REVISION = {"tools": [], "revision": "2026-07-28"}


@rule(
    id="server.revision-changed",
    scope=Scope.SNAPSHOT,
    verdict=Verdict.RISK,
    reason_code=SURROUNDINGS_CHANGED,
    kind="server",
    says=[(_OLD_REVISION, _NEW_REVISION)],
    silent=[(_OLD_REVISION, _OLD_REVISION), (_OLD_REVISION, {"tools": []})],
)
def revision_changed(pair: SnapshotPair) -> Iterator[Said]:
    """The snapshots were taken in two revisions of MCP.

    The same tools may be listed, checked and answered otherwise.
    """
    old, new = pair.old_facts.get("revision"), pair.new_facts.get("revision")
    if old and new and old != new:
        yield Said("/revision", "/revision", {"old": old, "new": new})


@rule(
    id="capability.lost",
    scope=Scope.SNAPSHOT,
    verdict=Verdict.BREAKING,
    reason_code=CAPABILITY_LOST,
    says=[
        (_can(logging={}), _can()),
        (_can(resources={"subscribe": True}), _can(resources={"subscribe": False})),
        (_can(extensions={"x/y": {}}), _can(extensions={})),
    ],
    silent=[(_can(), _can(logging={})), (_can(logging={}), {"tools": []})],
)
def capability_lost(pair: SnapshotPair) -> Iterator[Said]:
    """The server no longer declares a capability or an extension.

    Whoever uses it is refused.
    """
    for name, was, now in _capabilities(pair):
        if was and not now:
            yield Said(pointer_of(["capabilities", *name]), None, {"missing": "/".join(name)})


@rule(
    id="capability.gained",
    scope=Scope.SNAPSHOT,
    verdict=Verdict.CONDITIONAL,
    reason_code=CAPABILITY_GAINED,
    says=[
        (_can(), _can(logging={})),
        (_can(resources={"subscribe": False}), _can(resources={"subscribe": True})),
    ],
    silent=[(_can(logging={}), _can()), ({"tools": []}, _can(logging={}))],
)
def capability_gained(pair: SnapshotPair) -> Iterator[Said]:
    """The server declares a capability or an extension that it did not.

    Whoever relies on it relies on what nobody verified yet.
    """
    for name, was, now in _capabilities(pair):
        if now and not was:
            yield Said(None, pointer_of(["capabilities", *name]))


@rule(
    id="capability.changed",
    scope=Scope.SNAPSHOT,
    verdict=Verdict.RISK,
    reason_code=SURROUNDINGS_CHANGED,
    kind="server",
    says=[(_can(extensions={"x/y": {}}), _can(extensions={"x/y": {"v": 2}}))],
    silent=[
        (_can(logging={}), _can()),
        (_can(resources={"subscribe": False}), _can(resources={"subscribe": True})),
    ],
)
def capability_changed(pair: SnapshotPair) -> Iterator[Said]:
    """A capability or an extension is declared with other settings.

    Whoever uses it may find it otherwise.
    """
    for name, was, now in _capabilities(pair):
        if was and now and canonical_bytes(was[0]) != canonical_bytes(now[0]):
            path = pointer_of(["capabilities", *name])
            yield Said(path, path, {"old": cut(was[0]), "new": cut(now[0])})


_Declared = tuple[Any] | None
"""What a capability is declared as, in a tuple so that `{}` counts; None where it is not."""


def _capabilities(pair: SnapshotPair) -> Iterator[tuple[tuple[str, ...], _Declared, _Declared]]:
    """Each capability and each of its switches that either snapshot declares, if both say any."""
    old, new = pair.old_facts.get("capabilities"), pair.new_facts.get("capabilities")
    if not isinstance(old, dict) or not isinstance(new, dict):
        return
    before, after = dict(_declared(old)), dict(_declared(new))
    for name in sorted(before.keys() | after.keys()):
        if len(name) > 1 and not (name[:1] in before and name[:1] in after):
            continue  # it came or went with the whole capability
        yield name, before.get(name), after.get(name)


def _declared(capabilities: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], _Declared]]:
    for name, settings in capabilities.items():
        if settings is False or settings is None:
            continue
        yield (name,), ({} if isinstance(settings, dict) else settings,)
        for switch, value in settings.items() if isinstance(settings, dict) else ():
            if value is not False and value is not None:
                yield (name, switch), (value,)
