"""What statements say, and the summary that gate and queries read."""

from dataclasses import asdict

import pytest

from bundles.check import Outcome
from bundles.claims import Unwatched
from bundles.verdict import Severity, Verdict
from service.admission.evidence import (
    EXTENSION,
    decision_statement,
    rfc3339,
    stage_verdict,
    statement_bytes,
    summary_of,
    verification_statement,
)
from tests.service.admission.statement_facts import (
    OUTCOMES,
    decision,
    digest,
    outcome,
    verification,
)


def test_a_verification_statement_is_a_test_result_with_everything_that_went_in() -> None:
    statement = verification_statement(verification())
    extension = statement["predicate"].pop(EXTENSION)
    assert statement == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {"name": "artifact", "digest": {"sha256": "a" * 64}},
            {"name": "snapshot", "digest": {"sha256": "d" * 64}},
        ],
        "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
        "predicate": {
            "result": "WARNED",
            "configuration": [
                {"name": "bundle", "digest": {"sha256": "b" * 64}},
                {"name": "plan", "digest": {"sha256": "c" * 64}},
                {"name": "suites/a.json", "digest": {"sha256": "0" * 64}},
                {"name": "suites/b.json", "digest": {"sha256": "1" * 64}},
                {
                    "name": "harness",
                    "uri": "https://bundlegate.dev/verifier",
                    "annotations": {"version": "0.1.0"},
                },
            ],
            "passedTests": ["default/a.passes", "default/b.passes"],
            "warnedTests": ["default/c.warns"],
            "failedTests": [],
        },
    }
    assert extension == {
        "verifier": {"id": "https://bundlegate.dev/verifier", "version": "0.1.0"},
        "stage": "security",
        "profile": "default",
        "verdict": "PASS",
        "binding": "measured",
        "verified_at": "2027-01-15T08:00:00.123456Z",
        "expires_at": "2027-02-14T08:00:00.123456Z",
        "transcript_digest": digest("e"),
        "run_id": "run_1",
        "fence": 3,
        "inconclusive_tests": [],
        "not_applicable_tests": ["default/e.absent"],
        "not_run_tests": ["default/d.not-run"],
        "unverified_claims": [
            {"claim": "read-only-hint", "check_id": "d.not-run", "why": "nobody watched"}
        ],
        "not_covered": ["suites"],
    }


@pytest.mark.parametrize("verdict", ["FAIL", "INCONCLUSIVE", "NO_SUCH_VERDICT"])
def test_whatever_is_not_a_pass_is_failed_to_readers_of_the_public_predicates(
    verdict: str,
) -> None:
    tested = verification_statement(verification(verdict=verdict))
    assert tested["predicate"]["result"] == "FAILED"
    assert tested["predicate"][EXTENSION]["verdict"] == verdict
    decided = decision_statement(decision(verdict=verdict))
    assert decided["predicate"]["verificationResult"] == "FAILED"
    assert decided["predicate"]["verifiedLevels"] == ["FAILED"]


def test_static_evidence_has_no_snapshot_subject_and_no_transcript() -> None:
    statement = verification_statement(
        verification(stage="static", snapshot_digest="", transcript_digest="", run_id=None)
    )
    assert [subject["name"] for subject in statement["subject"]] == ["artifact"]
    assert statement["predicate"][EXTENSION]["transcript_digest"] is None


def test_a_decision_is_a_verification_summary() -> None:
    statement = decision_statement(decision())
    extension = statement["predicate"].pop(EXTENSION)
    assert statement == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "artifact", "digest": {"sha256": "a" * 64}}],
        "predicateType": "https://slsa.dev/verification_summary/v1",
        "predicate": {
            "verifier": {
                "id": "https://bundlegate.dev/verifier",
                "version": {"bundlegate": "0.1.0"},
            },
            "timeVerified": "2027-01-15T08:00:00.123456Z",
            "resourceUri": "bundlegate:candidate/team/cand_1",
            "policy": {
                "uri": "bundlegate:policy/team/default",
                "digest": {"sha256": "f" * 64},
            },
            "inputAttestations": [
                {"digest": {"sha256": "2" * 64}},
                {"digest": {"sha256": "3" * 64}},
            ],
            "verificationResult": "PASSED",
            "verifiedLevels": ["BUNDLEGATE_REGISTRY_ADMITTED"],
        },
    }
    assert extension["bundle_digest"] == digest("b")
    assert extension["valid_until"] == "2027-01-15T08:00:00.123457Z"


def test_a_yes_that_rests_on_no_evidence_is_failed_to_readers_of_the_public_predicate() -> None:
    withdrawn = decision(to="QUARANTINED", rests_on_evidence=False)
    predicate = decision_statement(withdrawn)["predicate"]
    assert (predicate["verificationResult"], predicate["verifiedLevels"]) == ("FAILED", ["FAILED"])
    assert (predicate[EXTENSION]["to"], predicate[EXTENSION]["verdict"]) == ("QUARANTINED", "PASS")


def test_the_same_facts_give_the_same_bytes() -> None:
    assert statement_bytes(verification_statement(verification())) == statement_bytes(
        verification_statement(verification())
    )


@pytest.mark.parametrize("member", ["artifact_digest", "bundle_digest", "plan_digest"])
def test_every_digest_that_goes_in_changes_the_bytes(member: str) -> None:
    before = statement_bytes(verification_statement(verification()))
    after = statement_bytes(verification_statement(verification(**{member: digest("7")})))
    assert before != after


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        ((), Verdict.INCONCLUSIVE),
        (OUTCOMES, Verdict.PASS),
        ((*OUTCOMES, outcome("x.run", Verdict.NOT_RUN)), Verdict.INCONCLUSIVE),
        ((*OUTCOMES, outcome("x.run", Verdict.INCONCLUSIVE)), Verdict.INCONCLUSIVE),
        (
            (outcome("x.a", Verdict.INCONCLUSIVE), outcome("x.b", Verdict.FAIL, findings=1)),
            Verdict.FAIL,
        ),
        ((outcome("x.a", Verdict.NOT_RUN, claim="read-only-hint"),), Verdict.INCONCLUSIVE),
    ],
)
def test_an_unwatched_claim_is_shown_and_any_other_gap_makes_a_stage_inconclusive(
    outcomes: tuple[Outcome, ...], verdict: Verdict
) -> None:
    assert stage_verdict(outcomes) is verdict


def test_the_summary_keeps_the_gravest_findings_and_counts_them_all() -> None:
    many = outcome("a.minor", Verdict.WARN, severity=Severity.SHOULD, findings=500)
    grave = outcome("z.grave", Verdict.FAIL, findings=2)
    summary = summary_of([many, grave])
    assert len(summary["findings"]) == 100
    assert [f["check_id"] for f in summary["findings"][:3]] == ["z.grave", "z.grave", "a.minor"]
    assert summary["finding_counts"] == {"MUST": 2, "SHOULD": 500}


def test_claims_without_a_check_stand_beside_those_a_check_could_not_verify() -> None:
    summary = summary_of(OUTCOMES, [Unwatched("authorization", "no credentials")])
    assert summary["unverified_claims"] == [
        {"claim": "read-only-hint", "check_id": "d.not-run", "why": "nobody watched"},
        {"claim": "authorization", "check_id": "", "why": "no credentials"},
    ]


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (0, "1970-01-01T00:00:00.000000Z"),
        (1, "1970-01-01T00:00:00.000001Z"),
        (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
    ],
)
def test_times_keep_every_microsecond(moment: int, text: str) -> None:
    assert rfc3339(moment) == text


def test_facts_hold_nothing_a_statement_leaves_out() -> None:
    """Each member changes the bytes, so nothing recorded goes unsigned."""
    before = statement_bytes(decision_statement(decision()))
    for name, value in asdict(decision()).items():
        changed = {
            str: digest("7") if str(value).startswith("sha256:") else "changed",
            int: 5,
            bool: False,
            tuple: ({"code": "X"},) if name != "attestations" else (digest("7"),),
        }[type(value)]
        after = statement_bytes(decision_statement(decision(**{name: changed})))
        assert before != after, name
