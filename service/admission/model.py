"""The registry's records: what use cases take and return. Frozen, framework-free.

Ids carry a typed prefix outside ("cand_…", "run_…", "ev_…", "dec_…", "tok_…"); times are integer
microseconds since the epoch, UTC; digests are "sha256:<64 hex>".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from bundles.check import Outcome
from bundles.plan import Plan
from bundles.transcript import Transcript


class State(StrEnum):
    """Registry states of a candidate."""

    DRAFT = "DRAFT"
    STATIC_VALIDATED = "STATIC_VALIDATED"
    CONFORMANCE_VERIFIED = "CONFORMANCE_VERIFIED"
    SECURITY_VERIFIED = "SECURITY_VERIFIED"
    REGISTRY_ADMITTED = "REGISTRY_ADMITTED"
    CANARY = "CANARY"
    ACTIVE = "ACTIVE"
    REJECTED = "REJECTED"
    QUARANTINED = "QUARANTINED"
    DEPRECATED = "DEPRECATED"


class RunState(StrEnum):
    """Progress of a run; not a registry state."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class Binding(StrEnum):
    """How the running server was tied to the artifact digest, weakest first."""

    CLAIMED = "claimed"
    ATTESTED = "attested"
    MEASURED = "measured"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks. `namespace` bounds everything they can see; scopes what they can do."""

    token_id: str
    name: str
    namespace: str
    scopes: frozenset[str]

    def may(self, scope: str) -> bool:
        """True when a scope, or `admin`, was granted."""
        return scope in self.scopes or "admin" in self.scopes


@dataclass(frozen=True, slots=True)
class Target:
    """How a candidate is reached. Never a command; header values only as references.

    Attributes:
        kind: "mcp+http" (then `url`) or "mcp+stdio" (then `launcher`, an operator's name).
        headers: header name → "env:NAME" or "file:PATH", resolved in the worker alone.
        profile: the profile this target is observed under.
        revision: MCP revision to speak.
        instances: further URLs of the same deployment (HTTP only): what one of its instances says
            must hold at the others.
    """

    name: str
    kind: str
    url: str = ""
    launcher: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    profile: str = "default"
    revision: str = "2026-07-28"
    instances: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bundle:
    """A stored bundle."""

    digest: str
    namespace: str
    contract_id: str
    contract_version: str
    producer: str
    artifact_digests: tuple[str, ...]
    protocol: Mapping[str, str]
    size: int
    file_count: int
    static_verdict: str
    harness_version: str
    created_at: int
    created_by: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """One build put forward against one bundle digest; it carries the registry state.

    Attributes:
        state_version: grows by one with each transition (optimistic compare-and-set).
        inputs_version: grows with anything a decision depends on: runs, evidence, waivers, state.
        reopened_at: evidence from before this time no longer counts; 0 if never reopened.
    """

    id: str
    namespace: str
    bundle_digest: str
    contract_id: str
    producer: str
    version: str
    artifact_digest: str
    targets: tuple[Target, ...]
    policy: str
    state: State
    state_version: int
    inputs_version: int
    route_enabled: bool
    needs_reverification: bool
    reopened_at: int
    created_at: int
    created_by: str
    updated_at: int


@dataclass(frozen=True, slots=True)
class RunStage:
    """One stage under one profile of a run; verdict and evidence are None until concluded."""

    stage: str
    profile: str
    verdict: str | None = None
    evidence_id: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of plans by a worker. `reason_code` and `detail` explain an INCONCLUSIVE."""

    id: str
    namespace: str
    candidate_id: str
    state: RunState
    stages: tuple[RunStage, ...]
    verdict: str | None
    reason_code: str | None
    detail: str | None
    attempt: int
    max_attempts: int
    fence: int
    lease_until: int | None
    cancel_requested: bool
    created_at: int
    created_by: str
    started_at: int | None
    finished_at: int | None


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Progress: `seq` counts from 1 inside the run and is the SSE id."""

    run_id: str
    seq: int
    at: int
    kind: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Signed evidence as stored. `envelope` is the DSSE JSON, byte-exact; `summary` is what the
    gate and queries need: verdict, checks by verdict, unverified claims, binding.
    """

    id: str
    namespace: str
    candidate_id: str
    run_id: str | None
    kind: str
    stage: str
    profile: str
    verdict: str
    binding: str
    artifact_digest: str
    bundle_digest: str
    snapshot_digest: str
    plan_digest: str
    transcript_digest: str
    harness_version: str
    verified_at: int
    expires_at: int
    envelope: bytes
    envelope_digest: str
    key_id: str
    summary: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Decision:
    """A stored decision: verdict PASS, FAIL or INCONCLUSIVE; reasons and next steps; inputs by
    digest. Asking again before `valid_until` with the same inputs returns the same one.
    """

    id: str
    namespace: str
    candidate_id: str
    to: str
    environment: str
    verdict: str
    reasons: tuple[Mapping[str, Any], ...]
    next_steps: tuple[str, ...]
    unverified_claims: tuple[Mapping[str, Any], ...]
    not_covered: tuple[str, ...]
    inputs: Mapping[str, Any]
    inputs_digest: str
    policy_name: str
    policy_digest: str
    decided_at: int
    valid_until: int
    envelope: bytes
    key_id: str


@dataclass(frozen=True, slots=True)
class Transition:
    """A state change, made by a decision."""

    id: str
    candidate_id: str
    event: str
    from_state: State
    to_state: State
    decision_id: str | None
    reason: str
    actor: str
    at: int


@dataclass(frozen=True, slots=True)
class Page:
    """One cursor page: items of one record type and an opaque cursor, None at the end."""

    items: tuple[Any, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class Claim:
    """A run claimed by one worker: valid while `fence` is current and the lease holds.

    `files` are the bundle's files by path, byte-exact.
    """

    run: Run
    fence: int
    candidate: Candidate
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class StageResult:
    """What a worker concluded about one stage under one profile; times in microseconds."""

    plan: Plan
    transcript: Transcript
    outcomes: tuple[Outcome, ...]
    snapshot_digest: str
    started_at: int
    finished_at: int


@dataclass(frozen=True, slots=True)
class Submission:
    """What submitting a bundle gave: the stored bundle and its static outcomes and findings.

    `outcomes` are `bundles.check.Outcome.to_dict`, `findings` are `bundles.check.Finding.to_dict`.
    """

    bundle: Bundle
    created: bool
    outcomes: tuple[Mapping[str, Any], ...]
    findings: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A token as listed; the secret itself is never stored. Times in microseconds, None = never."""

    id: str
    name: str
    namespace: str
    scopes: tuple[str, ...]
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    last_used_at: int | None


@dataclass(frozen=True, slots=True)
class PolicyRecord:
    """One version of a policy; `current` is the one that decides. `created_at` 0: built in."""

    name: str
    digest: str
    document: Mapping[str, Any]
    current: bool
    created_at: int
    created_by: str


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One write: who did what to which thing, when, and what about it."""

    id: str
    at: int
    actor: str
    action: str
    subject: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TranscriptRecord:
    """A stored transcript: `digest` is the SHA-256 of its redacted bytes."""

    id: str
    run_id: str
    stage: str
    profile: str
    digest: str
    size: int
    created_at: int


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key that signs, or has signed, evidence and decisions; `since` is its first use."""

    key_id: str
    public_pem: str
    purpose: str
    since: int
