"""What changed between two versions of a bundle, and what that means for its consumers; pure."""

from collections.abc import Iterator

from bundles.compat.change import Diff
from bundles.compat.pinned import pinned, unread
from bundles.compat.rule import Overrides, Scope, apply, overridden
from bundles.compat.subjects import BundlePair, Contains
from bundles.contract import Contract
from bundles.mcp import snapshot_diff


def compare(
    old: Contract, new: Contract, contains: Contains, overrides: Overrides | None = None
) -> Diff:
    """What changed between two bundles: around the tools, then the tools of each profile.

    Args:
        old: the version consumers rely on.
        new: the one that may take its place.
        contains: the engine for schemas.
        overrides: what a policy makes of rules.

    Raises:
        Refused: MANIFEST_UNUSABLE: one is no contract.
    """
    around = apply(Scope.BUNDLE, BundlePair(old, new, contains))
    changes = tuple(overridden(change, overrides or {}) for change in around)
    normalised: dict[str, int] = {}
    for found in _of_profiles(old, new, contains, overrides or {}):
        changes += found.changes
        for what, count in found.normalised.items():
            normalised[what] = normalised.get(what, 0) + count
    return Diff(changes, normalised)


def _of_profiles(
    old: Contract, new: Contract, contains: Contains, overrides: Overrides
) -> Iterator[Diff]:
    for profile in sorted(old.snapshots.keys() & new.snapshots.keys()):
        if unread(old, profile) is None and unread(new, profile) is None:
            before, after = pinned(old, profile), pinned(new, profile)
            found = snapshot_diff.compare(before, after, contains, overrides)
            yield found.located(profile=profile, file=new.snapshots[profile][0])
