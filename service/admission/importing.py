"""Evidence that another tool made: kept, signed as imported, and never enough for the gate.

It is about a stage of its own, which no policy can ask for, and it never becomes the latest word on
any stage: whatever a report says, the gate rules as if it were not there.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bundles.canonical import semantic_digest
from bundles.digest import raw_digest
from bundles.errors import Invalid
from bundles.imports import Imported, ImportedOutcome, Source, read_report
from bundles.plan import HARNESS_VERSION
from service.admission import ids
from service.admission.decide import locked
from service.admission.desk import Desk, known_id, note, require
from service.admission.dsse import seal
from service.admission.evidence import (
    KEPT_FINDINGS,
    VerificationFacts,
    statement_bytes,
    verification_statement,
)
from service.admission.gate import DAY_US
from service.admission.model import Binding, Candidate, Evidence, Principal
from service.admission.record import keep_key
from service.admission.refusals import CANDIDATE_UNKNOWN, PROFILE_WITHOUT_TARGET
from service.admission.requests import checked_key, made_before
from service.admission.storage import KeptRequest, Unit
from service.admission.words import sentence

IMPORTED = "imported"
"""Kind and stage of such evidence. It is no `bundles.verdict.Stage`: no requirement can name it."""

_ACTION = "evidence.import"
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """A report as it was sent.

    Attributes:
        files: path relative to the report's root → content.
        source: the tool it is said to come from; None where the files tell.
        expected_failures: the conformance suite's expected-failures YAML, None where none is given.
    """

    files: Mapping[str, bytes]
    source: Source | None = None
    expected_failures: bytes | None = None


def import_evidence(
    desk: Desk,
    principal: Principal,
    candidate_id: str,
    *,
    profile: str,
    report: ReportFiles,
    idempotency_key: str | None,
) -> tuple[Evidence, bool]:
    """See `Registry.import_evidence`."""
    require(principal, "runs:write")
    known_id(ids.CANDIDATE, candidate_id, CANDIDATE_UNKNOWN, "candidate")
    key = checked_key(idempotency_key)
    # read and judged before the transaction: it may take a while
    told = read_report(report.files, report.source, expected_failures=report.expected_failures)
    origin = _origin(told, report.expected_failures)
    asked = {"candidate": candidate_id, "profile": profile, "report": origin}
    evidence_id = ids.new_id(ids.EVIDENCE)
    kept = KeptRequest(_ACTION, semantic_digest(asked), evidence_id)
    now = desk.clock.now()
    with desk.store.write() as unit:
        candidate = locked(unit, principal.namespace, candidate_id)
        before = made_before(unit, principal.namespace, key, kept, now)
        if before is not None:
            return _made(unit, principal, before), False
        observed = [target.profile for target in candidate.targets]
        if profile not in observed:
            raise Invalid(
                PROFILE_WITHOUT_TARGET,
                "the candidate is not observed under this profile",
                pointer="/profile",
                seen=profile[:_LONGEST],
                expected=observed,
            )
        evidence = _evidence(desk, candidate, told, origin, profile, evidence_id=evidence_id)
        keep_key(desk, unit, now)
        unit.evidence.add(evidence)
        note(
            unit,
            principal.namespace,
            actor=principal.token_id,
            action=_ACTION,
            subject=evidence_id,
            at=now,
            body={"candidate": candidate_id, "profile": profile, "verdict": evidence.verdict},
        )
    return evidence, True


def _made(unit: Unit, principal: Principal, evidence_id: str) -> Evidence:
    found = unit.evidence.get(principal.namespace, evidence_id)
    assert found is not None, "evidence made under a key is there"  # noqa: S101
    return found


def _origin(told: Imported, expected_failures: bytes | None) -> dict[str, Any]:
    """Where it came from, by digest of everything that was read."""
    excused = None if expected_failures is None else raw_digest(expected_failures)
    files = {sentence(path, _LONGEST): digest for path, digest in told.digests.items()}
    return {"source": told.source.value, "files": files, "expected_failures": excused}


def _evidence(
    desk: Desk,
    candidate: Candidate,
    told: Imported,
    origin: Mapping[str, Any],
    profile: str,
    *,
    evidence_id: str,
) -> Evidence:
    now = desk.clock.now()
    facts = VerificationFacts(
        stage=IMPORTED,
        profile=profile,
        verdict=told.verdict.value,
        binding=Binding.CLAIMED.value,
        artifact_digest=candidate.artifact_digest,
        bundle_digest=candidate.bundle_digest,
        plan_digest=semantic_digest(dict(origin)),
        harness_version=HARNESS_VERSION,
        verified_at=now,
        expires_at=now + desk.terms.evidence_max_age_days * DAY_US,
        summary=_summary(told, origin),
        imported=origin,
    )
    envelope = seal(statement_bytes(verification_statement(facts)), desk.signer)
    return Evidence(
        id=evidence_id,
        namespace=candidate.namespace,
        candidate_id=candidate.id,
        run_id=None,
        kind=IMPORTED,
        stage=facts.stage,
        profile=facts.profile,
        verdict=facts.verdict,
        binding=facts.binding,
        artifact_digest=facts.artifact_digest,
        bundle_digest=facts.bundle_digest,
        snapshot_digest="",
        plan_digest=facts.plan_digest,
        transcript_digest="",
        harness_version=facts.harness_version,
        verified_at=facts.verified_at,
        expires_at=facts.expires_at,
        envelope=envelope,
        envelope_digest=raw_digest(envelope),
        key_id=desk.signer.key_id,
        summary=facts.summary,
    )


def _summary(told: Imported, origin: Mapping[str, Any]) -> dict[str, Any]:
    """As `service.admission.evidence.summary_of`, with where it came from."""
    checks: dict[str, list[str]] = {}
    for entry in told.outcomes:
        checks.setdefault(entry.verdict.value, []).append(sentence(entry.id, _LONGEST))
    findings = [found for entry in told.outcomes if (found := _finding(entry))]
    findings.sort(key=lambda found: (found["severity"], found["check_id"]))  # MUST before SHOULD
    return {
        "checks": {verdict: sorted(names) for verdict, names in sorted(checks.items())},
        "findings": findings[:KEPT_FINDINGS],
        "finding_counts": dict(Counter(found["severity"] for found in findings)),
        "unverified_claims": [],
        "not_covered": [],
        "imported": dict(origin),
    }


def _finding(entry: ImportedOutcome) -> dict[str, Any] | None:
    found = entry.finding()
    if found is None:
        return None
    members = ("check_id", "reason_code", "severity", "path", "message")
    return {name: sentence(str(found[name]), _LONGEST) for name in members}
