"""The snapshot a bundle pins for a profile, as diffs read it."""

from dataclasses import replace

from bundles.contract import Contract
from bundles.errors import BundlegateError
from bundles.mcp.snapshot import Snapshot, read_snapshot
from bundles.mcp.tools import list_digest


def pinned(contract: Contract, profile: str) -> Snapshot:
    """The snapshot of a profile that the contract pins one for.

    Raises:
        Refused: SNAPSHOT_SHAPE, or a tool has no canonical form.
    """
    path, document = contract.snapshots[profile]
    snapshot = read_snapshot(document, contract.files[path].decode("utf-8", "replace"), path)
    list_digest(snapshot.tools)  # what has none cannot be compared
    return replace(snapshot, profile=profile)


def unread(contract: Contract, profile: str) -> BundlegateError | None:
    """Why the snapshot of a profile cannot be read; None where it can, or where there is none."""
    if profile not in contract.snapshots:
        return None
    try:
        pinned(contract, profile)
    except BundlegateError as error:
        return error
    return None
