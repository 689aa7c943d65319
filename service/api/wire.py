"""Records as they look outside: JSON bodies built from the registry's records.

Times are RFC 3339 in UTC with microseconds. A body has the members of its record under the same
names, so most of them need no code of their own.
"""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Generic, Self, TypeVar

import msgspec

from service.admission.model import Page, PolicyRecord

T = TypeVar("T")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def instant(microseconds: int) -> datetime:
    """A time of the registry as a datetime."""
    return _EPOCH + timedelta(microseconds=microseconds)


@cache
def _members(kind: type[msgspec.Struct]) -> tuple[tuple[str, bool], ...]:
    """Member names of a body, and whether each is a time."""
    return tuple(
        (f.name, f.type in {datetime, datetime | None}) for f in msgspec.structs.fields(kind)
    )


class Body(msgspec.Struct, kw_only=True, frozen=True):
    """Base of the bodies that mirror a record."""

    @classmethod
    def of(cls, record: Any) -> Self:
        """The body of a record."""
        members = {}
        for name, is_time in _members(cls):
            value = getattr(record, name)
            members[name] = instant(value) if is_time and value is not None else value
        return cls(**members)


class PageBody(msgspec.Struct, Generic[T], kw_only=True, frozen=True):
    """One page of a list; `next` is the `cursor` of the following page, null at the end."""

    items: list[T]
    next: str | None


def page_of(page: Page, make: Callable[[Any], T]) -> PageBody[T]:
    """A page of records as a page of bodies."""
    return PageBody(items=[make(item) for item in page.items], next=page.next)


def whole(items: Iterable[T]) -> PageBody[T]:
    """A short list in the shape of a page, so that every list reads the same."""
    return PageBody(items=list(items), next=None)


class BundleBody(Body, kw_only=True, frozen=True):
    """A stored bundle."""

    digest: str
    contract_id: str
    contract_version: str
    producer: str
    artifact_digests: tuple[str, ...]
    protocol: dict[str, str]
    size: int
    file_count: int
    static_verdict: str
    harness_version: str
    created_at: datetime
    created_by: str


class TargetBody(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """How a candidate is reached: `mcp+http` with `url`, or `mcp+stdio` with `launcher`.

    Header values are references (`env:NAME`, `file:PATH`), resolved by the worker alone.
    `instances` are further URLs of the same deployment, which get the same credentials.
    """

    name: str
    kind: str
    url: str = ""
    launcher: str = ""
    headers: dict[str, str] = {}
    profile: str = "default"
    revision: str = "2026-07-28"
    instances: tuple[str, ...] = ()


class CandidateBody(Body, kw_only=True, frozen=True):
    """A build put forward against one bundle, with its registry state."""

    id: str
    bundle_digest: str
    contract_id: str
    producer: str
    version: str
    artifact_digest: str
    targets: list[TargetBody]
    policy: str
    state: str
    state_version: int
    route_enabled: bool
    needs_reverification: bool
    created_at: datetime
    created_by: str
    updated_at: datetime


class RunStageBody(Body, kw_only=True, frozen=True):
    """One stage under one profile of a run."""

    stage: str
    profile: str
    verdict: str | None
    evidence_id: str | None


class RunBody(Body, kw_only=True, frozen=True):
    """One execution of a verification by a worker."""

    id: str
    candidate_id: str
    state: str
    stages: list[RunStageBody]
    verdict: str | None
    reason_code: str | None
    detail: str | None
    attempt: int
    max_attempts: int
    cancel_requested: bool
    created_at: datetime
    created_by: str
    started_at: datetime | None
    finished_at: datetime | None


class RunEventBody(Body, kw_only=True, frozen=True):
    """One step of a run's progress; `seq` is the id of its server-sent event."""

    run_id: str
    seq: int
    at: datetime
    kind: str
    body: dict[str, Any]


class TranscriptBody(Body, kw_only=True, frozen=True):
    """A stored, redacted transcript."""

    id: str
    run_id: str
    stage: str
    profile: str
    digest: str
    size: int
    created_at: datetime


class EvidenceBody(Body, kw_only=True, frozen=True):
    """Signed evidence; ask with `format=dsse` for the envelope itself, byte-exact."""

    id: str
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
    verified_at: datetime
    expires_at: datetime
    envelope_digest: str
    key_id: str
    summary: dict[str, Any]


class DecisionBody(Body, kw_only=True, frozen=True):
    """What the gate said: PASS, FAIL or INCONCLUSIVE, why, and what would change it."""

    id: str
    candidate_id: str
    to: str
    environment: str
    verdict: str
    reasons: list[dict[str, Any]]
    next_steps: list[str]
    unverified_claims: list[dict[str, Any]]
    not_covered: list[str]
    inputs_digest: str
    policy_name: str
    policy_digest: str
    decided_at: datetime
    valid_until: datetime
    key_id: str


class StoredDecisionBody(DecisionBody, kw_only=True, frozen=True):
    """A decision with the inputs it was made from, by digest."""

    inputs: dict[str, Any]


class TransitionBody(Body, kw_only=True, frozen=True):
    """A state change."""

    id: str
    candidate_id: str
    event: str
    from_state: str
    to_state: str
    decision_id: str | None
    reason: str
    actor: str
    at: datetime


class PolicyBody(Body, kw_only=True, frozen=True):
    """One version of a policy; a built-in one was never created."""

    name: str
    digest: str
    document: dict[str, Any]
    current: bool
    created_at: datetime | None
    created_by: str

    @classmethod
    def of(cls, record: PolicyRecord) -> "PolicyBody":
        """The body of a version; time 0 marks a built-in one."""
        return cls(
            name=record.name,
            digest=record.digest,
            document=dict(record.document),
            current=record.current,
            created_at=instant(record.created_at) if record.created_at else None,
            created_by=record.created_by,
        )


class TokenBody(Body, kw_only=True, frozen=True):
    """A token without its secret."""

    id: str
    name: str
    namespace: str
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class KeyBody(Body, kw_only=True, frozen=True):
    """A public key that signs, or signed, evidence and decisions."""

    key_id: str
    public_pem: str
    purpose: str
    since: datetime


class AuditBody(Body, kw_only=True, frozen=True):
    """One write: who did what to which thing."""

    id: str
    at: datetime
    actor: str
    action: str
    subject: str
    body: dict[str, Any]
