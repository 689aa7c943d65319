"""Suites that were approved: still the ones that were."""

from collections.abc import Iterator
from typing import Any

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.contract import Contract, files_contract
from bundles.suite.fingerprint import approval_of, fingerprint
from bundles.suite.validate import validate_suite
from bundles.verdict import Layer, Severity, Stage


def _suite(name: str, approved_as: str | None = None) -> dict[str, Any]:
    suite: dict[str, Any] = {
        "schemaVersion": 1,
        "id": "smoke",
        "name": name,
        "cases": [
            {
                "id": "lists",
                "name": "Lists the tool",
                "operation": {"type": "listTools"},
                "assertions": [{"type": "toolExists", "tool": "echo"}],
            }
        ],
    }
    if approved_as is not None:
        suite["approval"] = {"fingerprint": fingerprint(suite | {"name": approved_as})}
    return suite


def _suites(*documents: object) -> Contract:
    files: dict[str, object] = {f"suites/{n}.json": d for n, d in enumerate(documents)}
    return files_contract(files, {"suites": "suites/"})


@check(
    id="bundle.suites.approval-current",
    reason_code="SUITE_APPROVAL_DRIFTED",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.POLICY,
    spec="suite format, approval",
    accepts=[
        _suites(_suite("Smoke", approved_as="Smoke"), _suite("Never approved")),
        _suites({**_suite("Not valid"), "approval": {"fingerprint": "?"}}),
        files_contract(),
    ],
    rejects=[_suites(_suite("Changed", approved_as="Smoke"))],
)
def approval_current(contract: Contract) -> Iterator[Said]:
    """A suite that records an approval is the one that was approved.

    Why: a suite that was changed after somebody looked at it may assert less than they agreed to.
    Fix: look at the change; then `bundlegate suite approve FILE`, or take the change back.
    """
    approved = False
    for path, document in contract.suites.items():
        if not (isinstance(document, dict) and "approval" in document) or validate_suite(document):
            continue  # what is not valid is the finding of `bundle.suites.valid`
        approved = True
        approval = approval_of(document)
        if approval.state == "drifted":
            pointer = "/approval/fingerprint"
            yield Violation(
                "the suite has changed since it was approved",
                path=path,
                pointer=pointer,
                line=contract.line_of(path, pointer),
                seen=approval.computed,
                expected=approval.recorded,
            )
    if not approved:
        yield NotApplicable("no suite of the bundle records an approval")
