"""Static judgement: one pass, a stable order, and what is refused rather than kept."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.check import MOST_FINDINGS, registry
from bundles.contract import Contract, files_contract
from bundles.planning import make_plan
from bundles.static import REFUSING_FAMILIES, findings_of, judge_bundle, refusal_of
from bundles.verdict import Verdict, of_run

SOUND = files_contract(
    {
        "t.json": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]},
        "suites/smoke.json": {
            "schemaVersion": 1,
            "id": "smoke",
            "name": "Smoke",
            "cases": [
                {
                    "id": "a",
                    "name": "A",
                    "operation": {"type": "listTools"},
                    "assertions": [{"type": "toolExists", "tool": "echo"}],
                }
            ],
        },
    },
    {
        "declarations": {"mcp_tools": "t.json"},
        "suites": "suites/",
        "safe_tools": ["echo"],
        "observers": ["files"],
    },
)


def test_a_sound_bundle_passes_and_says_what_it_does_not_cover():
    outcomes = judge_bundle(SOUND)
    assert of_run(o.verdict for o in outcomes) is Verdict.PASS
    assert refusal_of(outcomes) is None
    assert "models.invariants" in SOUND.not_covered
    assert "suites" not in SOUND.not_covered


def test_what_is_declared_and_not_judged_yet_is_not_called_covered():
    contract = files_contract({"e.yaml": "{}"}, {"models": {"errors": "e.yaml"}})
    assert "models.errors (declared, not judged by this harness)" in contract.not_covered


def test_a_profile_without_a_snapshot_is_not_covered_where_another_has_one():
    profiles = {"p.yaml": {"a": {}, "b": {}}, "t.json": []}
    pinned = {"mcp_tools": [{"profile": "a", "file": "t.json"}]}
    contract = files_contract(profiles, {"profiles": "p.yaml", "declarations": pinned})
    assert "declarations.mcp_tools of profile b" in contract.not_covered
    assert "declarations.mcp_tools of profile a" not in contract.not_covered
    assert contract.snapshot_for("b") is None


def test_every_static_check_gives_an_outcome_in_id_order():
    ids = [o.check.id for o in judge_bundle(SOUND)]
    assert ids == sorted(ids)
    assert {i for i in registry() if i.startswith("bundle.")} == set(ids)


BROKEN = {
    "b/two.json": b'{"a": 1, "a": 2}',
    "b/one.json": b"\n\n[NaN]",
    "c.json": b"[]",
}


def test_findings_are_ordered_by_path_line_and_pointer():
    found = findings_of(judge_bundle(files_contract(BROKEN)))
    places = [(f.path, f.line or 0, f.pointer) for f in found]
    assert places == sorted(places)
    assert len({f.reason_code for f in found}) > 2


def test_the_same_bundle_is_judged_the_same_whatever_the_order_of_its_files():
    one = findings_of(judge_bundle(Contract.read({**BROKEN, **SOUND.files})))
    two = findings_of(
        judge_bundle(Contract.read({**SOUND.files, **dict(reversed(BROKEN.items()))}))
    )
    assert one == two


@pytest.mark.parametrize(
    ("contract", "code"),
    [
        (files_contract(BROKEN), "JSON_NOT_FINITE"),
        (Contract.read({}), "MANIFEST_MISSING"),
        (files_contract(manifest={"contract_version": "latest"}), "CONTRACT_VERSION_NOT_PINNED"),
        (files_contract(manifest={"producer": {"agent_id": "a", "artifact_digest": "v1"}}),
         "ARTIFACT_DIGEST_NOT_PINNED"),
        (files_contract({"f.txt": "-----BEGIN " + "PRIVATE KEY-----"}, {"fixtures": "f.txt"}),
         "SECRET_IN_BUNDLE"),
    ],
)  # fmt: skip
def test_unreadable_unpinned_and_secret_bearing_bundles_are_refused(contract, code):
    refusal = refusal_of(judge_bundle(contract))
    assert refusal is not None
    assert refusal.reason_code == code
    assert refusal.next_steps
    assert refusal.to_dict()["findings"] == list(refusal.findings)


def test_a_refusal_carries_every_refusing_finding_and_no_other():
    contract = files_contract({**BROKEN, "f.txt": "-----BEGIN " + "PRIVATE KEY-----"})
    outcomes = judge_bundle(contract)
    refusal = refusal_of(outcomes)
    assert {f["reason_code"] for f in refusal.findings} == {
        "JSON_DUPLICATE_KEY",
        "JSON_NOT_FINITE",
        "SECRET_IN_BUNDLE",
    }
    kept = {f.reason_code for f in findings_of(outcomes)} - {
        f["reason_code"] for f in refusal.findings
    }
    assert kept == {"FILE_NOT_REFERENCED"}


def test_every_refusing_family_has_a_check_or_a_reader():
    families = {f"{i.rsplit('.', 1)[0]}." for i in registry() if i.startswith("bundle.")}
    assert set(REFUSING_FAMILIES) <= families


def test_a_plan_is_what_the_bundle_asks_for():
    plan = make_plan(
        SOUND, stage="conformance", profile="default", revision="2026-07-28", transport="stdio"
    )
    assert [suite["id"] for suite in plan.suites] == ["smoke"]
    assert plan.snapshot == ({"name": "echo", "inputSchema": {"type": "object"}},)
    assert plan.safe_calls == {"echo": []}
    assert plan.observers == ("files",)
    assert plan.check_ids == tuple(sorted(plan.check_ids))
    assert not any(i.startswith("bundle.") for i in plan.check_ids)


def test_a_plan_has_the_suites_of_both_versions_and_none_that_is_invalid():
    head = {"schemaVersion": 2, "format": "bundlegate", "id": "two", "name": "Two"}
    case = {
        "id": "a",
        "name": "A",
        "operation": {"type": "listPrompts"},
        "assertions": [{"type": "promptExists", "prompt": "p"}],
    }
    suites = {
        "suites/a.json": {**head, "cases": [case]},
        "suites/b.json": {**head, "cases": [{**case, "operation": {"type": "listTools"}}]},
    }
    plan = make_plan(
        files_contract(suites, {"suites": "suites/"}),
        stage="conformance",
        profile="default",
        revision="2026-07-28",
        transport="stdio",
    )
    assert plan.suites == (suites["suites/a.json"],)


def test_a_profile_without_a_snapshot_has_none_in_its_plan():
    plan = make_plan(
        SOUND, stage="security", profile="tenant-b", revision="2026-07-28", transport="http"
    )
    assert plan.snapshot is None


documents = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["echo", "#", "a.json", "x"]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            ["$ref", "$id", "$schema", "$defs", "$anchor", "anyOf", "allOf", "items", "properties",
             "type", "tools", "name", "inputSchema", "outputSchema", "cases", "operation", "tool",
             "assertions", "id", "schemaVersion", "case", "default", "a/b", "password"]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=20,
)  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(st.lists(documents, min_size=5, max_size=5))
def test_no_well_formed_document_crashes_a_check(drawn):
    names = ["s/a.json", "t.json", "u/a.json", "p.json", "r.json"]
    contract = files_contract(
        {name: json.dumps(document) for name, document in zip(names, drawn, strict=True)},
        {
            "schemas": "s/",
            "declarations": {"mcp_tools": "t.json"},
            "suites": "u/",
            "profiles": "p.json",
            "expected_results": {"reason_codes": "r.json"},
            "safe_tools": ["echo", {"tool": "x", "arguments": {"a": 1}}],
        },
    )
    outcomes = judge_bundle(contract)
    assert all(f.message and f.path for f in findings_of(outcomes))
    assert refusal_of(outcomes) is None or refusal_of(outcomes).findings


def test_a_hostile_bundle_gives_a_bounded_number_of_findings_that_says_so():
    contract = files_contract(manifest={f"key{n}": n for n in range(2_000)})
    found = [f for f in findings_of(judge_bundle(contract)) if "KEY" in f.reason_code]
    assert len(found) == MOST_FINDINGS + 1
    assert any("more than 500" in finding.message for finding in found)


def test_a_key_of_a_megabyte_is_not_repeated_in_findings():
    key = "k" * 500_000
    contract = files_contract(
        {"s.json": {"properties": {key: {"$ref": "#/nowhere"}}}}, {"schemas": "s.json"}
    )
    found = findings_of(judge_bundle(contract))
    assert found
    assert all(len(json.dumps(f.to_dict())) < 10_000 for f in found)


def test_many_malformed_documents_are_not_all_read_to_their_fault():
    fault = b"[" + b"[]," * 45_000 + b"[1,]]"
    contract = files_contract({f"f{n}.json": fault for n in range(4)})
    codes = [error.reason_code for error in contract.unreadable.values()]
    assert codes == ["JSON_SYNTAX"] * 2 + ["JSON_TOO_MANY_NODES"] * 2


def test_lines_are_looked_up_in_as_many_values_as_a_person_reads():
    crowd = b"[" + b"[],\n" * 60_000 + b"1]"
    contract = files_contract({"a.json": crowd, "b.json": crowd})
    assert contract.line_of("a.json", "/59999") == 60_000
    assert contract.line_of("b.json", "/59999") is None
