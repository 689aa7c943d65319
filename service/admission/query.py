"""Reading what was recorded. Nothing here recomputes a verdict."""

from collections.abc import Mapping
from typing import Any

from bundles.archive import write_tar
from bundles.digest import is_digest
from bundles.verdict import Stage, Verdict
from service.admission import ids
from service.admission.desk import Desk, known_id, require, unknown
from service.admission.facts import EvidenceFacts, StageFacts
from service.admission.gate import STATIC_PROFILE
from service.admission.model import (
    AuditEntry,
    Bundle,
    Candidate,
    Decision,
    Evidence,
    Page,
    Principal,
    PublicKey,
    Run,
    RunEvent,
    State,
    TranscriptRecord,
    Transition,
)
from service.admission.paging import page
from service.admission.policy import STAGE_FLOOR
from service.admission.refusals import (
    BUNDLE_FILE_UNKNOWN,
    BUNDLE_UNKNOWN,
    CANDIDATE_UNKNOWN,
    DECISION_UNKNOWN,
    EVIDENCE_UNKNOWN,
    RUN_UNKNOWN,
    TRANSCRIPT_UNKNOWN,
)
from service.admission.storage import FindingRow, StoredBundle, Unit
from service.admission.words import check_filters, storable

_EVENTS_AT_ONCE = 500


def get_bundle(desk: Desk, principal: Principal, digest: str) -> Bundle:
    """See `Registry.get_bundle`."""
    with desk.store.read() as unit:
        return _bundle(unit, principal, digest).bundle


def list_bundles(
    desk: Desk,
    principal: Principal,
    *,
    contract_id: str | None,
    producer: str | None,
    digest: str | None,
    cursor: str | None,
    limit: int,
) -> Page:
    """See `Registry.list_bundles`."""
    check_filters(contract_id=contract_id, producer=producer, digest=digest)

    def fetch(before: str | None, count: int) -> list[StoredBundle]:
        with desk.store.read() as unit:
            return unit.bundles.page(
                principal.namespace,
                contract_id=contract_id,
                producer=producer,
                digest=digest,
                before=before,
                limit=count,
            )

    return page(
        ids.BUNDLE, cursor, limit, fetch=fetch, id_of=lambda b: b.id, show=lambda b: b.bundle
    )


def bundle_file(desk: Desk, principal: Principal, digest: str, path: str) -> bytes:
    """See `Registry.bundle_file`."""
    with desk.store.read() as unit:
        stored = _bundle(unit, principal, digest)
        content = unit.bundles.file(stored.id, path) if storable(path) else None
    if content is None:
        raise unknown(BUNDLE_FILE_UNKNOWN, "file in the bundle", path[:200])
    return content


def bundle_archive(desk: Desk, principal: Principal, digest: str) -> bytes:
    """See `Registry.bundle_archive`."""
    with desk.store.read() as unit:
        files = unit.bundles.files(_bundle(unit, principal, digest).id)
    return write_tar(files)


def bundle_findings(desk: Desk, principal: Principal, digest: str) -> list[Mapping[str, Any]]:
    """See `Registry.bundle_findings`."""
    with desk.store.read() as unit:
        stored = _bundle(unit, principal, digest)
        return unit.bundles.findings(stored.id, stored.bundle.harness_version)


def bundle_outcomes(desk: Desk, principal: Principal, digest: str) -> list[Mapping[str, Any]]:
    """See `Registry.bundle_outcomes`."""
    with desk.store.read() as unit:
        return list(_bundle(unit, principal, digest).outcomes)


def get_candidate(desk: Desk, principal: Principal, candidate_id: str) -> Candidate:
    """See `Registry.get_candidate`."""
    with desk.store.read() as unit:
        return _candidate(unit, principal, candidate_id)


def list_candidates(
    desk: Desk,
    principal: Principal,
    *,
    producer: str | None,
    state: str | None,
    digest: str | None,
    contract_id: str | None,
    version: str | None,
    cursor: str | None,
    limit: int,
) -> Page:
    """See `Registry.list_candidates`."""
    check_filters(
        producer=producer,
        state=state,
        digest=digest,
        contract_id=contract_id,
        version=version,
    )

    def fetch(before: str | None, count: int) -> list[Candidate]:
        with desk.store.read() as unit:
            return unit.candidates.page(
                principal.namespace,
                producer=producer,
                state=state,
                digest=digest,
                contract_id=contract_id,
                version=version,
                before=before,
                limit=count,
            )

    return page(ids.CANDIDATE, cursor, limit, fetch=fetch, id_of=lambda c: c.id)


def candidate_verification(
    desk: Desk, principal: Principal, candidate_id: str
) -> Mapping[str, Any]:
    """See `Registry.candidate_verification`."""
    now = desk.clock.now()
    with desk.store.read() as unit:
        candidate = _candidate(unit, principal, candidate_id)
        latest = unit.evidence.latest(candidate.id)
    profiles = tuple(dict.fromkeys(target.profile for target in candidate.targets))
    passing = {
        (fact.stage, fact.profile): fact.evidence
        for fact in latest
        if fact.evidence is not None and _counts(candidate, fact, fact.evidence, now)
    }
    asked = {(fact.stage, fact.profile) for fact in latest}
    counts = passing.values()

    def passed(profile: str) -> bool:
        needed = {
            (stage, STATIC_PROFILE if stage is Stage.STATIC else profile)
            for stage in STAGE_FLOOR[State.REGISTRY_ADMITTED]
        }
        return needed | {cell for cell in asked if cell[1] == profile} <= passing.keys()

    return {
        "agent_version": candidate.version,
        "card_digest": None,
        "contract_digest": candidate.bundle_digest,
        "producer_digest": candidate.artifact_digest,
        "state": candidate.state.value,
        "profiles_passed": [profile for profile in profiles if passed(profile)],
        "verified_at": max((e.verified_at for e in counts), default=None),
        "expires_at": min((e.expires_at for e in counts), default=None),
    }


def _counts(candidate: Candidate, fact: StageFacts, evidence: EvidenceFacts, now: int) -> bool:
    """Passing evidence about this very build, not ended, and not from before a reopening."""
    ours = (candidate.artifact_digest, candidate.bundle_digest)
    return (
        evidence.verdict == Verdict.PASS
        and evidence.expires_at > now
        and (evidence.artifact_digest, evidence.bundle_digest) == ours
        and fact.created_at >= candidate.reopened_at
    )


def list_transitions(desk: Desk, principal: Principal, candidate_id: str) -> list[Transition]:
    """See `Registry.list_transitions`."""
    with desk.store.read() as unit:
        return unit.candidates.transitions(_candidate(unit, principal, candidate_id).id)


def get_run(desk: Desk, principal: Principal, run_id: str) -> Run:
    """See `Registry.get_run`."""
    with desk.store.read() as unit:
        return _run(unit, principal, run_id)


def list_runs(
    desk: Desk,
    principal: Principal,
    *,
    candidate_id: str | None,
    state: str | None,
    cursor: str | None,
    limit: int,
) -> Page:
    """See `Registry.list_runs`."""
    check_filters(state=state, candidate_id=candidate_id)

    def fetch(before: str | None, count: int) -> list[Run]:
        with desk.store.read() as unit:
            return unit.runs.page(
                principal.namespace,
                candidate_id=candidate_id,
                state=state,
                before=before,
                limit=count,
            )

    return page(ids.RUN, cursor, limit, fetch=fetch, id_of=lambda run: run.id)


def run_events(desk: Desk, principal: Principal, run_id: str, after_seq: int) -> list[RunEvent]:
    """See `Registry.run_events`."""
    with desk.store.read() as unit:
        return unit.runs.events(_run(unit, principal, run_id).id, after_seq, _EVENTS_AT_ONCE)


def run_findings(
    desk: Desk, principal: Principal, run_id: str, *, cursor: str | None, limit: int
) -> Page:
    """See `Registry.run_findings`."""

    def fetch(after: str | None, count: int) -> list[FindingRow]:
        with desk.store.read() as unit:
            return unit.runs.findings(_run(unit, principal, run_id).id, after, count)

    def show(row: FindingRow) -> Mapping[str, Any]:
        return {**row.document, "stage": row.stage, "profile": row.profile}

    return page(ids.FINDING, cursor, limit, fetch=fetch, id_of=lambda row: row.id, show=show)


def run_outcomes(desk: Desk, principal: Principal, run_id: str) -> list[Mapping[str, Any]]:
    """See `Registry.run_outcomes`."""
    with desk.store.read() as unit:
        return unit.runs.outcomes(_run(unit, principal, run_id).id)


def run_transcripts(desk: Desk, principal: Principal, run_id: str) -> list[TranscriptRecord]:
    """See `Registry.run_transcripts`."""
    require(principal, "evidence:read")
    with desk.store.read() as unit:
        return unit.runs.transcripts(_run(unit, principal, run_id).id)


def run_transcript(desk: Desk, principal: Principal, run_id: str, transcript_id: str) -> bytes:
    """See `Registry.run_transcript`."""
    require(principal, "evidence:read")
    with desk.store.read() as unit:
        run = _run(unit, principal, run_id)
        known_id(ids.TRANSCRIPT, transcript_id, TRANSCRIPT_UNKNOWN, "transcript")
        content = unit.runs.transcript(run.id, transcript_id)
    if content is None:
        raise unknown(TRANSCRIPT_UNKNOWN, "transcript", transcript_id)
    return content


def get_decision(desk: Desk, principal: Principal, decision_id: str) -> Decision:
    """See `Registry.get_decision`."""
    known_id(ids.DECISION, decision_id, DECISION_UNKNOWN, "decision")
    with desk.store.read() as unit:
        found = unit.decisions.get(principal.namespace, decision_id)
    if found is None:
        raise unknown(DECISION_UNKNOWN, "decision", decision_id)
    return found


def list_evidence(
    desk: Desk,
    principal: Principal,
    *,
    digest: str | None,
    producer: str | None,
    candidate_id: str | None,
    stage: str | None,
    profile: str | None,
    result: str | None,
    fresh: bool | None,
    cursor: str | None,
    limit: int,
) -> Page:
    """See `Registry.list_evidence`."""
    require(principal, "evidence:read")
    check_filters(
        digest=digest,
        candidate_id=candidate_id,
        producer=producer,
        stage=stage,
        profile=profile,
        result=result,
    )
    now = desk.clock.now()

    def fetch(before: str | None, count: int) -> list[Evidence]:
        with desk.store.read() as unit:
            return unit.evidence.page(
                principal.namespace,
                digest=digest,
                producer=producer,
                candidate_id=candidate_id,
                stage=stage,
                profile=profile,
                verdict=result,
                expires_after=now if fresh is True else None,
                expires_by=now if fresh is False else None,
                before=before,
                limit=count,
            )

    return page(ids.EVIDENCE, cursor, limit, fetch=fetch, id_of=lambda evidence: evidence.id)


def get_evidence(desk: Desk, principal: Principal, evidence_id: str) -> Evidence:
    """See `Registry.get_evidence`."""
    require(principal, "evidence:read")
    known_id(ids.EVIDENCE, evidence_id, EVIDENCE_UNKNOWN, "evidence")
    with desk.store.read() as unit:
        found = unit.evidence.get(principal.namespace, evidence_id)
    if found is None:
        raise unknown(EVIDENCE_UNKNOWN, "evidence", evidence_id)
    return found


def keys(desk: Desk) -> list[PublicKey]:
    """See `Registry.keys`."""
    with desk.store.read() as unit:
        return unit.journal.keys()


def audit(desk: Desk, principal: Principal, *, cursor: str | None, limit: int) -> Page:
    """See `Registry.audit`."""
    require(principal, "admin")

    def fetch(before: str | None, count: int) -> list[AuditEntry]:
        with desk.store.read() as unit:
            return unit.journal.page(principal.namespace, before=before, limit=count)

    return page(ids.AUDIT, cursor, limit, fetch=fetch, id_of=lambda entry: entry.id)


def changed_since(
    desk: Desk, *, runs: Mapping[str, int], candidates: Mapping[str, int]
) -> frozenset[str]:
    """See `Registry.changed_since`."""
    moved: set[str] = set()
    with desk.store.read() as unit:
        if runs:
            moved |= unit.runs.moved_on(runs)
        if candidates:
            moved |= unit.candidates.moved_on(candidates)
    return frozenset(moved)


def _bundle(unit: Unit, principal: Principal, digest: str) -> StoredBundle:
    stored = unit.bundles.find(principal.namespace, digest) if is_digest(digest) else None
    if stored is None:
        raise unknown(BUNDLE_UNKNOWN, "bundle", digest[:200])
    return stored


def _candidate(unit: Unit, principal: Principal, candidate_id: str) -> Candidate:
    known_id(ids.CANDIDATE, candidate_id, CANDIDATE_UNKNOWN, "candidate")
    found = unit.candidates.get(principal.namespace, candidate_id)
    if found is None:
        raise unknown(CANDIDATE_UNKNOWN, "candidate", candidate_id)
    return found


def _run(unit: Unit, principal: Principal, run_id: str) -> Run:
    known_id(ids.RUN, run_id, RUN_UNKNOWN, "run")
    found = unit.runs.get(run_id, namespace=principal.namespace)
    if found is None:
        raise unknown(RUN_UNKNOWN, "run", run_id)
    return found
