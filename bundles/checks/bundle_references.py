"""The manifest and the files agree: everything named is there, everything there is named."""

from collections.abc import Iterator

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.contract import DOCUMENT_SUFFIXES, Contract, files_contract
from bundles.manifest import MANIFEST_FILE
from bundles.verdict import Layer, Severity, Stage

_SPEC = "bundle format, manifest"
_SINGLE = {"declarations.mcp_tools", "profiles", "expected_results.reason_codes"}
READ_AS_DOCUMENTS = {
    *_SINGLE,
    "suites",
    "schemas",
    "examples.positive_cases",
    "examples.negative_cases",
}
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


@check(
    id="bundle.references.documents",
    reason_code="REFERENCED_FILE_NOT_A_DOCUMENT",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[
        files_contract({"s/a.json": {}, "p.yaml": "{}"}, {"schemas": "s/", "profiles": "p.yaml"})
    ],
    rejects=[
        files_contract({"schemas/a.txt": "{}"}, {"schemas": "schemas/"}),
        files_contract({"t/a.json": []}, {"declarations": {"mcp_tools": "t/"}}),
        files_contract({"codes.txt": ""}, {"expected_results": {"reason_codes": "codes.txt"}}),
    ],
)
def documents_where_read(contract: Contract) -> Iterator[Said]:
    """Where the harness reads documents, the manifest names JSON or YAML files.

    Why: a schema, suite or snapshot under another name would be passed over in silence.
    Fix: end the name in .json, .yaml or .yml; name the snapshot, profiles and reason codes as
    files, not folders.
    """
    if not contract.has_manifest:
        yield _NO_MANIFEST
        return
    for reference in contract.manifest.references:
        if reference.purpose not in READ_AS_DOCUMENTS:
            continue
        covered = [path for path in contract.files if reference.covers(path)]
        is_folder = bool(covered) and reference.path not in contract.files
        if is_folder and reference.purpose in _SINGLE:
            yield Violation(
                f"{reference.purpose} names a folder where one file is expected",
                path=MANIFEST_FILE,
                pointer=reference.pointer,
                line=contract.line_of(MANIFEST_FILE, reference.pointer),
                seen=reference.path,
            )
        for path in covered:
            if not path.endswith(DOCUMENT_SUFFIXES):
                yield Violation(
                    f"{reference.purpose} covers a file that is neither JSON nor YAML", path=path
                )
