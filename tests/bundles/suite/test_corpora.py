"""Agreement with recorded facts about the format, where the recordings are at hand.

The recordings are not part of this project. Without them the tests check that the project's own
cases, beside this file, say the same kinds of things.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bundles.suite import reading
from bundles.suite.assertions import judge_case
from bundles.suite.axes import coverage_of
from bundles.suite.determinism import NO_RESPONSE, CaseRecord, compare_runs
from bundles.suite.diagnostics import describe, sentence
from bundles.suite.difference import ABSENT, ROOT
from bundles.suite.extraction import Extracted, extract_body
from bundles.suite.fingerprint import fingerprint
from bundles.suite.input_contract import check_inputs
from bundles.suite.language import KOREAN
from bundles.suite.model import Assertion, Case, Operation, Suite
from bundles.suite.rejection import rejection_basis
from bundles.suite.schema import match
from bundles.suite.validate import validate_suite
from bundles.transcript import Exchange

RECORDED = Path(__file__).parents[4] / "shared" / "corpora" / "mcpeak"
OWN = Path(__file__).with_name("facts")


def rows(name: str, kind: str) -> Iterator[dict[str, Any]]:
    for folder in (OWN, RECORDED):
        file = folder / f"{name}.jsonl"
        if not file.exists():
            continue
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["kind"] == kind:
                yield row


def value(row: dict[str, Any], name: str) -> Any:
    return reading.parse(row[f"{name}_text"]) if f"{name}_text" in row else row[name]


def finite(recorded: Any) -> Any:
    """Infinity as JavaScript writes it."""
    return None if recorded == float("inf") else recorded


def test_validation_agrees_with_every_fact() -> None:
    seen = 0
    for row in rows("suite_validation", "suite"):
        found = [(i.code.value, i.path) for i in validate_suite(value(row, "suite"))]
        assert found == [(i["code"], i["path"]) for i in row["expected"]["issues"]], row["id"]
        seen += 1
    assert seen


def test_matching_agrees_with_every_fact() -> None:
    seen = 0
    for row in rows("schema_match", "match"):
        compared = match(value(row, "schema"), value(row, "value"))
        found = [
            {
                "code": v.code.value,
                "path": v.path,
                "expected": v.expected,
                "actual": finite(v.actual),
            }
            | ({} if v.observed_keys is None else {"observedKeys": list(v.observed_keys)})
            for v in compared.violations
        ]
        assert found == row["expected"]["violations"], row["id"]
        assert compared.total == row["expected"]["total"], row["id"]
        told = [sentence(describe(violation), KOREAN) for violation in compared.violations]
        assert told == row["expected"].get("messages_ko", told), row["id"]
        seen += 1
    assert seen


def test_extraction_agrees_with_every_fact() -> None:
    seen = 0
    for row in rows("assertion", "extract"):
        body = extract_body(row["response"])
        found = (
            {"ok": True, "form": body.form, "body": body.value}
            if isinstance(body, Extracted)
            else {"ok": False, "code": body.code.value, "actual": body.actual}
        )
        assert found == row["expected"], row["id"]
        seen += 1
    assert seen


def test_judgement_agrees_with_every_fact() -> None:
    seen = 0
    for row in rows("assertion", "assert"):
        case = Case("c", "C", 1000, operation(row), tuple(map(assertion, row["assertions"])))
        exchange = Exchange("suite:s:c", 0, {}, message=message(row))
        secrets = row.get("redaction", {}).get("sensitiveValues", ())
        outcome = judge_case(case, exchange, secrets=secrets).to_dict()
        expected = row["expected"]
        assert outcome["status"] == expected["case_status"], row["id"]
        if "operation_status" in expected:
            assert outcome["operation"]["status"] == expected["operation_status"], row["id"]
        for found, wanted in zip(outcome["assertions"], expected["assertions"], strict=True):
            for violation in found.get("violations", ()):
                for extra in violation.keys() - {"code", "path"}:
                    del violation[extra]
            assert {name: found.get(name) for name in wanted} == wanted, row["id"]
        if "rejection_basis" in expected:
            assert outcome["rejectionBasis"] == without_known_defects(row), row["id"]
        seen += 1
    assert seen


def test_rejection_bases_agree_with_every_fact_that_is_no_known_defect() -> None:
    seen = 0
    for row in rows("rejection_basis", "basis"):
        result = {"isError": True, "content": [{"type": "text", "text": row["body"]}]}
        known_defect = ": 0 validation errors" in row["body"] or "Arguments-" in row["body"]
        expected = "unverified" if known_defect else row["expected"]
        assert rejection_basis(row["tool"], result) == expected, row["id"]
        seen += 1
    assert seen


def test_fingerprints_agree_with_every_fact() -> None:
    seen = 0
    for row in rows("fingerprint", "fingerprint"):
        assert fingerprint(value(row, "suite")) == row["expected"], row["id"]
        seen += 1
    assert seen


def without_known_defects(row: dict[str, Any]) -> str:
    """What the facts say of the basis; the reference takes a call that was accepted for refused."""
    recorded = str(row["expected"]["rejection_basis"])
    accepted = "response" in row and row["response"].get("isError") is not True
    return "unverified" if accepted and recorded == "verified" else recorded


def operation(row: dict[str, Any]) -> Operation:
    return Operation("listTools") if "tools" in row else Operation("callTool", "t", {})


def assertion(written: dict[str, Any]) -> Assertion:
    return Assertion(
        written["type"],
        written.get("tool", ""),
        written.get("expected", False),
        written.get("schema", {}),
    )


def message(row: dict[str, Any]) -> dict[str, Any]:
    if "throws" in row:
        return {"id": 1, "error": {"code": -32603, "message": row["throws"]}}
    if "tools" in row:
        return {"id": 1, "result": {"tools": [{"name": name} for name in row["tools"]]}}
    return {"id": 1, "result": row["response"]}


def declared(row: dict[str, Any]) -> Case:
    expectations = [Assertion("isError", expected=e) for e in row.get("expect_errors", ())]
    name = row.get("tool") if isinstance(row.get("tool"), str) else "t"
    operation = Operation("callTool", str(name), row.get("input", {}))
    return Case("case", "case", 1000, operation, tuple(expectations))


def test_inputs_are_compared_with_declarations_as_every_fact_says() -> None:
    seen = 0
    for row in rows("input_contract", "contract"):
        found = check_inputs(Suite("s", "s", (declared(row),)), row["tools"])
        listed = [
            {k: v for k, v in one.to_dict().items() if k not in ("caseId", "message", "reason")}
            for one in found.findings
        ]
        assert {"total": found.total, "findings": listed} == row["expected"], row["id"]
        seen += 1
    assert seen


def test_axes_are_derived_and_covered_as_every_fact_says() -> None:
    seen = 0
    for row in rows("contract_axes", "axes"):
        (tool,) = coverage_of([Suite("s", "s", (declared(row),))], [row["tool"]]).tools
        said = {
            "analyzable": not tool.unreadable,
            "reason": tool.unreadable or None,
            "unanalyzed_fields": list(tool.unread_fields),
            "axes": [str(axis.axis) for axis in tool.axes],
        }
        if "covered" in row["expected"]:
            said["covered"] = [str(a.axis) for a in tool.axes if a.case_id == "case"]
        assert said == row["expected"], row["id"]
        seen += 1
    assert seen


def observed(recorded: dict[str, Any]) -> CaseRecord:
    status, statuses = recorded.get("status", "passed"), recorded.get("assertions", ())
    if "response" in recorded:
        return CaseRecord("c", "c", "t", status, tuple(statuses), recorded["response"])
    return CaseRecord("c", "c", "t", status, tuple(statuses))


SAID_IN_KOREAN = {NO_RESPONSE: "(응답 없음)", ABSENT: "(없음)", ROOT: "(루트)"}


def test_two_runs_are_compared_as_every_fact_says() -> None:
    seen = 0
    for row in rows("determinism", "determinism"):
        compared = compare_runs(
            map(observed, row["first"]),
            map(observed, row["second"]),
            state_restored=row["state_restored"],
        ).to_dict()
        for difference in compared["differences"]:
            for added in ("caseId", "caseName", "toolName", "inside"):
                difference.pop(added, None)
            for member, said in difference.items():
                difference[member] = SAID_IN_KOREAN.get(said, said)
        assert compared == row["expected"], row["id"]
        seen += 1
    assert seen
