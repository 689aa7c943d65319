"""The inputs of suites, compared with what the bundle's own snapshots declare of the tools."""

from collections.abc import Iterator
from typing import Any

from bundles.check import NotApplicable, Said, Subject, Violation, check
from bundles.contract import Contract, files_contract
from bundles.errors import Refused
from bundles.json_walk import escape_pointer
from bundles.report.cut import cut
from bundles.suite.input_contract import InputCode, InputFinding, InputSeverity, check_inputs
from bundles.suite.model import load_suite
from bundles.suite.selection import select
from bundles.verdict import Layer, Severity, Stage

_TOOL = {
    "name": "echo",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
    },
}


def _suite(given: dict[str, Any], *, rejected: bool = False) -> Contract:
    document = {
        "schemaVersion": 1,
        "id": "smoke",
        "name": "Smoke",
        "cases": [
            {
                "id": "calls",
                "name": "Calls the tool",
                "operation": {"type": "callTool", "tool": "echo", "input": given},
                "assertions": [{"type": "isError", "expected": rejected}],
            }
        ],
    }
    manifest = {"suites": "s.json", "declarations": {"mcp_tools": "t.json"}}
    return files_contract({"s.json": document, "t.json": [_TOOL]}, manifest)


@check(
    id="bundle.suites.inputs-declared",
    reason_code="SUITE_INPUT_UNDECLARED",
    subject=Subject.BUNDLE,
    stages=[Stage.STATIC],
    layer=Layer.SCHEMA,
    severity=Severity.SHOULD,
    spec="suite format, input contract",
    accepts=[_suite({"text": "hello"}), _suite({}, rejected=True), files_contract()],
    rejects=[_suite({"txt": "hello"}), _suite({"text": 7})],
)
def inputs_declared(contract: Contract) -> Iterator[Said]:
    """Where a case does not expect a rejection, its input keeps what the snapshots declare.

    Why: such a case fails on a server that keeps its contract, and passes on one that does not.
    Fix: correct the input; where it breaks the declaration on purpose, expect isError true.
    """
    if not contract.suites or not contract.snapshots:
        yield NotApplicable("the bundle has no suites, or no snapshot to compare them with")
        return
    for path, document in contract.suites.items():
        try:
            suite = load_suite(document)
        except Refused:
            continue  # `bundle.suites.valid` says why
        told: set[tuple[str, InputCode, str]] = set()
        for profile in contract.snapshots:
            chosen = select(suite, profile=profile).suite
            for found in check_inputs(chosen, contract.snapshot_for(profile) or ()).findings:
                key = (found.case_id, found.code, found.path)
                if _counts(found) and key not in told:
                    told.add(key)
                    yield _violation(contract, path, found, profile)


def _counts(found: InputFinding) -> bool:
    """Whether a finding is a contradiction; `bundle.suites.tools-exist` names unknown tools."""
    contradicts = found.severity is InputSeverity.BLOCKING or found.code is InputCode.RANGE_MISMATCH
    return contradicts and found.code is not InputCode.TOOL_NOT_DECLARED


def _violation(contract: Contract, path: str, found: InputFinding, profile: str) -> Violation:
    pointer = _pointer(contract.suites[path], found)
    return Violation(
        f"case {cut(found.case_id, 100)}, profile {profile}: {found.message}",
        path=path,
        pointer=pointer,
        line=contract.line_of(path, pointer),
    )


def _pointer(document: Any, found: InputFinding) -> str:
    """The field in the case's input, or the input where the field is what is missing."""
    for section in ("setup", "cases", "teardown"):
        for index, case in enumerate(document.get(section, ())):
            if case["id"] == found.case_id:
                at = f"/{section}/{index}/operation/input"
                if found.code is InputCode.REQUIRED_MISSING:
                    return at
                return f"{at}/{escape_pointer(found.path.removeprefix('input.'))}"
    return ""
