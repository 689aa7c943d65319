"""Every use case of the registry behind one door: what the API, the workers and the command call.

`Registry` only names the use cases; each lives in the module of its verb. All of it is synchronous
and holds no state between calls but caches whose age is bounded. A principal's namespace bounds
everything it can see: a thing of another namespace is NotFound, never Forbidden.
"""

from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from service.admission import (
    conclude,
    decide,
    enqueue,
    importing,
    lease,
    move,
    policies,
    query,
    register,
    submit,
    tokens,
)
from service.admission.desk import Desk
from service.admission.importing import ReportFiles
from service.admission.model import (
    Bundle,
    Candidate,
    Claim,
    Decision,
    Evidence,
    Page,
    PolicyRecord,
    Principal,
    PublicKey,
    Run,
    RunEvent,
    StageResult,
    Submission,
    Target,
    TokenRecord,
    TranscriptRecord,
    Transition,
)
from service.admission.ports import Clock, RunQueue, Signer, Terms
from service.admission.storage import Store


class Registry:
    """The use cases. See each method for what it asks, gives and refuses.

    Built in the composition roots, with the key already loaded into `signer`.
    """

    def __init__(
        self, store: Store, signer: Signer, clock: Clock, queue: RunQueue, settings: Terms
    ) -> None:
        self._desk = Desk(store, signer, clock, queue, settings)
        self._gatekeeper = tokens.Gatekeeper(self._desk)

    # --- principals ---------------------------------------------------------------------------

    def authenticate(self, bearer: str) -> Principal:
        """The principal behind a bearer token (without the word "Bearer").

        Known tokens are remembered for `token_cache_s` seconds: that is the revocation latency.

        Raises:
            Unauthorised: TOKEN_INVALID (unknown or revoked), TOKEN_EXPIRED.
        """
        return self._gatekeeper.authenticate(bearer)

    def create_token(
        self,
        principal: Principal | None,
        *,
        name: str,
        namespace: str,
        scopes: Sequence[str],
        expires_in_s: int | None,
    ) -> tuple[str, TokenRecord]:
        """Make a token; the first item is the secret, shown this once.

        `principal` None is the machine's owner (the command, with the database at hand). A
        principal needs `admin` and makes tokens in its own namespace only.

        Raises:
            Forbidden: SCOPE_MISSING. NotFound: NAMESPACE_UNKNOWN. Invalid: SCOPE_UNKNOWN,
            TOKEN_LIFETIME_INVALID, NAME_INVALID.
        """
        return tokens.create_token(
            self._desk,
            principal,
            name=name,
            namespace=namespace,
            scopes=scopes,
            expires_in_s=expires_in_s,
        )

    def list_tokens(self, principal: Principal) -> list[TokenRecord]:
        """Every token of the namespace, newest first (scope `admin`)."""
        return tokens.list_tokens(self._desk, principal)

    def revoke_token(self, principal: Principal, token_id: str) -> TokenRecord:
        """Revoke a token for good; doing it again changes nothing (scope `admin`)."""
        return tokens.revoke_token(self._desk, principal, token_id)

    # --- bundles ------------------------------------------------------------------------------

    def submit_bundle(
        self, principal: Principal, archive: BinaryIO, *, idempotency_key: str | None = None
    ) -> Submission:
        """Read, pin, judge and store a bundle (scope `bundles:write`).

        The same content in the same namespace gives the same row, `created` False.

        Raises:
            Refused, LimitExceeded: unreadable, unsafe, unpinned or secret-bearing: nothing stored.
            Conflict: CONTRACT_VERSION_TAKEN; `seen` says what differs, by path.
        """
        return submit.submit_bundle(self._desk, principal, archive, idempotency_key=idempotency_key)

    def get_bundle(self, principal: Principal, digest: str) -> Bundle:
        """One bundle. Raises NotFound BUNDLE_UNKNOWN."""
        return query.get_bundle(self._desk, principal, digest)

    def list_bundles(
        self,
        principal: Principal,
        *,
        contract_id: str | None = None,
        producer: str | None = None,
        digest: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """Bundles, newest first. Raises Invalid CURSOR_INVALID, LIMIT_INVALID (1 to 200)."""
        return query.list_bundles(
            self._desk,
            principal,
            contract_id=contract_id,
            producer=producer,
            digest=digest,
            cursor=cursor,
            limit=limit,
        )

    def bundle_file(self, principal: Principal, digest: str, path: str) -> bytes:
        """One file of a bundle, byte-exact. Raises NotFound BUNDLE_UNKNOWN, BUNDLE_FILE_UNKNOWN."""
        return query.bundle_file(self._desk, principal, digest, path)

    def bundle_archive(self, principal: Principal, digest: str) -> bytes:
        """The bundle as a deterministic tar."""
        return query.bundle_archive(self._desk, principal, digest)

    def bundle_findings(self, principal: Principal, digest: str) -> list[Mapping[str, Any]]:
        """Static findings, as `Finding.to_dict`, in the order the checks gave them."""
        return query.bundle_findings(self._desk, principal, digest)

    def bundle_outcomes(self, principal: Principal, digest: str) -> list[Mapping[str, Any]]:
        """Static outcomes, as `Outcome.to_dict`, one a check."""
        return query.bundle_outcomes(self._desk, principal, digest)

    # --- candidates ---------------------------------------------------------------------------

    def register_candidate(
        self,
        principal: Principal,
        *,
        bundle_digest: str,
        version: str,
        artifact_digest: str,
        targets: Sequence[Target],
        policy: str = "default",
    ) -> tuple[Candidate, bool]:
        """Put a build forward (scope `candidates:write`); True when it is new.

        Static evidence, decision and transition happen at once: the candidate comes back as
        STATIC_VALIDATED or REJECTED, or DRAFT where static checks could not tell.

        Raises:
            NotFound: BUNDLE_UNKNOWN, POLICY_UNKNOWN.
            Refused: ARTIFACT_NOT_PINNED, PROFILE_NOT_OBSERVED, TARGET_CONTRADICTS_BUNDLE.
            Invalid: DIGEST_INVALID, VERSION_INVALID, TARGET_INVALID.
            Conflict: CANDIDATE_VERSION_TAKEN (same bundle and version, another content).
        """
        return register.register_candidate(
            self._desk,
            principal,
            bundle_digest=bundle_digest,
            version=version,
            artifact_digest=artifact_digest,
            targets=targets,
            policy=policy,
        )

    def get_candidate(self, principal: Principal, candidate_id: str) -> Candidate:
        """One candidate. Raises NotFound CANDIDATE_UNKNOWN."""
        return query.get_candidate(self._desk, principal, candidate_id)

    def list_candidates(
        self,
        principal: Principal,
        *,
        producer: str | None = None,
        state: str | None = None,
        digest: str | None = None,
        contract_id: str | None = None,
        version: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """Candidates, newest first; `digest` matches bundle or artifact."""
        return query.list_candidates(
            self._desk,
            principal,
            producer=producer,
            state=state,
            digest=digest,
            contract_id=contract_id,
            version=version,
            cursor=cursor,
            limit=limit,
        )

    def candidate_verification(self, principal: Principal, candidate_id: str) -> Mapping[str, Any]:
        """The flat summary: agent_version, card_digest, contract_digest, producer_digest,
        profiles_passed, verified_at, expires_at (microseconds, None where nothing is).
        """
        return query.candidate_verification(self._desk, principal, candidate_id)

    # --- runs ---------------------------------------------------------------------------------

    def start_run(
        self,
        principal: Principal,
        candidate_id: str,
        *,
        stages: Sequence[str] | None = None,
        profiles: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> tuple[Run, bool]:
        """Queue a verification (scope `runs:write`); False when the key had started it before.

        `None` asks for what the policy wants of the next transitions and has a target for.

        Raises:
            NotFound: CANDIDATE_UNKNOWN. Invalid: STAGE_UNKNOWN, PROFILE_WITHOUT_TARGET.
            Conflict: IDEMPOTENCY_KEY_REUSED, CANDIDATE_CLOSED (rejected, deprecated).
        """
        return enqueue.start_run(
            self._desk,
            principal,
            candidate_id,
            stages=stages,
            profiles=profiles,
            idempotency_key=idempotency_key,
        )

    def run_renews_static(self, principal: Principal, candidate_id: str) -> bool:
        """Whether starting a run now would judge the candidate's bundle anew, which takes as long
        as submitting it (scope `runs:write`). Raises NotFound CANDIDATE_UNKNOWN.
        """
        return enqueue.renews_static(self._desk, principal, candidate_id)

    def get_run(self, principal: Principal, run_id: str) -> Run:
        """One run. Raises NotFound RUN_UNKNOWN."""
        return query.get_run(self._desk, principal, run_id)

    def list_runs(
        self,
        principal: Principal,
        *,
        candidate_id: str | None = None,
        state: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """Runs, newest first."""
        return query.list_runs(
            self._desk,
            principal,
            candidate_id=candidate_id,
            state=state,
            cursor=cursor,
            limit=limit,
        )

    def cancel_run(self, principal: Principal, run_id: str) -> Run:
        """Cancel (scope `runs:write`): a queued run at once, a running one at its next heartbeat.

        Raises:
            Conflict: RUN_FINISHED.
        """
        return enqueue.cancel_run(self._desk, principal, run_id)

    def run_events(self, principal: Principal, run_id: str, after_seq: int = 0) -> list[RunEvent]:
        """Events with `seq` greater than `after_seq`, in order, at most 500."""
        return query.run_events(self._desk, principal, run_id, after_seq)

    def run_findings(
        self, principal: Principal, run_id: str, *, cursor: str | None = None, limit: int = 100
    ) -> Page:
        """Findings of a run, as `Finding.to_dict` with `stage` and `profile`, in order."""
        return query.run_findings(self._desk, principal, run_id, cursor=cursor, limit=limit)

    def run_outcomes(self, principal: Principal, run_id: str) -> list[Mapping[str, Any]]:
        """Outcomes of a run, as `Outcome.to_dict` with `stage` and `profile`."""
        return query.run_outcomes(self._desk, principal, run_id)

    def run_transcripts(self, principal: Principal, run_id: str) -> list[TranscriptRecord]:
        """The transcripts of a run (scope `evidence:read`)."""
        return query.run_transcripts(self._desk, principal, run_id)

    def run_transcript(self, principal: Principal, run_id: str, transcript_id: str) -> bytes:
        """One redacted transcript, the very bytes its digest is over (scope `evidence:read`)."""
        return query.run_transcript(self._desk, principal, run_id, transcript_id)

    def changed_since(
        self, *, runs: Mapping[str, int], candidates: Mapping[str, int]
    ) -> frozenset[str]:
        """Which of the watched things moved on, for a poller; one cheap statement for each kind.

        Args:
            runs: run id → last event `seq` known.
            candidates: candidate id → last `inputs_version` known.
        """
        return query.changed_since(self._desk, runs=runs, candidates=candidates)

    # --- gate ---------------------------------------------------------------------------------

    def ask_gate(
        self, principal: Principal, candidate_id: str, *, to: str, environment: str = "default"
    ) -> Decision:
        """May the candidate move to `to` now? One statement while a stored decision is current.

        Raises:
            NotFound: CANDIDATE_UNKNOWN. Invalid: STATE_UNKNOWN.
        """
        return decide.ask_gate(self._desk, principal, candidate_id, to=to, environment=environment)

    def transition(
        self,
        principal: Principal,
        candidate_id: str,
        *,
        to: str,
        expected_state: str,
        reason: str,
        environment: str = "default",
    ) -> tuple[Transition, Decision]:
        """Move a candidate, asking the gate at this moment (scope `transitions:write`).

        Raises:
            Conflict: STATE_MISMATCH (`seen` is the actual state), ILLEGAL_TRANSITION.
            GateRefused: GATE_REFUSED or GATE_UNDECIDED, with `.decision`.
            Invalid: STATE_UNKNOWN, REASON_MISSING.
        """
        return move.transition(
            self._desk,
            principal,
            candidate_id,
            to=to,
            expected_state=expected_state,
            reason=reason,
            environment=environment,
        )

    def list_transitions(self, principal: Principal, candidate_id: str) -> list[Transition]:
        """Every state change of a candidate, oldest first."""
        return query.list_transitions(self._desk, principal, candidate_id)

    def get_decision(self, principal: Principal, decision_id: str) -> Decision:
        """One stored decision. Raises NotFound DECISION_UNKNOWN."""
        return query.get_decision(self._desk, principal, decision_id)

    def replay_decision(self, principal: Principal, decision_id: str) -> Mapping[str, Any]:
        """Recompute a decision from its stored inputs.

        Returns:
            {"agrees": bool, "stored": {"verdict", "reasons"}, "recomputed": {…}}.
        """
        return decide.replay_decision(self._desk, principal, decision_id)

    # --- evidence -----------------------------------------------------------------------------

    def list_evidence(
        self,
        principal: Principal,
        *,
        digest: str | None = None,
        producer: str | None = None,
        candidate_id: str | None = None,
        stage: str | None = None,
        profile: str | None = None,
        result: str | None = None,
        fresh: bool | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """Evidence, newest first (scope `evidence:read`); `digest` matches every digest it is
        bound to; `result` is a verdict; `fresh` asks for unexpired or expired.
        """
        return query.list_evidence(
            self._desk,
            principal,
            digest=digest,
            producer=producer,
            candidate_id=candidate_id,
            stage=stage,
            profile=profile,
            result=result,
            fresh=fresh,
            cursor=cursor,
            limit=limit,
        )

    def get_evidence(self, principal: Principal, evidence_id: str) -> Evidence:
        """One piece of evidence (scope `evidence:read`). Raises NotFound EVIDENCE_UNKNOWN."""
        return query.get_evidence(self._desk, principal, evidence_id)

    def import_evidence(
        self,
        principal: Principal,
        candidate_id: str,
        *,
        profile: str,
        report: ReportFiles,
        idempotency_key: str | None = None,
    ) -> tuple[Evidence, bool]:
        """Keep what another tool reported about a candidate (scope `runs:write`); False when the
        key had imported it before. It is shown, and the gate never counts it.

        Raises:
            NotFound: CANDIDATE_UNKNOWN. Invalid: PROFILE_WITHOUT_TARGET, EXPECTED_FAILURES_UNUSED.
            Refused: IMPORT_UNREADABLE, IMPORT_TOO_LARGE, EXPECTED_FAILURES_INVALID.
            Conflict: IDEMPOTENCY_KEY_REUSED.
        """
        return importing.import_evidence(
            self._desk,
            principal,
            candidate_id,
            profile=profile,
            report=report,
            idempotency_key=idempotency_key,
        )

    def keys(self, principal: Principal) -> list[PublicKey]:
        """Public keys that sign or have signed, so that evidence stays verifiable."""
        del principal  # a public key is no secret; asking still takes a token
        return query.keys(self._desk)

    # --- policies, audit, health --------------------------------------------------------------

    def get_policy(self, principal: Principal, name: str) -> PolicyRecord:
        """The current version of a policy, built in or stored. Raises NotFound POLICY_UNKNOWN."""
        return policies.get_policy(self._desk, principal, name)

    def list_policies(self, principal: Principal) -> list[PolicyRecord]:
        """The current version of every policy, by name."""
        return policies.list_policies(self._desk, principal)

    def put_policy(
        self, principal: Principal, name: str, document: Mapping[str, Any]
    ) -> tuple[PolicyRecord, bool]:
        """Store a version and make it current (scope `policies:write`); True when it is new."""
        return policies.put_policy(self._desk, principal, name, document)

    def audit(self, principal: Principal, *, cursor: str | None = None, limit: int = 50) -> Page:
        """Audit entries (`AuditEntry`), newest first (scope `admin`)."""
        return query.audit(self._desk, principal, cursor=cursor, limit=limit)

    def ready(self) -> dict[str, bool]:
        """{"database": bool, "broker": bool}: really asks both."""
        return {"database": self._desk.store.ping(), "broker": self._desk.queue.ping()}

    # --- workers ------------------------------------------------------------------------------

    def claim(self, run_id: str, worker: str) -> Claim | None:
        """Take a queued run, or one whose lease is over; None when there is nothing to do."""
        return lease.claim(self._desk, run_id, worker)

    def heartbeat(self, run_id: str, fence: int) -> bool:
        """Extend the lease; False when the run was cancelled and the worker must stop.

        Raises:
            Conflict: LEASE_LOST: another worker holds the run, or it is over.
        """
        return lease.heartbeat(self._desk, run_id, fence)

    def progress(self, run_id: str, fence: int, kind: str, body: Mapping[str, Any]) -> None:
        """Record a progress event under the lease. Raises Conflict LEASE_LOST."""
        lease.progress(self._desk, run_id, fence, kind, body)

    def conclude(self, claim: Claim, results: Sequence[StageResult]) -> Run:
        """Record everything a run gave, decide and move, in one transaction.

        A stage of the run that has no result becomes INCONCLUSIVE with STAGE_NOT_CONCLUDED.

        Raises:
            Conflict: LEASE_LOST: the worker is late and nothing was changed.
        """
        return conclude.conclude(self._desk, claim, results)

    def abandon(self, claim: Claim, reason_code: str, detail: str, *, retry: bool = True) -> Run:
        """Give a run back: queued again while attempts are left, else INCONCLUSIVE with why.

        Queued again it is dispatchable at once. A run whose cancelling was asked for ends
        cancelled. `retry` False ends it now: another attempt would meet the same refusal.

        Raises:
            Conflict: LEASE_LOST.
        """
        return lease.abandon(self._desk, claim, reason_code, detail, retry=retry)

    def dispatchable(self, limit: int = 100) -> list[str]:
        """Ids of queued runs to (re-)send; each is offered again only after a lease time."""
        return lease.dispatchable(self._desk, limit)

    def expire_leases(self) -> int:
        """Give back every run whose lease is over, as `abandon` does; how many there were."""
        return lease.expire_leases(self._desk)
