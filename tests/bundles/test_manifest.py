"""The manifest: everything wrong in one pass, with pointer, line and the nearest name."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.contract import Contract
from bundles.errors import Refused
from bundles.manifest_reader import Kind, read_manifest
from bundles.static import findings_of, judge_bundle

FULL = b"""\
contract_bundle:
  contract_id: planning-agent-contract
  contract_version: 3.4.0
  protocol: {a2a: "1.0", mcp: "2026-07-28", json_schema: "2020-12"}
  producer:
    agent_id: agent-fixture-planning
    artifact_digest: sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
  declarations:
    agent_card: agent-card.json
    mcp_tools: mcp-tools.snapshot.json
    skills: skills/
  models:
    task_state_machine: a2a-task-machine.yaml
    invariants: behavior-invariants.yaml
    errors: error-contract.yaml
    authorization: authorization-matrix.yaml
    temporal: temporal-contract.yaml
  profiles: profiles.yaml
  suites: suites/
  schemas: schemas/
  examples:
    consumer_pacts: pacts/
    positive_cases: cases/positive/
    negative_cases: cases/negative/
  skill_contracts: skill-contracts/
  execution_plan: execution-plan.yaml
  safe_tools: [work_plan_lookup, {tool: other, arguments: {a: 1}}]
  observers: [records, outbox, egress]
  fixtures: fixtures/
  doubles: doubles.yaml
  coverage: coverage-policy.yaml
  incidents: incidents/
  expected_results:
    reason_codes: reason-codes.yaml
"""

WRONG = b"""\
contract_bundle:
  contract_id: x
  contract_version: 3.4
  protocol:
    mcp: "2024-11-05"
  producer:
    agent_id: y
    artifact_digest: latest
  suits: suites/
  models:
    invariant: i.yaml
  schemas: /etc
  observers: records
"""


def test_the_whole_manifest_of_the_format_is_read():
    contract = Contract.read({"bundle.yaml": FULL})
    assert contract.manifest_problems == ()
    manifest = contract.manifest
    assert manifest.contract_id == "planning-agent-contract"
    assert manifest.contract_version == "3.4.0"
    assert manifest.protocol == {"a2a": "1.0", "mcp": "2026-07-28", "json_schema": "2020-12"}
    assert manifest.producer == "agent-fixture-planning"
    assert manifest.artifact_digests == ("sha256:" + "a" * 64,)
    assert len(manifest.references) == 21
    assert manifest.observers == ("records", "outbox", "egress")
    assert contract.safe_calls == {"work_plan_lookup": (), "other": ({"a": 1},)}


@pytest.mark.parametrize(
    ("observers", "pointer"),
    [
        ('["my records"]', "/observers/0"),
        ('[files, ""]', "/observers/1"),
        ('["records\\0"]', "/observers/0"),
        ("[files, 7]", "/observers/1"),
        ("[files, records, files]", "/observers/2"),
        (f"[{', '.join(f'o{n}' for n in range(21))}]", "/observers"),
        ("files", "/observers"),
    ],
)
def test_an_observer_nobody_could_attach_is_refused_where_it_is_named(observers, pointer):
    stated = FULL.replace(b"[records, outbox, egress]", observers.encode())
    (problem,) = Contract.read({"bundle.yaml": stated}).manifest_problems
    assert problem.pointer == f"/contract_bundle{pointer}"


def test_everything_wrong_is_told_in_one_pass_with_its_line():
    contract = Contract.read({"bundle.yaml": WRONG})
    found = {
        (f.reason_code, f.pointer.removeprefix("/contract_bundle"), f.line)
        for f in findings_of(judge_bundle(contract))
    }
    assert found >= {
        ("CONTRACT_VERSION_NOT_PINNED", "/contract_version", 3),
        ("PROTOCOL_VERSION_UNSUPPORTED", "/protocol/mcp", 5),
        ("ARTIFACT_DIGEST_NOT_PINNED", "/producer/artifact_digest", 8),
        ("MANIFEST_UNKNOWN_KEY", "/suits", 9),
        ("MANIFEST_UNKNOWN_KEY", "/models/invariant", 11),
        ("MANIFEST_FIELD_INVALID", "/schemas", 12),
        ("MANIFEST_FIELD_INVALID", "/observers", 13),
    }


def test_an_unknown_key_comes_with_the_nearest_name():
    _, problems = read_manifest(Contract.read({"bundle.yaml": WRONG}).documents["bundle.yaml"])
    messages = {p.message for p in problems if p.kind is Kind.UNKNOWN_KEY}
    assert messages == {
        "unknown key 'suits'; did you mean 'suites'?",
        "unknown key 'invariant'; did you mean 'invariants'?",
    }


def test_an_unquoted_version_is_refused_with_the_reason():
    _, problems = read_manifest(Contract.read({"bundle.yaml": WRONG}).documents["bundle.yaml"])
    (version,) = [p for p in problems if p.kind is Kind.VERSION]
    assert "YAML reads an unquoted 3.4 as a number" in version.message


def test_a_contract_without_manifest_says_so_when_asked():
    contract = Contract.read({"a.txt": b""})
    assert not contract.has_manifest
    with pytest.raises(Refused) as refusal:
        _ = contract.manifest
    assert refusal.value.reason_code == "MANIFEST_UNUSABLE"


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["contract_bundle", "contract_id", "contract_version", "protocol", "mcp", "producer",
             "agent_id", "artifact_digest", "declarations", "mcp_tools", "profile", "file",
             "models", "suites", "safe_tools", "tool", "arguments", "observers", "examples", "x"]
        ),
        inner,
        max_size=8,
    ),
    max_leaves=25,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(plain)
def test_any_document_gives_a_manifest_or_says_why_not(document):
    manifest, problems = read_manifest({"contract_bundle": document})
    assert manifest is not None or problems
    assert all(p.pointer == "" or p.pointer.startswith("/") for p in problems)
