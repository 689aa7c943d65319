"""Expected results: the codes named are codes this product gives, for cases that exist."""

from collections.abc import Iterator

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.contract import Contract, files_contract
from bundles.json_walk import escape_pointer
from bundles.lock import published
from bundles.verdict import Layer, Severity, Stage

_SPEC = "bundle format, expected_results.reason_codes"
_NONE = NotApplicable("the bundle names no expected reason codes")
_CASES = [{"case": "duplicate-key"}, {"case": "missing-file"}]


def _codes(document: object) -> Contract:
    return files_contract(
        {"codes.yaml": document, "cases/negative/a.json": _CASES},
        {
            "expected_results": {"reason_codes": "codes.yaml"},
            "examples": {"negative_cases": "cases/negative/"},
        },
    )


_SOUND = _codes({"duplicate-key": "JSON_DUPLICATE_KEY", "missing-file": "REFERENCED_FILE_MISSING"})


@check(
    id="bundle.reason-codes.known",
    reason_code="EXPECTED_REASON_CODE_UNKNOWN",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_SOUND],
    rejects=[
        _codes({"duplicate-key": "JSON_DUPLICATE_KEYS", "missing-file": "REFERENCED_FILE_MISSING"}),
        _codes({"duplicate-key": 7, "missing-file": "REFERENCED_FILE_MISSING"}),
        _codes([]),
    ],
)
def codes_known(contract: Contract) -> Iterator[Said]:
    """Every expected reason code is one this product publishes.

    Why: a code nobody gives can never be seen, so the expectation could only fail.
    Fix: take the code from `bundlegate checks`.
    """
    paths = _paths(contract)
    if not paths:
        yield _NONE
    for path in paths:
        document = contract.documents[path]
        if not isinstance(document, dict):
            yield Violation("expected a mapping from case id to reason code", path=path, line=1)
            continue
        for case, code in document.items():
            if not isinstance(code, str) or code not in published():
                pointer = f"/{escape_pointer(case)}"
                yield Violation(
                    f"no check gives the code expected for case {case[:100]!r}",
                    path=path,
                    pointer=pointer,
                    line=contract.line_of(path, pointer),
                    seen=code[:100] if isinstance(code, str) else type(code).__name__,
                )


@check(
    id="bundle.reason-codes.cases-exist",
    reason_code="EXPECTED_REASON_CODE_WITHOUT_CASE",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.DECLARATION,
    severity=Severity.MUST,
    spec=_SPEC,
    accepts=[_SOUND],
    rejects=[_codes({"no-such-case": "JSON_DUPLICATE_KEY"})],
)
def cases_exist(contract: Contract) -> Iterator[Said]:
    """Every case with an expected reason code exists in a suite or a case file.

    Why: an expectation about a case nobody runs is never checked.
    Fix: correct the case's id.
    """
    paths = _paths(contract)
    if not paths:
        yield _NONE
    shown = sorted(contract.case_ids)[:20]
    for path in paths:
        document = contract.documents[path]
        for case in document if isinstance(document, dict) else ():
            if case not in contract.case_ids:
                pointer = f"/{escape_pointer(case)}"
                yield Violation(
                    "no suite or case file has a case of this id",
                    path=path,
                    pointer=pointer,
                    line=contract.line_of(path, pointer),
                    seen=case[:100],
                    expected=shown,
                )


def _paths(contract: Contract) -> list[str]:
    found = contract.files_of("expected_results.reason_codes")
    return [path for path in found if path in contract.documents]
