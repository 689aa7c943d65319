"""The manifest and the files agree: everything named is there, everything there is named."""

from collections.abc import Iterator

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.contract import Contract, files_contract
from bundles.manifest import MANIFEST_FILE
from bundles.verdict import Layer, Severity, Stage

_SPEC = "bundle format, manifest"
_NO_MANIFEST = NotApplicable("there is no manifest that names files")


@check(
    id="bundle.references.files-exist",
    reason_code="REFERENCED_FILE_MISSING",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[
        files_contract({"s/a.json": {}, "p.yaml": "{}"}, {"schemas": "s/", "profiles": "p.yaml"})
    ],
    rejects=[
        files_contract({}, {"suites": "suites/"}),
        files_contract({"a.json": {}}, {"schemas": "a.jso"}),
        files_contract(
            {}, {"declarations": {"mcp_tools": [{"profile": "default", "file": "t.json"}]}}
        ),
    ],
)
def files_exist(contract: Contract) -> Iterator[Said]:
    """Every file and folder the manifest names is in the bundle, and no folder is empty.

    Why: what is missing cannot be verified, and would read as if there were nothing to verify.
    Fix: add the file, or remove the reference.
    """
    if not contract.has_manifest:
        yield _NO_MANIFEST
        return
    for reference in contract.manifest.references:
        if not any(reference.covers(path) for path in contract.files):
            yield Violation(
                f"{reference.purpose} names {reference.path!r}, which is not in the bundle",
                path=MANIFEST_FILE,
                pointer=reference.pointer,
                line=contract.line_of(MANIFEST_FILE, reference.pointer),
                seen=reference.path,
            )


@check(
    id="bundle.references.every-file-named",
    reason_code="FILE_NOT_REFERENCED",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[files_contract({"schemas/deep/a.json": {}}, {"schemas": "schemas/"})],
    rejects=[
        files_contract({"notes.txt": "hello"}),
        files_contract({"schemas2/a.json": {}, "schemas/a.json": {}}, {"schemas": "schemas"}),
    ],
)
def every_file_named(contract: Contract) -> Iterator[Said]:
    """Every file in the bundle is referenced by the manifest.

    Why: an unreferenced file is pinned and published, yet nobody says what it is for.
    Fix: name the file or its folder in bundle.yaml, or take it out of the bundle.
    """
    if not contract.has_manifest:
        yield _NO_MANIFEST
        return
    references = contract.manifest.references
    for path in contract.files:
        if path != MANIFEST_FILE and not any(r.covers(path) for r in references):
            yield Violation("the manifest names neither this file nor its folder", path=path)
