"""Two versions of a contract bundle, around the tools that its snapshots list."""

from collections.abc import Iterator, Mapping
from typing import Any

from bundles.compat.change import Compatibility as Verdict
from bundles.compat.pinned import unread
from bundles.compat.rule import Said, Scope, rule
from bundles.compat.subjects import BundlePair
from bundles.compat.verdict import NOTHING, Answer, Word
from bundles.contract import Contract, files_contract
from bundles.digest import raw_digest
from bundles.manifest import MANIFEST_FILE
from bundles.mcp.problem import pointer_of
from bundles.mcp.snapshot import SNAPSHOT_SHAPE
from bundles.reasons import reason

CONTRACT_RENAMED = reason(
    "BUNDLE_CONTRACT_RENAMED",
    "The two bundles are versions of different contracts.",
    "compare versions of one contract, or keep the name",
)
PROFILE_ADDED = reason(
    "BUNDLE_PROFILE_ADDED",
    "The new bundle has a profile that the old one does not know.",
    "nothing: consumers under the other profiles are not affected",
)
PROFILE_REMOVED = reason(
    "BUNDLE_PROFILE_REMOVED",
    "The new bundle no longer knows a profile.",
    "keep the profile until no consumer runs under it",
)
SNAPSHOT_ADDED = reason(
    "BUNDLE_SNAPSHOT_ADDED",
    "The new bundle pins the tools of a profile that the old one left open.",
    "nothing: consumers may rely on them from now on",
)
SNAPSHOT_REMOVED = reason(
    "BUNDLE_SNAPSHOT_REMOVED",
    "The new bundle no longer pins the tools of a profile.",
    "pin them: consumers rely on what the contract lists",
)
PROTOCOL_LOST = reason(
    "BUNDLE_PROTOCOL_LOST",
    "The new bundle no longer speaks a revision of a protocol.",
    "keep the revision until no consumer speaks it",
)
PROTOCOL_GAINED = reason(
    "BUNDLE_PROTOCOL_GAINED",
    "The new bundle speaks another revision of a protocol.",
    "have it verified: a revision needs evidence of its own",
)
MANIFEST_CHANGED = reason(
    "BUNDLE_MANIFEST_CHANGED",
    "The manifest says something else of its producer, of what may be called or be watched.",
    "review the member named",
)
FILE_ADDED = reason(
    "BUNDLE_FILE_ADDED",
    "The new bundle has another file.",
    "nothing: what the old files say still holds",
)
FILE_REMOVED = reason(
    "BUNDLE_FILE_REMOVED",
    "A file of the old bundle is gone, and with it what it promised or proved.",
    "review what nobody checks any more",
)
FILE_CHANGED = reason(
    "BUNDLE_FILE_CHANGED",
    "A file that no rule of compatibility reads says something else.",
    "review it: suites, policies and fixtures decide what is verified",
)
SCHEMA_FILE_CHANGED = reason(
    "BUNDLE_SCHEMA_CHANGED",
    "A schema of the bundle accepts other values than before, or that could not be ruled out.",
    "review who reads and who writes by it; the bundle does not say",
)
SCHEMA_FILE_RESTATED = reason(
    "BUNDLE_SCHEMA_RESTATED",
    "A schema of the bundle accepts the same values and is written otherwise.",
    "nothing",
)

_WIRE = ("mcp", "a2a")
_REVIEWED = ("producer", "safe_tools", "observers")
_TOOLS: dict[str, Any] = {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}


def _bundle(files: Mapping[str, Any] | None = None, **manifest: Any) -> Contract:
    return files_contract(dict(files or {}), manifest)


def _pinning(**profiles: str) -> Contract:
    pins = [{"profile": name, "file": path} for name, path in profiles.items()]
    files = dict.fromkeys(profiles.values(), _TOOLS)
    return _bundle(files, declarations={"mcp_tools": pins})


def _knowing(*names: str, pins: bool = False) -> Contract:
    files: dict[str, Any] = {"profiles.yaml": {name: {} for name in names}}
    manifest: dict[str, Any] = {"profiles": "profiles.yaml"}
    if pins:
        files["a.json"] = _TOOLS
        manifest["declarations"] = {"mcp_tools": [{"profile": "a", "file": "a.json"}]}
    return _bundle(files, **manifest)


def _pinning_a(snapshot: Any) -> Contract:
    pin = {"mcp_tools": [{"profile": "a", "file": "a.json"}]}
    return _bundle({"a.json": snapshot}, declarations=pin)


def _schema(schema: Any) -> Contract:
    return _bundle({"schemas/s.json": schema}, schemas="schemas/")


_ANY = True
"""The schema of everything, as a word."""

_PLAIN = _bundle()
_OLDER = _bundle(protocol={"mcp": "2025-11-25"})
_NEWER = _bundle(protocol={"mcp": "2026-07-28"})
_SUITED = _bundle({"suites/s.json": {"cases": []}}, suites="suites/")


@rule(
    id="contract.renamed",
    scope=Scope.BUNDLE,
    verdict=Verdict.BREAKING,
    reason_code=CONTRACT_RENAMED,
    says=[(_PLAIN, _bundle(contract_id="other"))],
    silent=[(_PLAIN, _bundle(contract_version="2.0.0"))],
)
def renamed(pair: BundlePair) -> Iterator[Said]:
    """The two bundles are versions of different contracts.

    Consumers name the contract they rely on, and do not find it.
    """
    old, new = pair.old.manifest.contract_id, pair.new.manifest.contract_id
    if old != new:
        yield _in_manifest("contract_id", {"missing": old, "to": new})


@rule(
    id="profile.added",
    scope=Scope.BUNDLE,
    verdict=Verdict.COMPATIBLE,
    reason_code=PROFILE_ADDED,
    says=[
        (_knowing("a"), _knowing("a", "b")),
        (_pinning(a="a.json"), _pinning(a="a.json", b="b.json")),
    ],
    silent=[(_knowing("a", "b"), _knowing("a"))],
)
def profile_added(pair: BundlePair) -> Iterator[Said]:
    """The contract knows another profile.

    Consumers under the others are not affected.
    """
    for name in sorted(pair.new.profiles.keys() - pair.old.profiles.keys()):
        yield Said(None, pointer_of(["profiles", name]), file=MANIFEST_FILE)


@rule(
    id="profile.removed",
    scope=Scope.BUNDLE,
    verdict=Verdict.BREAKING,
    reason_code=PROFILE_REMOVED,
    says=[(_knowing("a", "b"), _knowing("a"))],
    silent=[(_knowing("a"), _knowing("a", "b"))],
)
def profile_removed(pair: BundlePair) -> Iterator[Said]:
    """The contract no longer knows a profile.

    Consumers who run under it are promised nothing any more.
    """
    for name in sorted(pair.old.profiles.keys() - pair.new.profiles.keys()):
        yield Said(pointer_of(["profiles", name]), None, {"missing": name}, file=MANIFEST_FILE)


@rule(
    id="snapshot.added",
    scope=Scope.BUNDLE,
    verdict=Verdict.COMPATIBLE,
    reason_code=SNAPSHOT_ADDED,
    says=[(_knowing("a"), _knowing("a", pins=True))],
    silent=[(_knowing("a", pins=True), _knowing("a"))],
)
def snapshot_added(pair: BundlePair) -> Iterator[Said]:
    """The contract pins the tools of a profile that it left open.

    Consumers may rely on them from now on.
    """
    for name in _kept(pair):
        if name in pair.new.snapshots and name not in pair.old.snapshots:
            yield Said(None, "", file=pair.new.snapshots[name][0])


@rule(
    id="snapshot.removed",
    scope=Scope.BUNDLE,
    verdict=Verdict.BREAKING,
    reason_code=SNAPSHOT_REMOVED,
    says=[(_knowing("a", pins=True), _knowing("a"))],
    silent=[(_knowing("a"), _knowing("a", pins=True))],
)
def snapshot_removed(pair: BundlePair) -> Iterator[Said]:
    """The contract no longer pins the tools of a profile.

    Consumers who rely on a tool of it are promised none.
    """
    for name in _kept(pair):
        if name in pair.old.snapshots and name not in pair.new.snapshots:
            yield Said("", None, {"missing": name}, file=pair.old.snapshots[name][0])


@rule(
    id="snapshot.unreadable",
    scope=Scope.BUNDLE,
    verdict=Verdict.CONDITIONAL,
    reason_code=SNAPSHOT_SHAPE,
    says=[
        (_knowing("a", pins=True), _pinning_a(1)),
        (_pinning_a({"tools": [{"name": "a"}] * 2}), _knowing("a", pins=True)),
    ],
    silent=[(_knowing("a", pins=True), _pinning_a(_TOOLS))],
)
def snapshot_unreadable(pair: BundlePair) -> Iterator[Said]:
    """The tools of a profile cannot be compared: one of the two snapshots cannot be read.

    Consumers may find any of them gone or changed.
    """
    for name in sorted(pair.old.snapshots.keys() & pair.new.snapshots.keys()):
        error = unread(pair.old, name) or unread(pair.new, name)
        if error is not None:
            path = pair.new.snapshots[name][0]
            yield Said("", "", reason_code=error.reason_code, file=path)


@rule(
    id="protocol.lost",
    scope=Scope.BUNDLE,
    verdict=Verdict.BREAKING,
    reason_code=PROTOCOL_LOST,
    says=[(_OLDER, _NEWER)],
    silent=[(_OLDER, _OLDER)],
)
def protocol_lost(pair: BundlePair) -> Iterator[Said]:
    """The contract no longer speaks a revision of a protocol.

    Consumers who speak that one alone cannot talk to the new version.
    """
    old, new = pair.old.manifest.protocol, pair.new.manifest.protocol
    for name in _WIRE:
        if name in old and old[name] != new.get(name):
            path = pointer_of(["contract_bundle", "protocol", name])
            missing = {"missing": f"{name} {old[name]}"}
            yield Said(path, path if name in new else None, missing, file=MANIFEST_FILE)


@rule(
    id="protocol.gained",
    scope=Scope.BUNDLE,
    verdict=Verdict.CONDITIONAL,
    reason_code=PROTOCOL_GAINED,
    says=[(_OLDER, _NEWER)],
    silent=[(_OLDER, _OLDER)],
)
def protocol_gained(pair: BundlePair) -> Iterator[Said]:
    """The contract speaks another revision of a protocol.

    Consumers who speak it rely on what needs evidence of its own.
    """
    old, new = pair.old.manifest.protocol, pair.new.manifest.protocol
    for name in _WIRE:
        if name in new and old.get(name) != new[name]:
            path = pointer_of(["contract_bundle", "protocol", name])
            yield Said(path if name in old else None, path, file=MANIFEST_FILE)


@rule(
    id="manifest.changed",
    scope=Scope.BUNDLE,
    verdict=Verdict.RISK,
    reason_code=MANIFEST_CHANGED,
    says=[(_PLAIN, _bundle(safe_tools=["a"])), (_PLAIN, _bundle(observers=["files"]))],
    silent=[(_PLAIN, _bundle(contract_version="2.0.0")), (_OLDER, _NEWER)],
)
def manifest_changed(pair: BundlePair) -> Iterator[Said]:
    """The manifest says something else of its producer, of what may be called or be watched.

    What is verified, and by whom it is offered, is another.
    """
    for name in _REVIEWED:
        if _reviewed(pair.old, name) != _reviewed(pair.new, name):
            yield _in_manifest(name)
    old, new = (c.manifest.protocol.get("json_schema") for c in (pair.old, pair.new))
    if old != new:
        yield _in_manifest("protocol", {"old": old, "new": new})


@rule(
    id="file.added",
    scope=Scope.BUNDLE,
    verdict=Verdict.COMPATIBLE,
    reason_code=FILE_ADDED,
    says=[(_PLAIN, _SUITED)],
    silent=[(_SUITED, _PLAIN), (_knowing("a"), _knowing("a", pins=True))],
)
def file_added(pair: BundlePair) -> Iterator[Said]:
    """The bundle has another file.

    What the others say still holds.
    """
    for path in sorted(_others(pair.new) - pair.old.files.keys()):
        yield Said(None, "", file=path)


@rule(
    id="file.removed",
    scope=Scope.BUNDLE,
    verdict=Verdict.RISK,
    reason_code=FILE_REMOVED,
    says=[(_SUITED, _PLAIN)],
    silent=[(_PLAIN, _SUITED), (_knowing("a", pins=True), _knowing("a"))],
)
def file_removed(pair: BundlePair) -> Iterator[Said]:
    """A file of the bundle is gone.

    What it promised, or proved, nobody checks any more.
    """
    for path in sorted(_others(pair.old) - pair.new.files.keys()):
        yield Said("", None, {"missing": path}, file=path)


@rule(
    id="file.changed",
    scope=Scope.BUNDLE,
    verdict=Verdict.RISK,
    reason_code=FILE_CHANGED,
    says=[(_SUITED, _bundle({"suites/s.json": {"cases": [1]}}, suites="suites/"))],
    silent=[(_SUITED, _SUITED), (_schema(_ANY), _schema({}))],
)
def file_changed(pair: BundlePair) -> Iterator[Said]:
    """A file that no rule of compatibility reads says something else.

    Suites, policies and fixtures decide what is verified.
    """
    schemas = dict(_schemas(pair))
    for path in sorted(_others(pair.old) & _others(pair.new)):
        if path not in schemas and pair.old.files[path] != pair.new.files[path]:
            digests = (raw_digest(each.files[path]) for each in (pair.old, pair.new))
            yield Said("", "", dict(zip(("old", "new"), digests, strict=True)), file=path)


@rule(
    id="schema.changed",
    scope=Scope.BUNDLE,
    verdict=Verdict.CONDITIONAL,
    reason_code=SCHEMA_FILE_CHANGED,
    says=[
        (_schema({"type": "string"}), _schema({"type": "integer"})),
        (_schema({"type": "number"}), _schema({"type": "integer"})),
        (_schema({"type": "integer"}), _schema({"type": "number"})),
    ],
    silent=[(_schema(_ANY), _schema({})), (_SUITED, _PLAIN)],
)
def schema_changed(pair: BundlePair) -> Iterator[Said]:
    """A schema of the bundle accepts other values than before, or that could not be ruled out.

    Whether that breaks anybody depends on who writes and who reads by it.
    """
    for path, answers in _schemas(pair):
        told = [answer for answer in answers if answer.word is not Word.COMPATIBLE]
        if told:
            shown = next((a.witness for a in told if a.witness is not NOTHING), NOTHING)
            yield Said("", "", NOTHING if shown is NOTHING else {"value": shown}, file=path)


@rule(
    id="schema.restated",
    scope=Scope.BUNDLE,
    verdict=Verdict.COMPATIBLE,
    reason_code=SCHEMA_FILE_RESTATED,
    says=[(_schema(_ANY), _schema({})), (_schema({"enum": [1, 2]}), _schema({"enum": [2, 1]}))],
    silent=[(_schema({"type": "string"}), _schema({"type": "integer"})), (_SUITED, _SUITED)],
)
def schema_restated(pair: BundlePair) -> Iterator[Said]:
    """A schema of the bundle accepts the same values and is written otherwise.

    Nobody who reads or writes by it notices.
    """
    for path, answers in _schemas(pair):
        if all(answer.word is Word.COMPATIBLE for answer in answers):
            yield Said("", "", file=path)


def _in_manifest(member: str, witness: Any = NOTHING) -> Said:
    path = pointer_of(["contract_bundle", member])
    return Said(path, path, witness, file=MANIFEST_FILE)


def _reviewed(contract: Contract, name: str) -> Any:
    manifest = contract.manifest
    if name == "safe_tools":
        return contract.safe_calls
    return manifest.producer if name == "producer" else manifest.observers


def _kept(pair: BundlePair) -> list[str]:
    return sorted(pair.old.profiles.keys() & pair.new.profiles.keys())


def _others(contract: Contract) -> set[str]:
    """Files that neither the manifest nor a snapshot is."""
    read = {MANIFEST_FILE, *(path for path, _ in contract.snapshots.values())}
    return set(contract.files) - read


def _schemas(pair: BundlePair) -> Iterator[tuple[str, tuple[Answer, Answer]]]:
    """(path, answers of both directions) of each schema file that changed, read on both sides."""
    both = set(pair.old.files_of("schemas")) & set(pair.new.files_of("schemas"))
    readable = pair.old.documents.keys() & pair.new.documents.keys()
    for path in sorted(both & readable & _others(pair.old)):
        if pair.old.files[path] != pair.new.files[path]:
            yield path, pair.answers(path)
