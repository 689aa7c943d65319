"""The coverage policy: one document, with members and values that are known."""

from collections.abc import Iterator

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.contract import Contract, files_contract
from bundles.coverage_policy import read_coverage_policy
from bundles.verdict import Layer, Severity, Stage


def _policy(document: object) -> Contract:
    return files_contract({"c.json": document}, {"coverage": "c.json"})


@check(
    id="bundle.coverage.policy-known",
    reason_code="COVERAGE_POLICY_INVALID",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec="bundle format, coverage",
    accepts=[
        _policy({"suites": {"contract_axes": {"minimum": 0.8}, "determinism": "required"}}),
        _policy({"coverage_policy": {"protocol_core": "all_supported_bindings"}}),
        files_contract(),
    ],
    rejects=[
        _policy([]),
        _policy({"suits": {}}),
        _policy({"suites": {"contract_axes": {"minimum": 80}}}),
        _policy({"suites": {"contract_axes": {}}}),
        _policy({"suites": {"determinism": True}}),
        _policy({"prior_incidents": "sometimes"}),
        files_contract({"c/a.json": {}, "c/b.json": {}}, {"coverage": "c/"}),
    ],
)
def policy_known(contract: Contract) -> Iterator[Said]:
    """The coverage policy is one document, and every member and value in it is known.

    Why: a demand that nobody reads would look as if it had been met.
    Fix: correct the member that is named; the nearest known one is suggested.
    """
    paths = [path for path in contract.files_of("coverage") if path in contract.documents]
    if not paths:
        yield NotApplicable("the bundle has no coverage policy")
    for path in paths[1:]:
        yield Violation(f"{paths[0]} is a coverage policy too; one counts", path=path, line=1)
    for path in paths[:1]:
        for issue in read_coverage_policy(contract.documents[path])[1]:
            yield Violation(
                issue.message,
                path=path,
                pointer=issue.pointer,
                line=contract.line_of(path, issue.pointer),
                seen=issue.seen,
                expected=issue.expected,
            )
