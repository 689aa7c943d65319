"""Agreement with recorded facts about generated cases, where the recordings are at hand.

The project's own facts, beside the suite tests, say the same kinds of things.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs

from bundles.suite.generate import Generated, GenerationRefused, Policy, generate_suite
from tests.bundles.suite.test_corpora import rows

SERVED = Path(__file__).parents[5] / "shared" / "corpora" / "toolsnaps"
EXAMPLE = Path(__file__).parents[4] / "examples/weather/bundle/mcp-tools.snapshot.json"


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


def served() -> Iterator[list[dict[str, Any]]]:
    """Tool lists that servers serve: the example's, and recorded ones where they are at hand."""
    for file in (EXAMPLE, *sorted(SERVED.rglob("*.json"))):
        document = json.loads(file.read_text())
        yield document["tools"] if isinstance(document, dict) else document


def test_every_tool_that_servers_serve_is_followed_or_named() -> None:
    for tools in served():
        made = generate_suite(tools)
        called = {case["operation"]["tool"] for case in made.suite["cases"]}
        assert called | {left.tool for left in made.skipped} == {tool["name"] for tool in tools}
        assert made.coverage.covered == made.coverage.total
        validators = {
            tool["name"]: jsonschema_rs.validator_for(tool["inputSchema"]) for tool in tools
        }
        for case in made.suite["cases"]:
            refused = case["assertions"][0]["expected"]
            operation = case["operation"]
            assert validators[operation["tool"]].is_valid(operation["input"]) is not refused


def test_keywords_that_are_not_aimed_at_are_met_or_named() -> None:
    def fields(**properties: Any) -> dict[str, Any]:
        schema = {"type": "object", "properties": properties, "required": list(properties)}
        return {"name": "t", "inputSchema": schema}

    met = {"type": "array", "items": {"type": "integer"}, "uniqueItems": True, "maxItems": 3}
    made = generate_suite([fields(v=met)])
    assert made.suite["cases"][0]["operation"]["input"] == {"v": [0]}
    assert [(left.path, left.message) for left in made.uncovered_fields] == [
        ("v", "the schema refuses the bound-upper case")
    ]
    missed = {"type": "integer", "minimum": 1, "multipleOf": 5}
    refused = refusal_of({"policy": "schema-baseline-v3", "tools": [fields(v=missed)]})
    assert refused == {"error": "UNSUPPORTED_SCHEMA", "path": "tools[0].inputSchema"}


def test_what_is_mirrored_into_headers_is_not_broken() -> None:
    region = {"type": "string", "x-mcp-header": "Region"}
    schema = {"type": "object", "properties": {"region": region}, "required": ["region"]}
    made = generate_suite([{"name": "t", "inputSchema": schema}])
    assert [case["id"] for case in made.suite["cases"]] == ["t-success"]
    assert [left.path for left in made.uncovered_fields] == ["region"]
