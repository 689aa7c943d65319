"""Profiles: the conditions under which a surface is observed."""

from collections.abc import Iterator

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.contract import Contract, files_contract
from bundles.json_walk import escape_pointer
from bundles.manifest import MANIFEST_FILE, SUPPORTED_PROTOCOLS
from bundles.report.cut import compact
from bundles.verdict import Layer, Severity, Stage

_MEMBERS = ("client", "authorization", "tenant_class", "revision", "transport")
_VALUES = {"revision": SUPPORTED_PROTOCOLS["mcp"], "transport": ("http", "stdio")}


@check(
    id="bundle.profiles.shape",
    reason_code="PROFILES_MALFORMED",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="bundle format, profiles; MCP verification, profiles and snapshots",
    accepts=[
        files_contract(
            {"p.yaml": {"default": {}, "tenant-b": {"tenant_class": "b", "transport": "http"}}},
            {"profiles": "p.yaml"},
        )
    ],
    rejects=[
        files_contract({"p.yaml": []}, {"profiles": "p.yaml"}),
        files_contract({"p.yaml": {}}, {"profiles": "p.yaml"}),
        files_contract({"p.yaml": {"default": "http"}}, {"profiles": "p.yaml"}),
        files_contract({"p.yaml": {"default": {"tenant": "b"}}}, {"profiles": "p.yaml"}),
        files_contract(
            {"p.yaml": {"default": {"transport": "streamable-http"}}}, {"profiles": "p.yaml"}
        ),
        files_contract({"p.yaml": {"default": {"revision": "2024-11-05"}}}, {"profiles": "p.yaml"}),
    ],
)
def profiles_shape(contract: Contract) -> Iterator[Said]:
    """Profiles are a mapping from a profile's name to its conditions.

    Why: evidence and snapshots are compared only inside one profile, and a candidate is refused
    whose target has another revision or transport than its profile.
    Fix: use the members client, authorization, tenant_class, revision (one this harness speaks) and
    transport (http or stdio).
    """
    paths = [path for path in contract.files_of("profiles") if path in contract.documents]
    if not paths:
        yield NotApplicable("the bundle names no profiles")
    for path in paths:
        document = contract.documents[path]
        if not isinstance(document, dict) or not document:
            yield Violation("expected a mapping of profiles", path=path, line=1)
            continue
        for name, conditions in document.items():
            unknown = (
                [key for key in conditions if key not in _MEMBERS]
                if isinstance(conditions, dict)
                else None
            )
            if unknown is None or unknown:
                pointer = f"/{escape_pointer(name)}"
                yield Violation(
                    f"profile {name[:100]!r} is no mapping of known members",
                    path=path,
                    pointer=pointer,
                    line=contract.line_of(path, pointer),
                    seen=unknown and [key[:80] for key in unknown[:10]],
                    expected=list(_MEMBERS),
                )
                continue
            for member, values in _VALUES.items():
                told = conditions.get(member)
                if told is not None and told not in values:
                    pointer = f"/{escape_pointer(name)}/{member}"
                    yield Violation(
                        f"profile {name[:100]!r} has a {member} that no target can have",
                        path=path,
                        pointer=pointer,
                        line=contract.line_of(path, pointer),
                        seen=compact(told, limit=80),
                        expected=list(values),
                    )


@check(
    id="bundle.profiles.one-snapshot-each",
    reason_code="SNAPSHOT_PROFILE_DUPLICATE",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="bundle format, declarations.mcp_tools",
    accepts=[
        files_contract(
            {"a.json": [], "b.json": []},
            {
                "declarations": {
                    "mcp_tools": [
                        {"profile": "a", "file": "a.json"},
                        {"profile": "b", "file": "b.json"},
                    ]
                }
            },
        )
    ],
    rejects=[
        files_contract(
            {"a.json": [], "b.json": []},
            {
                "declarations": {
                    "mcp_tools": [
                        {"profile": "a", "file": "a.json"},
                        {"profile": "a", "file": "b.json"},
                    ]
                }
            },
        )
    ],
)
def one_snapshot_each(contract: Contract) -> Iterator[Said]:
    """A profile has one snapshot.

    Why: with two, nobody could say which one the live surface must equal.
    Fix: keep one entry a profile.
    """
    if not contract.has_manifest:
        yield NotApplicable("there is no manifest that names snapshots")
        return
    seen: set[str] = set()
    for reference in contract.manifest.of("declarations.mcp_tools"):
        if reference.profile in seen:
            yield Violation(
                f"profile {reference.profile[:100]!r} has two snapshots",
                path=MANIFEST_FILE,
                pointer=reference.pointer,
                line=contract.line_of(MANIFEST_FILE, reference.pointer),
            )
        seen.add(reference.profile)
