"""Recording: what one stage under one profile came to becomes signed evidence.

`draft` does everything that needs no database (digests, statement, signature); `write` puts it in,
inside the caller's transaction. Static evidence and a worker's go the same way.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bundles.canonical import semantic_digest
from bundles.check import Outcome
from bundles.claims import unwatched
from bundles.digest import raw_digest
from bundles.plan import HARNESS_VERSION, Plan
from bundles.static import findings_of
from bundles.transcript import Transcript
from bundles.transcript_json import transcript_to_json
from bundles.verdict import Stage
from service.admission import ids
from service.admission.desk import Desk
from service.admission.dsse import seal
from service.admission.evidence import (
    VerificationFacts,
    stage_verdict,
    statement_bytes,
    summary_of,
    verification_statement,
)
from service.admission.gate import DAY_US, STATIC_PROFILE
from service.admission.model import (
    Binding,
    Candidate,
    Evidence,
    PublicKey,
    Run,
    StageResult,
    TranscriptRecord,
)
from service.admission.storage import Unit
from service.admission.submit import finding_rows

PURPOSE = "evidence and decisions"
"""What the key of a process signs."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Evidence ready to be written, with what it was read from."""

    evidence: Evidence
    outcomes: tuple[Outcome, ...]
    transcript: Transcript | None
    content: bytes


def draft_static(
    desk: Desk,
    candidate: Candidate,
    outcomes: Sequence[Outcome],
    now: int,
    *,
    not_covered: Sequence[str],
) -> Draft:
    """Evidence of the static stage: about the bundle, read here, with nothing run."""
    plan = Plan(
        stage=Stage.STATIC.value,
        profile=STATIC_PROFILE,
        revision="",
        transport="",
        check_ids=tuple(outcome.check.id for outcome in outcomes),
    )
    return _draft(desk, candidate, plan, tuple(outcomes), verified_at=now, not_covered=not_covered)


def draft_stage(
    desk: Desk, candidate: Candidate, run: Run, found: StageResult, *, fence: int, now: int
) -> Draft:
    """Evidence of one stage of a run, from what the worker saw and concluded."""
    return _draft(
        desk,
        candidate,
        found.plan,
        found.outcomes,
        # a worker's clock that is ahead cannot make evidence fresher than it is
        verified_at=min(found.finished_at, now),
        run=run,
        fence=fence,
        transcript=found.transcript,
        snapshot_digest=found.snapshot_digest,
        not_covered=_unpinned(found.plan),
    )


def _unpinned(plan: Plan) -> tuple[str, ...]:
    """What a bundle without a tool snapshot for the profile leaves uncompared."""
    if plan.stage != Stage.CONFORMANCE or plan.snapshot is not None:
        return ()
    return (f"declarations.mcp_tools of profile {plan.profile}",)


def _draft(
    desk: Desk,
    candidate: Candidate,
    plan: Plan,
    outcomes: tuple[Outcome, ...],
    *,
    verified_at: int,
    run: Run | None = None,
    fence: int = 0,
    transcript: Transcript | None = None,
    snapshot_digest: str = "",
    not_covered: Sequence[str] = (),
) -> Draft:
    claims = () if transcript is None else unwatched(transcript)
    content = b"" if transcript is None else _bytes_of(transcript)
    facts = VerificationFacts(
        stage=plan.stage,
        profile=plan.profile,
        verdict=stage_verdict(outcomes).value,
        binding=Binding.CLAIMED.value if transcript is None else transcript.binding,
        artifact_digest=(transcript.artifact_digest if transcript else "")
        or candidate.artifact_digest,
        bundle_digest=candidate.bundle_digest,
        plan_digest=semantic_digest(plan.to_dict()),
        harness_version=HARNESS_VERSION,
        verified_at=verified_at,
        expires_at=verified_at + desk.terms.evidence_max_age_days * DAY_US,
        summary=summary_of(outcomes, claims, not_covered),
        snapshot_digest=snapshot_digest,
        transcript_digest=raw_digest(content) if content else "",
        suite_digests={
            f"suite/{number}/{suite.get('id', '')}": semantic_digest(dict(suite))
            for number, suite in enumerate(plan.suites)
        },
        fence=fence,
        run_id=None if run is None else run.id,
    )
    envelope = seal(statement_bytes(verification_statement(facts)), desk.signer)
    evidence = Evidence(
        id=ids.new_id(ids.EVIDENCE),
        namespace=candidate.namespace,
        candidate_id=candidate.id,
        run_id=facts.run_id,
        kind="verification",
        stage=facts.stage,
        profile=facts.profile,
        verdict=facts.verdict,
        binding=facts.binding,
        artifact_digest=facts.artifact_digest,
        bundle_digest=facts.bundle_digest,
        snapshot_digest=facts.snapshot_digest,
        plan_digest=facts.plan_digest,
        transcript_digest=facts.transcript_digest,
        harness_version=facts.harness_version,
        verified_at=facts.verified_at,
        expires_at=facts.expires_at,
        envelope=envelope,
        envelope_digest=raw_digest(envelope),
        key_id=desk.signer.key_id,
        summary=facts.summary,
    )
    return Draft(evidence, outcomes, transcript, content)


def write(desk: Desk, unit: Unit, draft: Draft, now: int) -> None:
    """Store a draft: key, transcript, findings, evidence, and the latest word."""
    evidence = draft.evidence
    keep_key(desk, unit, now)
    if draft.transcript is not None and evidence.run_id is not None:
        record = TranscriptRecord(
            id=ids.new_id(ids.TRANSCRIPT),
            run_id=evidence.run_id,
            stage=evidence.stage,
            profile=evidence.profile,
            digest=evidence.transcript_digest,
            size=len(draft.content),
            created_at=now,
        )
        unit.runs.add_transcript(record, draft.transcript.redaction_digest, draft.content)
        unit.bundles.add_findings(
            finding_rows(
                findings_of(draft.outcomes),
                now,
                run_id=evidence.run_id,
                stage=evidence.stage,
                profile=evidence.profile,
            )
        )
    unit.evidence.add(evidence)
    unit.evidence.settle(
        evidence.candidate_id,
        evidence.stage,
        evidence.profile,
        run_id=evidence.run_id,
        evidence_id=evidence.id,
    )


def keep_key(desk: Desk, unit: Unit, now: int) -> None:
    """Keep the public key that signed, so that rotation never makes evidence unverifiable."""
    signer = desk.signer
    unit.journal.keep_key(PublicKey(signer.key_id, signer.public_pem.decode("ascii"), PURPOSE, now))


def touched(unit: Unit, candidate: Candidate, now: int) -> Candidate:
    """The candidate after one more change of what decisions depend on."""
    version = unit.candidates.touch(candidate.id, now)
    return replace(candidate, inputs_version=version, updated_at=now)


def _bytes_of(transcript: Transcript) -> bytes:
    """The stored form: ASCII, so that whatever a server said survives; sorted, so that the same
    transcript has the same digest.
    """
    document = transcript_to_json(transcript)
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode("ascii")
