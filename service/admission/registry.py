"""Every use case of the registry behind one door: what the API, the workers and the command call.

`Registry` only names the use cases; each lives in the module of its verb. All of it is synchronous
and holds no state between calls but caches whose age is bounded. A principal's namespace bounds
everything it can see: a thing of another namespace is NotFound, never Forbidden.
"""

from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

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
from service.admission.ports import Clock, RunQueue, Signer, Store, Terms


class Registry:
    """The use cases. See each method for what it asks, gives and refuses.

    Built in the composition roots, with the key already loaded into `signer`.
    """

    def __init__(
        self, store: Store, signer: Signer, clock: Clock, queue: RunQueue, settings: Terms
    ) -> None:
        self._store = store
        self._signer = signer
        self._clock = clock
        self._queue = queue
        self._settings = settings

    # --- principals ---------------------------------------------------------------------------

    def authenticate(self, bearer: str) -> Principal:
        """The principal behind a bearer token (without the word "Bearer").

        Known tokens are remembered for `token_cache_s` seconds: that is the revocation latency.

        Raises:
            Unauthorised: TOKEN_INVALID (unknown or revoked), TOKEN_EXPIRED.
        """
        raise NotImplementedError

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
        raise NotImplementedError

    def list_tokens(self, principal: Principal) -> list[TokenRecord]:
        """Every token of the namespace, newest first (scope `admin`)."""
        raise NotImplementedError

    def revoke_token(self, principal: Principal, token_id: str) -> TokenRecord:
        """Revoke a token for good; doing it again changes nothing (scope `admin`)."""
        raise NotImplementedError

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
        raise NotImplementedError

    def get_bundle(self, principal: Principal, digest: str) -> Bundle:
        """One bundle. Raises NotFound BUNDLE_UNKNOWN."""
        raise NotImplementedError

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
        raise NotImplementedError

    def bundle_file(self, principal: Principal, digest: str, path: str) -> bytes:
        """One file of a bundle, byte-exact. Raises NotFound BUNDLE_UNKNOWN, BUNDLE_FILE_UNKNOWN."""
        raise NotImplementedError

    def bundle_archive(self, principal: Principal, digest: str) -> bytes:
        """The bundle as a deterministic tar."""
        raise NotImplementedError

    def bundle_findings(self, principal: Principal, digest: str) -> list[Mapping[str, Any]]:
        """Static findings, as `Finding.to_dict`, in the order the checks gave them."""
        raise NotImplementedError

    def bundle_outcomes(self, principal: Principal, digest: str) -> list[Mapping[str, Any]]:
        """Static outcomes, as `Outcome.to_dict`, one a check."""
        raise NotImplementedError

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
            NotFound: BUNDLE_UNKNOWN, POLICY_UNKNOWN. Refused: ARTIFACT_NOT_PINNED.
            Invalid: DIGEST_INVALID, VERSION_INVALID, TARGET_INVALID.
            Conflict: CANDIDATE_VERSION_TAKEN (same bundle and version, another content).
        """
        raise NotImplementedError

    def get_candidate(self, principal: Principal, candidate_id: str) -> Candidate:
        """One candidate. Raises NotFound CANDIDATE_UNKNOWN."""
        raise NotImplementedError

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
        raise NotImplementedError

    def candidate_verification(self, principal: Principal, candidate_id: str) -> Mapping[str, Any]:
        """The flat summary: agent_version, card_digest, contract_digest, producer_digest,
        profiles_passed, verified_at, expires_at (microseconds, None where nothing is).
        """
        raise NotImplementedError

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
        raise NotImplementedError

    def get_run(self, principal: Principal, run_id: str) -> Run:
        """One run. Raises NotFound RUN_UNKNOWN."""
        raise NotImplementedError

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
        raise NotImplementedError

    def cancel_run(self, principal: Principal, run_id: str) -> Run:
        """Cancel (scope `runs:write`): a queued run at once, a running one at its next heartbeat.

        Raises:
            Conflict: RUN_FINISHED.
        """
        raise NotImplementedError

    def run_events(self, principal: Principal, run_id: str, after_seq: int = 0) -> list[RunEvent]:
        """Events with `seq` greater than `after_seq`, in order, at most 500."""
        raise NotImplementedError

    def run_findings(
        self, principal: Principal, run_id: str, *, cursor: str | None = None, limit: int = 100
    ) -> Page:
        """Findings of a run, as `Finding.to_dict` with `stage` and `profile`, in order."""
        raise NotImplementedError

    def run_outcomes(self, principal: Principal, run_id: str) -> list[Mapping[str, Any]]:
        """Outcomes of a run, as `Outcome.to_dict` with `stage` and `profile`."""
        raise NotImplementedError

    def run_transcripts(self, principal: Principal, run_id: str) -> list[TranscriptRecord]:
        """The transcripts of a run (scope `evidence:read`)."""
        raise NotImplementedError

    def run_transcript(self, principal: Principal, run_id: str, transcript_id: str) -> bytes:
        """One redacted transcript, the very bytes its digest is over (scope `evidence:read`)."""
        raise NotImplementedError

    def changed_since(
        self, *, runs: Mapping[str, int], candidates: Mapping[str, int]
    ) -> frozenset[str]:
        """Which of the watched things moved on, for a poller; one cheap statement for each kind.

        Args:
            runs: run id → last event `seq` known.
            candidates: candidate id → last `inputs_version` known.
        """
        raise NotImplementedError

    # --- gate ---------------------------------------------------------------------------------

    def ask_gate(
        self, principal: Principal, candidate_id: str, *, to: str, environment: str = "default"
    ) -> Decision:
        """May the candidate move to `to` now? One statement while a stored decision is current.

        Raises:
            NotFound: CANDIDATE_UNKNOWN. Invalid: STATE_UNKNOWN.
        """
        raise NotImplementedError

    def transition(
        self,
        principal: Principal,
        candidate_id: str,
        *,
        to: str,
        expected_state: str,
        reason: str,
        environment: str = "default",
    ) -> tuple[Transition, Decision | None]:
        """Move a candidate, asking the gate at this moment (scope `transitions:write`).

        The decision is None where the law asks for none (a retirement, a reopening).

        Raises:
            Conflict: STATE_MISMATCH (`seen` is the actual state), TRANSITION_ILLEGAL.
            GateRefused: GATE_REFUSED or GATE_UNDECIDED, with `.decision`.
            Invalid: STATE_UNKNOWN, REASON_MISSING.
        """
        raise NotImplementedError

    def list_transitions(self, principal: Principal, candidate_id: str) -> list[Transition]:
        """Every state change of a candidate, oldest first."""
        raise NotImplementedError

    def get_decision(self, principal: Principal, decision_id: str) -> Decision:
        """One stored decision. Raises NotFound DECISION_UNKNOWN."""
        raise NotImplementedError

    def replay_decision(self, principal: Principal, decision_id: str) -> Mapping[str, Any]:
        """Recompute a decision from its stored inputs.

        Returns:
            {"agrees": bool, "stored": {"verdict", "reasons"}, "recomputed": {…}}.
        """
        raise NotImplementedError

    # --- evidence -----------------------------------------------------------------------------

    def list_evidence(
        self,
        principal: Principal,
        *,
        digest: str | None = None,
        candidate_id: str | None = None,
        stage: str | None = None,
        profile: str | None = None,
        result: str | None = None,
        fresh: bool | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """Evidence, newest first (scope `evidence:read`); `digest` matches artifact, bundle,
        snapshot or envelope; `result` is a verdict; `fresh` asks for unexpired or expired.
        """
        raise NotImplementedError

    def get_evidence(self, principal: Principal, evidence_id: str) -> Evidence:
        """One piece of evidence (scope `evidence:read`). Raises NotFound EVIDENCE_UNKNOWN."""
        raise NotImplementedError

    def keys(self, principal: Principal) -> list[PublicKey]:
        """Public keys that sign or have signed, so that evidence stays verifiable."""
        raise NotImplementedError

    # --- policies, audit, health --------------------------------------------------------------

    def get_policy(self, principal: Principal, name: str) -> PolicyRecord:
        """The current version of a policy, built in or stored. Raises NotFound POLICY_UNKNOWN."""
        raise NotImplementedError

    def list_policies(self, principal: Principal) -> list[PolicyRecord]:
        """The current version of every policy, by name."""
        raise NotImplementedError

    def put_policy(
        self, principal: Principal, name: str, document: Mapping[str, Any]
    ) -> tuple[PolicyRecord, bool]:
        """Store a version and make it current (scope `policies:write`); True when it is new."""
        raise NotImplementedError

    def audit(self, principal: Principal, *, cursor: str | None = None, limit: int = 50) -> Page:
        """Audit entries (`AuditEntry`), newest first (scope `admin`)."""
        raise NotImplementedError

    def ready(self) -> dict[str, bool]:
        """{"database": bool, "broker": bool}: really asks both."""
        raise NotImplementedError

    # --- workers ------------------------------------------------------------------------------

    def claim(self, run_id: str, worker: str) -> Claim | None:
        """Take a queued run, or one whose lease is over; None when there is nothing to do."""
        raise NotImplementedError

    def heartbeat(self, run_id: str, fence: int) -> bool:
        """Extend the lease; False when the run was cancelled and the worker must stop.

        Raises:
            Conflict: LEASE_LOST: another worker holds the run, or it is over.
        """
        raise NotImplementedError

    def progress(self, run_id: str, fence: int, kind: str, body: Mapping[str, Any]) -> None:
        """Record a progress event under the lease. Raises Conflict LEASE_LOST."""
        raise NotImplementedError

    def conclude(self, claim: Claim, results: Sequence[StageResult]) -> Run:
        """Record everything a run gave, decide and move, in one transaction.

        A stage of the run that has no result becomes INCONCLUSIVE with STAGE_NOT_CONCLUDED.

        Raises:
            Conflict: LEASE_LOST: the worker is late and nothing was changed.
        """
        raise NotImplementedError

    def abandon(self, claim: Claim, reason_code: str, detail: str, *, retry: bool = True) -> Run:
        """Give a run back: queued again while attempts are left, else INCONCLUSIVE with why.

        Queued again it is dispatchable at once. A cancelled run ends as cancelled. `retry` False
        ends it now: another attempt would meet the same refusal.

        Raises:
            Conflict: LEASE_LOST.
        """
        raise NotImplementedError

    def dispatchable(self, limit: int = 100) -> list[str]:
        """Ids of queued runs to (re-)send; each is offered again only after a lease time."""
        raise NotImplementedError

    def expire_leases(self) -> int:
        """Give back every run whose lease is over, as `abandon` does; how many there were."""
        raise NotImplementedError
