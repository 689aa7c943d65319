"""Imported evidence: kept, signed as what it is, and never enough for the gate."""

import json
from base64 import b64decode

import pytest

from bundles.errors import Conflict, Forbidden, Invalid, NotFound, Refused
from bundles.verdict import Stage, Verdict
from service.admission.evidence import EXTENSION
from service.admission.importing import IMPORTED, ReportFiles
from service.admission.policy import DEFAULT_POLICY
from tests.fixtures.world import ARTIFACT

PASSING = ReportFiles(
    {"r.xml": b'<testsuite tests="1"><testcase classname="c" name="n"/></testsuite>'}
)
FAILING = ReportFiles(
    {"r.xml": b'<testsuite><testcase name="n"><failure message="no"/></testcase></testsuite>'}
)
STATES = ("CONFORMANCE_VERIFIED", "SECURITY_VERIFIED", "REGISTRY_ADMITTED", "CANARY", "ACTIVE")


def kept(world, candidate, report=PASSING, **more):
    return world.registry.import_evidence(
        world.me, candidate.id, **{"profile": "default", "report": report, **more}
    )


def asked(world, candidate):
    """What the gate says to every question there is, decisions by id."""
    return {to: world.registry.ask_gate(world.me, candidate.id, to=to).id for to in STATES}


@pytest.mark.parametrize("report", [PASSING, FAILING])
def test_whatever_a_report_says_the_gate_rules_as_if_it_were_not_there(world, report):
    trusted = world.admitted()
    fresh = world.register(version="2.0.0", policy=world.lenient())
    before = {c.id: asked(world, c) for c in (fresh, trusted)}
    for candidate in (fresh, trusted):
        kept(world, candidate, report)
        assert asked(world, candidate) == before[candidate.id], "the stored decisions still stand"
        known = world.registry.get_candidate(world.me, candidate.id)
        assert known.state == candidate.state
        assert known.inputs_version == candidate.inputs_version
    decision = world.registry.ask_gate(world.me, fresh.id, to="CONFORMANCE_VERIFIED")
    assert decision.verdict == "INCONCLUSIVE"
    assert "STAGE_MISSING" in {reason["code"] for reason in decision.reasons}


def test_a_new_decision_does_not_count_it_either(world):
    candidate = world.register(policy=world.lenient())
    for _ in range(3):
        kept(world, candidate)
    decision = world.registry.ask_gate(world.me, candidate.id, to="CONFORMANCE_VERIFIED")
    assert decision.verdict == "INCONCLUSIVE"
    told = json.dumps(decision.inputs)
    assert IMPORTED not in told
    assert world.registry.replay_decision(world.me, decision.id)["agrees"]


def test_no_policy_can_ask_for_it(world):
    assert IMPORTED not in set(Stage)
    state, rule = next(iter(DEFAULT_POLICY["transitions"].items()))
    asks = {
        **DEFAULT_POLICY,
        "transitions": {**DEFAULT_POLICY["transitions"], state: {**rule, "stages": [IMPORTED]}},
    }
    with pytest.raises(Invalid):
        world.registry.put_policy(world.me, "imports", asks)


def test_it_is_kept_beside_the_rest_and_says_where_it_came_from(world):
    candidate = world.register()
    evidence, created = kept(world, candidate, FAILING)
    assert created
    assert (evidence.kind, evidence.stage, evidence.verdict) == (IMPORTED, IMPORTED, "FAIL")
    assert evidence.artifact_digest == ARTIFACT
    assert evidence.summary["checks"] == {"FAIL": ["n"]}
    assert evidence.summary["findings"][0]["reason_code"] == "IMPORTED_CHECK_FAILED"
    assert evidence.summary["imported"]["source"] == "junit"
    assert set(evidence.summary["imported"]["files"]) == {"r.xml"}
    page = world.registry.list_evidence(world.me, candidate_id=candidate.id)
    assert evidence.id in {entry.id for entry in page.items}
    assert world.registry.get_evidence(world.me, evidence.id) == evidence


def test_the_statement_vouches_for_nothing(world):
    evidence, _ = kept(world, world.register())
    assert evidence.verdict == "PASS"
    payload = json.loads(b64decode(json.loads(evidence.envelope)["payload"]))
    predicate = payload["predicate"]
    assert predicate["result"] == "WARNED", "nobody here saw it pass"
    assert predicate[EXTENSION]["imported"] == evidence.summary["imported"]
    assert (predicate[EXTENSION]["stage"], predicate[EXTENSION]["run_id"]) == (IMPORTED, None)


def test_under_one_key_it_is_kept_once(world):
    candidate = world.register()
    first, created = kept(world, candidate, idempotency_key="k")
    again, created_again = kept(world, candidate, idempotency_key="k")
    assert (again, created, created_again) == (first, True, False)
    with pytest.raises(Conflict, match="IDEMPOTENCY_KEY_REUSED"):
        kept(world, candidate, FAILING, idempotency_key="k")


def test_what_makes_no_sense_is_refused_and_nothing_is_kept(world):
    candidate = world.register()
    before = world.registry.list_evidence(world.me, candidate_id=candidate.id).items
    with pytest.raises(Invalid, match="PROFILE_WITHOUT_TARGET"):
        kept(world, candidate, profile="tenant-b")
    with pytest.raises(Refused, match="IMPORT_UNREADABLE"):
        kept(world, candidate, ReportFiles({"r.xml": b"<html/>"}))
    with pytest.raises(Forbidden, match="SCOPE_MISSING"):
        world.registry.import_evidence(
            world.principal(world.me.namespace, "evidence:read"),
            candidate.id,
            profile="default",
            report=PASSING,
        )
    with pytest.raises(NotFound, match="CANDIDATE_UNKNOWN"):
        world.registry.import_evidence(
            world.principal("others"), candidate.id, profile="default", report=PASSING
        )
    assert world.registry.list_evidence(world.me, candidate_id=candidate.id).items == before


def test_what_no_database_holds_is_written_out(world):
    name = json.dumps([{"id": "a\0b", "status": "FAILURE", "errorMessage": "x\0y"}]).encode()
    report = ReportFiles({"server-a\0b-2026-11-30T20-34-11-123Z/checks.json": name})
    evidence, _ = kept(world, world.register(), report)
    read = world.registry.get_evidence(world.me, evidence.id)
    assert read.summary == evidence.summary
    assert "\0" not in repr(read.summary)


def test_it_is_audited(world):
    candidate = world.register()
    evidence, _ = kept(world, candidate)
    entry = world.registry.audit(world.principal(world.me.namespace, "admin")).items
    about = [seen for seen in entry if seen.subject == evidence.id]
    assert [seen.action for seen in about] == ["evidence.import"]
    assert about[0].body["verdict"] == Verdict.PASS
