"""Agreement with recorded facts about generated cases, where the recordings are at hand.

The project's own facts, beside the suite tests, say the same kinds of things.
"""

import json
from typing import Any

from bundles.suite.generate import Generated, GenerationRefused, Policy, generate_suite
from tests.bundles.suite.test_corpora import rows


def generated(row: dict[str, Any]) -> Generated:
    policy = Policy.V2 if row["policy"] == Policy.V2.value else Policy.V3
    return generate_suite(row["tools"], policy=policy)


def cases(made: Generated) -> list[dict[str, Any]]:
    return [
        {
            "id": case["id"],
            "tool": case["operation"]["tool"],
            "input": case["operation"]["input"],
            "expect_error": case["assertions"][0]["expected"],
        }
        for case in made.suite["cases"]
    ]


def refusal_of(row: dict[str, Any]) -> dict[str, Any] | None:
    try:
        generated(row)
    except GenerationRefused as refusal:
        return {"error": refusal.reason_code, "path": refusal.path}
    return None


def test_generation_agrees_with_every_fact() -> None:
    seen = 0
    for row in rows("generate", "generate"):
        seen += 1
        expected = row["expected"]
        if expected.get("error"):
            assert refusal_of(row) == expected, row["id"]
            continue
        made = generated(row)
        found = cases(made)
        if "cases" in expected:
            assert json.dumps(found) == json.dumps(expected["cases"]), row["id"]
            assert [left.tool for left in made.skipped] == [
                left if isinstance(left, str) else left["name"] for left in expected["skipped"]
            ], row["id"]
        if "coverage" in expected:
            counted = {"verified": made.coverage.covered, "total": made.coverage.total}
            assert counted == expected["coverage"], row["id"]
        assert not [c for c in expected.get("contains_cases", ()) if c not in found], row["id"]
        inputs = [case["input"] for case in found]
        assert not [i for i in expected.get("contains_inputs", ()) if i not in inputs], row["id"]
        ids = {case["id"] for case in found}
        assert not ids & set(expected.get("absent_ids", ())), row["id"]
        if "last_case" in expected:
            assert found[-1] == expected["last_case"], row["id"]
        if "success_assertions" in expected:
            assert made.suite["cases"][0]["assertions"] == expected["success_assertions"], row["id"]
        if "output_contract_skip_path" in expected:
            where = [left.path for left in made.uncovered_outputs]
            assert where == [expected["output_contract_skip_path"]], row["id"]
    assert seen
