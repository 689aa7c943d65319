"""What evidence and decisions say, signed: in-toto Statements.

Evidence is a test-result statement (https://in-toto.io/attestation/test-result/v0.1), a decision a
verification summary (https://slsa.dev/verification_summary/v1). Neither predicate has an expiry of
its own, so ours stands in an extension field and is asked for again at every transition.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bundles.canonical import canonical_bytes
from bundles.check import Outcome
from bundles.claims import Unwatched
from bundles.digest import parse_digest
from bundles.plan import HARNESS_VERSION
from bundles.verdict import Severity, Verdict, of_run

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
VERIFICATION_SUMMARY = "https://slsa.dev/verification_summary/v1"
EXTENSION = "https://bundlegate.dev/evidence/v1"
"""The URI-named member of a test-result predicate that holds what the predicate lacks."""

VERIFIER_ID = "https://bundlegate.dev/verifier"
"""The verifier id that keys of this product speak for."""

_WORST_FIRST = (Severity.MUST, Severity.SHOULD, Severity.POLICY)
KEPT_FINDINGS = 100
"""Findings that a summary holds."""


@dataclass(frozen=True, slots=True)
class VerificationFacts:
    """What a verification statement says: one stage under one profile. Times in microseconds.

    Attributes:
        suite_digests: "suite/<number>/<id>" → semantic digest.
        snapshot_digest: of the tool list seen, "" where none was (it is then no subject).
        transcript_digest: "" for static evidence, which has none.
        fence: fencing number the run held; 0 for static evidence.
        run_id: None for static evidence.
        summary: of `summary_of`.
        imported: where evidence came from that no run of this harness saw; empty for its own.
    """

    stage: str
    profile: str
    verdict: str
    binding: str
    artifact_digest: str
    bundle_digest: str
    plan_digest: str
    harness_version: str
    verified_at: int
    expires_at: int
    summary: Mapping[str, Any]
    snapshot_digest: str = ""
    transcript_digest: str = ""
    suite_digests: Mapping[str, str] = field(default_factory=dict)
    fence: int = 0
    run_id: str | None = None
    imported: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DecisionFacts:
    """What a decision statement says. Times in microseconds.

    Attributes:
        attestations: envelope digests of the evidence that was ruled on.
        inputs_digest: semantic digest of `Ruling.inputs`.
        reasons, unverified_claims, not_covered: as the ruling gave them, in plain JSON.
        rests_on_evidence: as the ruling said.
    """

    decision_id: str
    namespace: str
    candidate_id: str
    artifact_digest: str
    bundle_digest: str
    to: str
    environment: str
    verdict: str
    policy_name: str
    policy_digest: str
    inputs_digest: str
    decided_at: int
    valid_until: int
    attestations: Sequence[str] = ()
    reasons: Sequence[Mapping[str, Any]] = ()
    unverified_claims: Sequence[Mapping[str, Any]] = ()
    not_covered: Sequence[str] = ()
    rests_on_evidence: bool = True


def stage_verdict(outcomes: Iterable[Outcome]) -> Verdict:
    """The verdict of a stage. A claim nobody watched is shown, and policy decides about it; any
    other check that did not run makes the stage INCONCLUSIVE.
    """
    return of_run(o.verdict for o in outcomes if not o.unverified_claim)


def summary_of(
    outcomes: Sequence[Outcome],
    unwatched: Iterable[Unwatched] = (),
    not_covered: Iterable[str] = (),
) -> dict[str, Any]:
    """What queries and the gate need of a stage, as plain JSON.

    Returns:
        {"checks": {verdict: [check id]}, "findings": [...], "finding_counts": {severity: n},
        "unverified_claims": [{"claim", "check_id", "why"}], "not_covered": [what the bundle says
        nothing about]}. At most 100 findings are kept, the gravest first, so the cut never hides
        one that blocks behind one that does not.
    """
    checks: dict[str, list[str]] = {}
    for outcome in outcomes:
        checks.setdefault(outcome.verdict.value, []).append(outcome.check.id)
    findings = [finding for outcome in outcomes for finding in outcome.findings]
    findings.sort(key=lambda f: (_WORST_FIRST.index(f.severity), f.check_id, f.path, f.pointer))
    claims = [
        {"claim": o.unverified_claim, "check_id": o.check.id, "why": o.why}
        for o in outcomes
        if o.unverified_claim
    ]
    claims += [{"claim": u.claim, "check_id": "", "why": u.why} for u in unwatched]
    return {
        "checks": {verdict: sorted(ids) for verdict, ids in sorted(checks.items())},
        "findings": [
            {
                "check_id": finding.check_id,
                "reason_code": finding.reason_code,
                "severity": finding.severity.value,
                "path": finding.path,
                "message": finding.message,
            }
            for finding in findings[:KEPT_FINDINGS]
        ],
        "finding_counts": dict(Counter(finding.severity.value for finding in findings)),
        "unverified_claims": claims,
        "not_covered": list(not_covered),
    }


def verification_statement(facts: VerificationFacts) -> dict[str, Any]:
    """The in-toto test-result statement of one stage under one profile.

    `result` is PASSED, WARNED (passed with warnings) or FAILED; a verdict that could not tell is
    FAILED to readers who know only the public predicate, since unknown is never yes; and what was
    imported is WARNED at best, since nobody here saw it.
    """
    checks = facts.summary["checks"]

    def named(*verdicts: Verdict) -> list[str]:
        return [f"{facts.profile}/{check}" for v in verdicts for check in checks.get(v.value, [])]

    warned = named(Verdict.WARN)
    passed = "WARNED" if warned or facts.imported else "PASSED"
    subjects = {"artifact": facts.artifact_digest}
    if facts.snapshot_digest:
        subjects["snapshot"] = facts.snapshot_digest
    return {
        "_type": STATEMENT_TYPE,
        "subject": _subjects(subjects),
        "predicateType": TEST_RESULT,
        "predicate": {
            "result": passed if facts.verdict == Verdict.PASS else "FAILED",
            "configuration": [
                {"name": "bundle", "digest": _digest(facts.bundle_digest)},
                {"name": "plan", "digest": _digest(facts.plan_digest)},
                *(
                    {"name": path, "digest": _digest(digest)}
                    for path, digest in sorted(facts.suite_digests.items())
                ),
                {
                    "name": "harness",
                    "uri": VERIFIER_ID,
                    "annotations": {"version": facts.harness_version},
                },
            ],
            "passedTests": named(Verdict.PASS),
            "warnedTests": warned,
            "failedTests": named(Verdict.FAIL),
            EXTENSION: {
                "verifier": {"id": VERIFIER_ID, "version": facts.harness_version},
                "stage": facts.stage,
                "profile": facts.profile,
                "verdict": facts.verdict,
                "binding": facts.binding,
                "verified_at": rfc3339(facts.verified_at),
                "expires_at": rfc3339(facts.expires_at),
                "transcript_digest": facts.transcript_digest or None,
                "run_id": facts.run_id,
                "fence": facts.fence,
                "inconclusive_tests": named(Verdict.INCONCLUSIVE),
                "not_applicable_tests": named(Verdict.NOT_APPLICABLE),
                "not_run_tests": named(Verdict.NOT_RUN),
                "unverified_claims": facts.summary["unverified_claims"],
                "not_covered": facts.summary["not_covered"],
                **({"imported": dict(facts.imported)} if facts.imported else {}),
            },
        },
    }


def decision_statement(facts: DecisionFacts) -> dict[str, Any]:
    """The SLSA verification summary of a decision. Whatever is not a yes is FAILED there, and so
    is a yes to a move that only takes trust away: whoever knows only the public predicate must not
    take it for a verified artifact.
    """
    passed = facts.verdict == Verdict.PASS and facts.rests_on_evidence
    return {
        "_type": STATEMENT_TYPE,
        "subject": _subjects({"artifact": facts.artifact_digest}),
        "predicateType": VERIFICATION_SUMMARY,
        "predicate": {
            "verifier": {"id": VERIFIER_ID, "version": {"bundlegate": HARNESS_VERSION}},
            "timeVerified": rfc3339(facts.decided_at),
            "resourceUri": f"bundlegate:candidate/{facts.namespace}/{facts.candidate_id}",
            "policy": {
                "uri": f"bundlegate:policy/{facts.namespace}/{facts.policy_name}",
                "digest": _digest(facts.policy_digest),
            },
            "inputAttestations": [{"digest": _digest(digest)} for digest in facts.attestations],
            "verificationResult": "PASSED" if passed else "FAILED",
            "verifiedLevels": [f"BUNDLEGATE_{facts.to}" if passed else "FAILED"],
            EXTENSION: {
                "decision_id": facts.decision_id,
                "to": facts.to,
                "environment": facts.environment,
                "verdict": facts.verdict,
                "bundle_digest": facts.bundle_digest,
                "inputs_digest": facts.inputs_digest,
                "valid_until": rfc3339(facts.valid_until),
                "reasons": list(facts.reasons),
                "unverified_claims": list(facts.unverified_claims),
                "not_covered": list(facts.not_covered),
            },
        },
    }


def statement_bytes(statement: Mapping[str, Any]) -> bytes:
    """The bytes that are signed: RFC 8785, so that the same facts give the same bytes."""
    return canonical_bytes(statement)


def rfc3339(microseconds: int) -> str:
    """A time as RFC 3339 text in UTC, to the microsecond."""
    seconds, rest = divmod(microseconds, 1_000_000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:06d}Z"


def _subjects(digests: Mapping[str, str]) -> list[dict[str, Any]]:
    return [{"name": name, "digest": _digest(digest)} for name, digest in digests.items()]


def _digest(digest: str) -> dict[str, str]:
    return {"sha256": parse_digest(digest).removeprefix("sha256:")}
