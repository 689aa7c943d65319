"""A key, checks and facts for statements, shared by the tests of evidence."""

from dataclasses import replace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bundles.check import Check, Finding, Outcome, Subject
from bundles.plan import HARNESS_VERSION
from bundles.verdict import Layer, Severity, Stage, Verdict
from service.admission.dsse import Ed25519Signer, TrustedKey
from service.admission.evidence import VERIFIER_ID, DecisionFacts, VerificationFacts, summary_of

SIGNER = Ed25519Signer(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
TRUSTED = TrustedKey.from_pem(SIGNER.public_pem, VERIFIER_ID)
NOW = 1_800_000_000_123_456


def digest(letter: str) -> str:
    return "sha256:" + letter * 64


def outcome(
    check_id: str,
    verdict: Verdict,
    *,
    severity: Severity = Severity.MUST,
    claim: str = "",
    findings: int = 0,
) -> Outcome:
    code = check_id.upper().replace(".", "_")
    made = Check(
        id=check_id,
        reason_code=code,
        subject=Subject.TRANSCRIPT,
        stages=(Stage.SECURITY,),
        layer=Layer.PROTOCOL,
        severity=severity,
        spec="here",
        function=lambda subject: [],
        accepts=(1,),
        rejects=(2,),
        claim=claim,
    )
    found = tuple(
        Finding(check_id, code, Layer.PROTOCOL, severity, f"finding {n}", path=f"probe-{n:04}")
        for n in range(findings)
    )
    return Outcome(made, verdict, found, "nobody watched" if claim else "")


OUTCOMES = (
    outcome("b.passes", Verdict.PASS),
    outcome("a.passes", Verdict.PASS),
    outcome("c.warns", Verdict.WARN, severity=Severity.SHOULD, findings=1),
    outcome("d.not-run", Verdict.NOT_RUN, claim="read-only-hint"),
    outcome("e.absent", Verdict.NOT_APPLICABLE),
)


def verification(**changes: Any) -> VerificationFacts:
    made = VerificationFacts(
        stage="security",
        profile="default",
        verdict="PASS",
        binding="measured",
        artifact_digest=digest("a"),
        bundle_digest=digest("b"),
        plan_digest=digest("c"),
        harness_version=HARNESS_VERSION,
        verified_at=NOW,
        expires_at=NOW + 30 * 86_400_000_000,
        summary=summary_of(OUTCOMES, not_covered=("suites",)),
        snapshot_digest=digest("d"),
        transcript_digest=digest("e"),
        suite_digests={"suites/b.json": digest("1"), "suites/a.json": digest("0")},
        fence=3,
        run_id="run_1",
    )
    return replace(made, **changes)


def decision(**changes: Any) -> DecisionFacts:
    made = DecisionFacts(
        decision_id="dec_1",
        namespace="team",
        candidate_id="cand_1",
        artifact_digest=digest("a"),
        bundle_digest=digest("b"),
        to="REGISTRY_ADMITTED",
        environment="default",
        verdict="PASS",
        policy_name="default",
        policy_digest=digest("f"),
        inputs_digest=digest("9"),
        decided_at=NOW,
        valid_until=NOW + 1,
        attestations=(digest("2"), digest("3")),
    )
    return replace(made, **changes)
