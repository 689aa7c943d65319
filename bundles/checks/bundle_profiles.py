"""Profiles: the conditions under which a surface is observed."""

from collections.abc import Iterator

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.contract import Contract, files_contract
from bundles.json_walk import escape_pointer
from bundles.manifest import MANIFEST_FILE, SUPPORTED_PROTOCOLS
from bundles.mcp import multi_round
from bundles.mcp.authorization import AUTHORIZATION_FORM, read_authorization
from bundles.mcp.client import CLIENT_FORM, read_client
from bundles.names import MOST_PROFILES, NAME_FORM, is_name
from bundles.report.cut import compact
from bundles.verdict import Layer, Severity, Stage

_MEMBERS = ("client", "authorization", "tenant_class", "revision", "transport", "mrtr_tools")
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
        ),
        files_contract(
            {
                "p.yaml": {
                    "default": {"client": "desktop"},
                    "asked": {"client": {"version": "2", "capabilities": {"elicitation": {}}}},
                    "asking": {"mrtr_tools": {"a": "roots", "b": {"arguments": {}}}},
                    "tenant-a": {
                        "authorization": {
                            "negative": {"expired": "env:EXPIRED"},
                            "other_principal": {"headers": {"authorization": "env:TENANT_B"}},
                        }
                    },
                }
            },
            {"profiles": "p.yaml"},
        ),
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
        files_contract(
            {"p.yaml": {"default": {"client": {"capabilities": ["roots"]}}}}, {"profiles": "p.yaml"}
        ),
        files_contract(
            {"p.yaml": {"default": {"mrtr_tools": {"a": {"args": {}}}}}}, {"profiles": "p.yaml"}
        ),
        files_contract(
            {"p.yaml": {"default": {"authorization": {"negative": {"expired": "eyJhbGciOi"}}}}},
            {"profiles": "p.yaml"},
        ),
    ],
)
def profiles_shape(contract: Contract) -> Iterator[Said]:
    """Profiles are a mapping from a profile's name to its conditions.

    Why: evidence and snapshots are compared only inside one profile, and a candidate is refused
    whose target has another revision or transport than its profile.
    Fix: use the members client (a name, or name, version and capabilities), authorization (a name,
    or references to headers, to tokens that must be refused and to a second principal),
    tenant_class, revision (one this harness speaks), transport (http or stdio) and mrtr_tools
    (tools that ask for input: what to call them with, and what to answer).
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
            if read_client(conditions.get("client")) is None:
                pointer = f"/{escape_pointer(name)}/client"
                yield Violation(
                    f"profile {name[:100]!r} has a client that cannot be introduced",
                    path=path,
                    pointer=pointer,
                    line=contract.line_of(path, pointer),
                    seen=compact(conditions.get("client"), limit=80),
                    expected=CLIENT_FORM,
                )
            for problem in multi_round.problems_of(conditions.get("mrtr_tools", {})):
                pointer = f"/{escape_pointer(name)}/mrtr_tools{problem.pointer}"
                yield Violation(
                    f"profile {name[:100]!r} declares tools that ask for input in another form: "
                    f"{problem.message}",
                    path=path,
                    pointer=pointer,
                    line=contract.line_of(path, pointer),
                    expected=multi_round.FORM,
                )
            if read_authorization(conditions.get("authorization")) is None:
                pointer = f"/{escape_pointer(name)}/authorization"
                # what is no reference may be the credential itself: it is not shown
                yield Violation(
                    f"profile {name[:100]!r} has an authorization that cannot be used",
                    path=path,
                    pointer=pointer,
                    line=contract.line_of(path, pointer),
                    expected=AUTHORIZATION_FORM,
                )
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
    id="bundle.profiles.observable",
    reason_code="PROFILES_NOT_OBSERVABLE",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="bundle format, profiles; MCP verification, profiles and snapshots",
    accepts=[
        files_contract(),
        files_contract(
            {"p.yaml": {f"tenant:{n}/eu": {} for n in range(MOST_PROFILES)}}, {"profiles": "p.yaml"}
        ),
    ],
    rejects=[
        files_contract({"p.yaml": {"my tenant": {}}}, {"profiles": "p.yaml"}),
        files_contract({"p.yaml": {"": {}}}, {"profiles": "p.yaml"}),
        files_contract({"p.yaml": {"x" * 129: {}}}, {"profiles": "p.yaml"}),
        files_contract(
            {"p.yaml": {f"p{n}": {} for n in range(MOST_PROFILES + 1)}}, {"profiles": "p.yaml"}
        ),
        files_contract(
            {"a.json": []}, {"declarations": {"mcp_tools": [{"profile": "-", "file": "a.json"}]}}
        ),
    ],
)
def observable(contract: Contract) -> Iterator[Said]:
    """Every profile can be the profile of a target, and a candidate can have a target for each.

    Why: a candidate is registered only with one target for every profile of its bundle; with a name
    that no target may have, or with more profiles than a candidate has targets, none ever could be.
    Fix: name profiles with letters, digits and . _ : / @ + -, and keep to 20 of them.
    """
    if not contract.profiles:
        yield NotApplicable("the bundle names no profiles")
    for name in contract.profiles:
        if not is_name(name):
            path, pointer = _place_of(contract, name)
            yield Violation(
                f"no target can have the profile {name[:100]!r}",
                path=path,
                pointer=pointer,
                line=contract.line_of(path, pointer),
                seen=name[:100],
                expected=NAME_FORM,
            )
    if len(contract.profiles) > MOST_PROFILES:
        path, pointer = _place_of(contract, list(contract.profiles)[MOST_PROFILES])
        yield Violation(
            f"{len(contract.profiles)} profiles, and a candidate has at most {MOST_PROFILES} "
            "targets, one for each",
            path=path,
            pointer=pointer,
            line=contract.line_of(path, pointer),
            seen=len(contract.profiles),
            expected=MOST_PROFILES,
        )


def _place_of(contract: Contract, name: str) -> tuple[str, str]:
    """Where a profile is named: path and pointer."""
    for path in contract.files_of("profiles"):
        document = contract.documents.get(path)
        if isinstance(document, dict) and name in document:
            return path, f"/{escape_pointer(name)}"
    reference = next(r for r in contract.manifest.of("declarations.mcp_tools") if r.profile == name)
    return MANIFEST_FILE, reference.pointer


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


def _with_snapshots_of(*profiles: str) -> Contract:
    """Of a bundle with the profiles a and b, and a snapshot for each that is named."""
    named = [{"profile": profile, "file": "tools.json"} for profile in profiles]
    files = {"p.yaml": {"a": {}, "b": {}}, "tools.json": []}
    return files_contract(files, {"profiles": "p.yaml", "declarations": {"mcp_tools": named}})


@check(
    id="bundle.profiles.snapshot-present",
    reason_code="SNAPSHOT_PROFILE_MISSING",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.SHOULD,
    spec="MCP verification, profiles and snapshots: a profile on one side only is a finding",
    accepts=[_with_snapshots_of("a", "b")],
    rejects=[_with_snapshots_of("a")],
)
def snapshot_present(contract: Contract) -> Iterator[Said]:
    """Where one profile has a snapshot, every profile has one.

    Why: what a server lists is compared only inside a profile, so nobody reviewed what it lists
    under a profile without a snapshot; evidence calls it not covered.
    Fix: take a snapshot under that profile, or drop the profile.
    """
    if not contract.snapshots:
        yield NotApplicable("the bundle has no tool snapshot")
        return
    for name in contract.unpinned:
        path, pointer = _place_of(contract, name)
        yield Violation(
            f"profile {name[:100]!r} has no snapshot, and {sorted(contract.snapshots)[0][:100]!r} "
            "has one",
            path=path,
            pointer=pointer,
            line=contract.line_of(path, pointer),
        )
