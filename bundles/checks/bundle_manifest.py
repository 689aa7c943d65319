"""bundle.yaml: it is there, names a contract, pins it, and says nothing unknown."""

from collections.abc import Iterator

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.contract import Contract, files_contract
from bundles.manifest import MANIFEST_FILE
from bundles.manifest_reader import Kind
from bundles.verdict import Layer, Severity, Stage

_SPEC = "bundle format, manifest"
_SOUND = files_contract(
    manifest={
        "contract_version": "3.4.0-rc.1+build.5",
        "producer": {"agent_id": "a", "artifact_digest": ["sha256:" + "a" * 64]},
        "safe_tools": ["lookup", {"tool": "echo", "arguments": {"text": "hi"}}],
        "observers": ["records"],
    }
)


@check(
    id="bundle.readable.manifest-present",
    reason_code="MANIFEST_MISSING",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_SOUND],
    rejects=[Contract.read({}), Contract.read({"inner/bundle.yaml": b"contract_bundle: {}"})],
)
def manifest_present(contract: Contract) -> Iterator[Said]:
    """A bundle has a bundle.yaml at its root.

    Why: the manifest is what gives every other file its meaning.
    Fix: pack the folder's content, not the folder: `tar -czf bundle.tar.gz -C FOLDER .`
    """
    if MANIFEST_FILE not in contract.files:
        inner = next((path for path in contract.files if path.endswith("/" + MANIFEST_FILE)), None)
        yield Violation(
            "there is no bundle.yaml at the root of the bundle",
            seen=inner or list(contract.files)[:5],
            expected=MANIFEST_FILE,
            next_step=(
                f"Pack the content of {inner.removesuffix('/' + MANIFEST_FILE)}/, not the folder."
                if inner
                else "Start one with `bundlegate bundle init`."
            ),
        )


@check(
    id="bundle.readable.manifest-identity",
    reason_code="MANIFEST_IDENTITY_UNREADABLE",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_SOUND],
    rejects=[
        files_contract({MANIFEST_FILE: "[]"}),
        files_contract(manifest={"contract_id": None}),
        files_contract(manifest={"contract_id": 7}),
        files_contract(manifest={"protocol": {}}),
        files_contract(manifest={"producer": "someone"}),
        files_contract(manifest={"producer": {}}),
    ],
)
def manifest_identity(contract: Contract) -> Iterator[Said]:
    """The manifest says which contract of which producer, under which protocol, it is.

    Why: evidence is filed under these names.
    Fix: give contract_id, protocol and producer.agent_id.
    """
    yield from _problems(contract, Kind.IDENTITY)


@check(
    id="bundle.pinned.contract-version",
    reason_code="CONTRACT_VERSION_NOT_PINNED",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="bundle format, manifest; SemVer 2.0.0",
    accepts=[_SOUND],
    rejects=[
        files_contract(manifest={"contract_version": version})
        for version in (None, 3.4, 3, "3.4", "v3.4.0", "latest", "03.4.0", "", True, ["3.4.0"])
    ],
)
def contract_version_pinned(contract: Contract) -> Iterator[Said]:
    """The contract version is a SemVer version, written as a string.

    Why: `3.4` unquoted is a number in YAML, and 3.10 would read as 3.1; a tag moves.
    Fix: write three parts, such as 3.4.0.
    """
    yield from _problems(contract, Kind.VERSION)


@check(
    id="bundle.pinned.artifact",
    reason_code="ARTIFACT_DIGEST_NOT_PINNED",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_SOUND],
    rejects=[
        files_contract(manifest={"producer": {"agent_id": "a", "artifact_digest": pin}})
        for pin in ("latest", "v1.2.3", "sha256:abc", "SHA256:" + "A" * 64, [], ["latest"], 7)
    ],
)
def artifact_pinned(contract: Contract) -> Iterator[Said]:
    """An artifact is named by its digest.

    Why: a tag can move to another build after the evidence was made.
    Fix: give sha256:<64 hex>, a list of them, or leave it out: each candidate then brings its pin.
    """
    yield from _problems(contract, Kind.ARTIFACT)


@check(
    id="bundle.manifest.protocol-supported",
    reason_code="PROTOCOL_VERSION_UNSUPPORTED",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[
        _SOUND,
        files_contract(
            manifest={"protocol": {"a2a": "1.0", "mcp": "2025-11-25", "json_schema": "2020-12"}}
        ),
    ],
    rejects=[
        files_contract(manifest={"protocol": protocol})
        for protocol in (
            {"mcp": "2024-11-05"},
            {"mcp": "latest"},
            {"a2a": 1.0},
            {"mcp": "2026-07-28", "json_schema": "draft-07"},
        )
    ],
)
def protocol_supported(contract: Contract) -> Iterator[Said]:
    """Every protocol version named is one this harness can verify.

    Why: a version nobody exercised would be admitted unseen.
    Fix: name a supported version, as a quoted string.
    """
    yield from _problems(contract, Kind.PROTOCOL)


@check(
    id="bundle.manifest.known-keys",
    reason_code="MANIFEST_UNKNOWN_KEY",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_SOUND],
    rejects=[
        files_contract(manifest={"suite": "suites/"}),
        files_contract(manifest={"producer": {"agent_id": "a", "artefact_digest": "x"}}),
        files_contract(manifest={"models": {"error": "errors.yaml"}}),
        files_contract(manifest={"safe_tools": [{"tool": "a", "args": {}}]}),
    ],
)
def known_keys(contract: Contract) -> Iterator[Said]:
    """The manifest has no key that this format does not know.

    Why: a misspelled key would switch a part of the contract off in silence.
    Fix: use the key suggested, or remove it.
    """
    yield from _problems(contract, Kind.UNKNOWN_KEY)


@check(
    id="bundle.manifest.fields",
    reason_code="MANIFEST_FIELD_INVALID",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_SOUND],
    rejects=[
        files_contract(manifest={"suites": ["a.json"]}),
        files_contract(manifest={"suites": "../elsewhere/"}),
        files_contract(manifest={"models": "models/"}),
        files_contract(manifest={"declarations": {"mcp_tools": [{"file": "a.json"}]}}),
        files_contract(manifest={"safe_tools": "lookup"}),
        files_contract(manifest={"safe_tools": [{"tool": "a", "arguments": [1]}]}),
        files_contract(manifest={"safe_tools": [7]}),
        files_contract(manifest={"observers": ["a", "a"]}),
    ],
)
def fields_valid(contract: Contract) -> Iterator[Said]:
    """Every field of the manifest has the form the format gives it.

    Why: a field of another form cannot be acted on, and nothing is ignored in silence.
    Fix: correct the field as expected.
    """
    yield from _problems(contract, Kind.FIELD)


def _problems(contract: Contract, kind: Kind) -> Iterator[Said]:
    if MANIFEST_FILE not in contract.documents:
        yield NotApplicable("there is no readable bundle.yaml")
        return
    for problem in contract.manifest_problems:
        if problem.kind is kind:
            yield Violation(
                problem.message,
                path=MANIFEST_FILE,
                pointer=problem.pointer,
                line=contract.line_of(MANIFEST_FILE, problem.pointer),
                seen=problem.seen,
                expected=problem.expected,
            )
