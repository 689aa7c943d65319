"""What the use cases ask of the store: one Protocol an aggregate, all of them in one `Unit`.

A unit lives inside `Store.read()` (single statements, each its own) or `Store.write()` (one
transaction, all or nothing). `lock=True` holds the row until the transaction ends; whoever locks a
run's candidate and the run takes the candidate first.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from service.admission.facts import StageFacts
from service.admission.model import (
    AuditEntry,
    Bundle,
    Candidate,
    Decision,
    Evidence,
    PolicyRecord,
    PublicKey,
    Run,
    RunEvent,
    TokenRecord,
    TranscriptRecord,
    Transition,
)


@dataclass(frozen=True, slots=True)
class StoredToken:
    """A token and the SHA-256 of its secret."""

    record: TokenRecord
    secret_hash: bytes


@dataclass(frozen=True, slots=True)
class StoredBundle:
    """A bundle, its id, and its static outcomes as `Outcome.to_dict`."""

    id: str
    bundle: Bundle
    outcomes: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding to store; exactly one of `bundle_id` and `run_id` is set."""

    id: str
    bundle_id: str | None
    run_id: str | None
    stage: str
    profile: str
    harness_version: str
    check_id: str
    reason_code: str
    severity: str
    document: Mapping[str, Any]
    created_at: int


@dataclass(frozen=True, slots=True)
class StandingDecision:
    """What one statement tells about a question to the gate.

    Attributes:
        policy, policy_digest: the candidate's policy; the digest of its current stored version,
            None where none is stored (then the built-in one of that name holds).
        decision: the newest decision made from the candidate's present inputs, if any.
    """

    policy: str
    policy_digest: str | None
    decision: Decision | None


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """A request made under an Idempotency-Key, and the thing it made."""

    action: str
    request_digest: str
    subject: str


class Tokens(Protocol):
    """Namespaces and tokens."""

    def ensure_namespace(self, name: str, at: int) -> None:
        """Make a namespace unless it is there."""

    def add(self, token: StoredToken, created_by: str) -> None:
        """Store a token."""

    def get(self, token_id: str) -> StoredToken | None:
        """A token of any namespace."""

    def all(self, namespace: str) -> list[TokenRecord]:
        """Tokens of a namespace, newest first."""

    def revoke(self, token_id: str, at: int) -> None:
        """Set the time of revocation, unless one is set."""

    def used(self, token_id: str, at: int) -> None:
        """Note the last use."""


class Bundles(Protocol):
    """Bundles, their files and static findings."""

    def add(
        self, stored: StoredBundle, files: Mapping[str, bytes], digests: Mapping[str, str]
    ) -> bool:
        """Store a bundle with its files; False, and nothing stored, if its digest or its contract
        version is taken in the namespace. `digests`: path → raw digest.
        """

    def rejudge(
        self, bundle_id: str, harness_version: str, verdict: str, outcomes: Sequence[Any]
    ) -> None:
        """Put the static outcomes of another harness version in place of the old ones."""

    def find(self, namespace: str, digest: str, *, lock: bool = False) -> StoredBundle | None:
        """A bundle by digest."""

    def by_contract(self, namespace: str, contract_id: str, version: str) -> StoredBundle | None:
        """The bundle that was submitted under a contract version."""

    def page(
        self,
        namespace: str,
        *,
        contract_id: str | None,
        producer: str | None,
        digest: str | None,
        before: str | None,
        limit: int,
    ) -> list[StoredBundle]:
        """Bundles with ids below `before`, newest first."""

    def digests(self, bundle_id: str) -> dict[str, str]:
        """Path → raw digest of its file."""

    def file(self, bundle_id: str, path: str) -> bytes | None:
        """One file."""

    def files(self, bundle_id: str) -> dict[str, bytes]:
        """Every file, sorted by the UTF-8 bytes of its path."""

    def add_findings(self, rows: Sequence[FindingRow]) -> None:
        """Store findings, of bundles or of runs."""

    def findings(self, bundle_id: str, harness_version: str) -> list[Mapping[str, Any]]:
        """Static findings, in order."""


class Candidates(Protocol):
    """Candidates and their state changes."""

    def add(self, candidate: Candidate, bundle_id: str, content_digest: str) -> bool:
        """Store a candidate; False if one of this content is there."""

    def get(self, namespace: str, candidate_id: str, *, lock: bool = False) -> Candidate | None:
        """One candidate of a namespace."""

    def by_content(self, namespace: str, content_digest: str) -> Candidate | None:
        """The candidate of this very content."""

    def other_build(self, bundle_id: str, version: str, artifact_digest: str) -> str | None:
        """The artifact digest of another build registered under this version, if there is one."""

    def page(
        self,
        namespace: str,
        *,
        producer: str | None,
        state: str | None,
        digest: str | None,
        contract_id: str | None,
        version: str | None,
        before: str | None,
        limit: int,
    ) -> list[Candidate]:
        """Candidates with ids below `before`, newest first; `digest` is bundle's or artifact's."""

    def touch(self, candidate_id: str, at: int) -> int:
        """Count one change of what decisions depend on; the new `inputs_version`."""

    def move(self, candidate: Candidate, state_version: int) -> bool:
        """Write state, flags and versions of `candidate`; False unless the stored state version is
        still `state_version`.
        """

    def moved_on(self, known: Mapping[str, int]) -> set[str]:
        """Ids whose `inputs_version` is above the known one."""

    def add_transition(self, transition: Transition, state_version: int) -> None:
        """Store a state change; `state_version` is the one it led to."""

    def transitions(self, candidate_id: str) -> list[Transition]:
        """State changes, oldest first."""


class Runs(Protocol):
    """Runs, their leases, events and transcripts."""

    def add(self, run: Run, dispatched_at: int) -> None:
        """Store a queued run and its stages."""

    def get(self, run_id: str, *, namespace: str | None = None) -> Run | None:
        """One run, of one namespace or (for workers) of any."""

    def page(
        self,
        namespace: str,
        *,
        candidate_id: str | None,
        state: str | None,
        before: str | None,
        limit: int,
    ) -> list[Run]:
        """Runs with ids below `before`, newest first."""

    def claim(self, run_id: str, worker: str, now: int, lease_until: int) -> bool:
        """Take a queued run, or a running one whose lease is over, while attempts are left."""

    def extend(self, run_id: str, fence: int, now: int, lease_until: int) -> bool | None:
        """Extend a held lease; whether cancelling was asked for, None if the lease is not held."""

    def close(
        self,
        run_id: str,
        fence: int,
        *,
        now: int,
        lease_over: bool,
        state: str,
        verdict: str | None,
        reason_code: str | None,
        detail: str | None,
    ) -> bool:
        """End a running run (or give it back: state "queued"), if `fence` is current and its lease
        is held, or over where `lease_over` is True. False, and nothing changed, otherwise.
        """

    def cancel_queued(self, run_id: str, now: int, reason_code: str) -> bool:
        """End a run nobody has claimed; False if somebody has."""

    def request_cancel(self, run_id: str) -> None:
        """Set the flag the heartbeat reads."""

    def conclude_stage(
        self,
        run_id: str,
        stage: str,
        profile: str,
        *,
        verdict: str,
        evidence_id: str | None,
        outcomes: Sequence[Mapping[str, Any]] | None,
    ) -> None:
        """Write what one stage came to."""

    def outcomes(self, run_id: str) -> list[Mapping[str, Any]]:
        """Outcomes with `stage` and `profile`, in order."""

    def findings(self, run_id: str, after: str | None, limit: int) -> list[FindingRow]:
        """Findings with ids above `after`, in order."""

    def dispatchable(self, now: int, sent_before: int, limit: int) -> list[str]:
        """Queued runs last sent before that time, or never; they count as sent `now`."""

    def expired(self, now: int, limit: int) -> list[Run]:
        """Running runs whose lease is over."""

    def add_event(
        self, run_id: str, at: int, kind: str, body: Mapping[str, Any], *, fence: int | None = None
    ) -> bool:
        """Append an event; with a fence, only under its held lease (False otherwise)."""

    def events(self, run_id: str, after_seq: int, limit: int) -> list[RunEvent]:
        """Events in order."""

    def moved_on(self, known: Mapping[str, int]) -> set[str]:
        """Ids whose last event is above the known one."""

    def add_transcript(
        self, record: TranscriptRecord, redaction_digest: str, content: bytes
    ) -> None:
        """Store a transcript; its content is a blob."""

    def transcripts(self, run_id: str) -> list[TranscriptRecord]:
        """Transcripts in the order of the stages."""

    def transcript(self, run_id: str, transcript_id: str) -> bytes | None:
        """The bytes of one."""


class EvidenceRows(Protocol):
    """Evidence, and which of it is the latest word."""

    def add(self, evidence: Evidence) -> None:
        """Store evidence, for ever."""

    def get(self, namespace: str, evidence_id: str) -> Evidence | None:
        """One piece of evidence."""

    def page(
        self,
        namespace: str,
        *,
        digest: str | None,
        producer: str | None,
        candidate_id: str | None,
        stage: str | None,
        profile: str | None,
        verdict: str | None,
        expires_after: int | None,
        expires_by: int | None,
        before: str | None,
        limit: int,
    ) -> list[Evidence]:
        """Evidence with ids below `before`, newest first."""

    def await_run(self, candidate_id: str, cells: Iterable[tuple[str, str]], run_id: str) -> None:
        """Make a run the latest word on its stages and profiles, before it says anything."""

    def settle(
        self, candidate_id: str, stage: str, profile: str, *, run_id: str | None, evidence_id: str
    ) -> None:
        """Attach evidence to the latest word; a run that is no longer the latest changes nothing.
        Without a run (static evidence) the evidence itself becomes the latest word.
        """

    def latest(self, candidate_id: str) -> tuple[StageFacts, ...]:
        """The latest word per stage and profile, ordered; one statement whatever the history."""

    def elsewhere(self, candidate: Candidate, limit: int) -> list[Evidence]:
        """Evidence that counts for other candidates of the same contract, newest first."""


class Decisions(Protocol):
    """Stored decisions."""

    def standing(
        self, namespace: str, candidate_id: str, to: str, environment: str
    ) -> StandingDecision | None:
        """What is known about a question, in one statement; None for an unknown candidate."""

    def add(self, decision: Decision, inputs_version: int) -> None:
        """Store a decision, for ever."""

    def get(self, namespace: str, decision_id: str) -> Decision | None:
        """One decision."""


class Policies(Protocol):
    """Versions of policies."""

    def lock(self, namespace: str) -> None:
        """Keep other writers of the namespace's policies out until the transaction ends."""

    def current(self, namespace: str, name: str) -> PolicyRecord | None:
        """The stored version that decides; None where a built-in one may."""

    def by_digest(self, namespace: str, name: str, digest: str) -> PolicyRecord | None:
        """One version."""

    def all_current(self, namespace: str) -> list[PolicyRecord]:
        """The versions that decide, by name."""

    def keep(self, namespace: str, record: PolicyRecord) -> bool:
        """Store a version as it is; False if it is there."""

    def make_current(self, namespace: str, name: str, digest: str) -> None:
        """Let a stored version decide."""


class Journal(Protocol):
    """Audit, idempotency and the public keys in use."""

    def add(self, namespace: str, entry: AuditEntry) -> None:
        """Append an audit entry."""

    def page(self, namespace: str, *, before: str | None, limit: int) -> list[AuditEntry]:
        """Entries with ids below `before`, newest first."""

    def request(self, namespace: str, key: str) -> KeptRequest | None:
        """What was asked under an Idempotency-Key."""

    def keep_request(self, namespace: str, key: str, kept: KeptRequest, at: int) -> bool:
        """Keep a request under its key; False if the key is taken."""

    def keep_key(self, key: PublicKey) -> None:
        """Keep a public key unless it is there."""

    def keys(self) -> list[PublicKey]:
        """Public keys, oldest first."""


class Unit(Protocol):
    """Every aggregate over one connection."""

    @property
    def tokens(self) -> Tokens: ...  # noqa: D102 - named by its type
    @property
    def bundles(self) -> Bundles: ...  # noqa: D102
    @property
    def candidates(self) -> Candidates: ...  # noqa: D102
    @property
    def runs(self) -> Runs: ...  # noqa: D102
    @property
    def evidence(self) -> EvidenceRows: ...  # noqa: D102
    @property
    def decisions(self) -> Decisions: ...  # noqa: D102
    @property
    def policies(self) -> Policies: ...  # noqa: D102
    @property
    def journal(self) -> Journal: ...  # noqa: D102


class Store(Protocol):
    """The registry's memory. Opened by `service.store.open_store`.

    Every method may raise Unreachable STORE_UNREACHABLE, STORE_READ_ONLY, STORE_NOT_MIGRATED.
    """

    def read(self) -> AbstractContextManager[Unit]:
        """A unit for reading; each statement sees what is committed when it runs."""

    def write(self) -> AbstractContextManager[Unit]:
        """A unit that is one transaction: committed at the end, undone by any exception."""

    def ping(self) -> bool:
        """True when the database answers now, has the tables of this program, takes writes."""

    def close(self) -> None:
        """Give back every connection."""
