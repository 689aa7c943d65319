"""What the gate is told and what it answers: frozen records with a plain JSON form each.

A stored decision keeps `GateInputs.to_dict()`; `GateInputs.from_dict` gives the same facts back, so
that a replay rules on exactly what was ruled on.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from bundles.verdict import Verdict
from service.admission.model import Evidence, State


@dataclass(frozen=True, slots=True)
class FindingFact:
    """A finding, as far as the gate cares. Findings are strictly ordered: severity, check, path."""

    check_id: str
    reason_code: str
    severity: str
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class UnverifiedClaim:
    """A claim that was made and that nobody watched."""

    claim: str
    check_id: str
    why: str


@dataclass(frozen=True, slots=True)
class EvidenceFacts:
    """One piece of signed evidence. Times in microseconds, digests as "sha256:…"."""

    id: str
    stage: str
    profile: str
    verdict: str
    binding: str
    artifact_digest: str
    bundle_digest: str
    harness_version: str
    verified_at: int
    expires_at: int
    envelope_digest: str
    findings: tuple[FindingFact, ...] = ()
    unverified_claims: tuple[UnverifiedClaim, ...] = ()
    not_covered: tuple[str, ...] = ()

    @classmethod
    def of(cls, evidence: Evidence) -> "EvidenceFacts":
        """The gate's view of a stored row; its summary is `evidence.summary_of`'s."""
        summary = evidence.summary
        return cls(
            id=evidence.id,
            stage=evidence.stage,
            profile=evidence.profile,
            verdict=evidence.verdict,
            binding=evidence.binding,
            artifact_digest=evidence.artifact_digest,
            bundle_digest=evidence.bundle_digest,
            harness_version=evidence.harness_version,
            verified_at=evidence.verified_at,
            expires_at=evidence.expires_at,
            envelope_digest=evidence.envelope_digest,
            findings=tuple(FindingFact(**entry) for entry in summary["findings"]),
            unverified_claims=tuple(
                UnverifiedClaim(**entry) for entry in summary["unverified_claims"]
            ),
            not_covered=tuple(summary["not_covered"]),
        )

    @classmethod
    def from_dict(cls, members: Mapping[str, Any]) -> "EvidenceFacts":
        """The inverse of `dataclasses.asdict`."""
        return cls(
            **{
                **members,
                "findings": tuple(FindingFact(**entry) for entry in members["findings"]),
                "unverified_claims": tuple(
                    UnverifiedClaim(**entry) for entry in members["unverified_claims"]
                ),
                "not_covered": tuple(members["not_covered"]),
            }
        )


@dataclass(frozen=True, slots=True)
class StageFacts:
    """The latest word on one stage under one profile, read from the run rows.

    Attributes:
        run_id: None for static evidence, which no run made.
        state: a `RunState` value; "finished" for static evidence.
        verdict: the stage's verdict, None until concluded.
        created_at: when the run was asked for (static: when the evidence was made).
        reason_code, detail: why a run is inconclusive, "" where nothing is to be said.
        evidence: what the run signed; None while it runs, or if it never signed any.
    """

    stage: str
    profile: str
    run_id: str | None
    state: str
    verdict: str | None
    created_at: int
    reason_code: str = ""
    detail: str = ""
    evidence: EvidenceFacts | None = None


@dataclass(frozen=True, slots=True)
class GateInputs:
    """Everything an answer depends on, beside the policy and the time.

    Attributes:
        profiles: profiles the candidate is observed under (those of its targets).
        latest: the latest word per stage and profile; at most one entry for each pair.
        elsewhere: evidence of the same contract under other digests. It never counts; it is named
            where the candidate's own is missing.
    """

    candidate_id: str
    artifact_digest: str
    bundle_digest: str
    state: State
    reopened_at: int
    needs_reverification: bool
    profiles: tuple[str, ...]
    latest: tuple[StageFacts, ...]
    to: State
    environment: str = "default"
    elsewhere: tuple[EvidenceFacts, ...] = ()

    def latest_for(self, stage: str, profile: str) -> StageFacts | None:
        """The latest word on a stage under a profile."""
        return next(
            (fact for fact in self.latest if (fact.stage, fact.profile) == (stage, profile)), None
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, complete."""
        return asdict(self)

    @classmethod
    def from_dict(cls, members: Mapping[str, Any]) -> "GateInputs":
        """The inverse of `to_dict`, also after a round trip through JSON."""
        return cls(
            **{
                **members,
                "state": State(members["state"]),
                "to": State(members["to"]),
                "profiles": tuple(members["profiles"]),
                "latest": tuple(_stage_facts(entry) for entry in members["latest"]),
                "elsewhere": tuple(EvidenceFacts.from_dict(e) for e in members["elsewhere"]),
            }
        )


def _stage_facts(members: Mapping[str, Any]) -> StageFacts:
    evidence = members["evidence"]
    return StageFacts(
        **{**members, "evidence": None if evidence is None else EvidenceFacts.from_dict(evidence)}
    )


@dataclass(frozen=True, slots=True)
class Reason:
    """Why the answer is not yes, and what would change it.

    Attributes:
        code: a published reason code of `service.admission.gate`.
        verdict: FAIL for a certain no, INCONCLUSIVE for a not-yet.
        stage, profile: what it is about, "" for the candidate as a whole.
        finding: the finding behind it, where there is one.
        evidence_id: the evidence it was read from, where there is one.
    """

    code: str
    verdict: Verdict
    detail: str
    next_step: str
    stage: str = ""
    profile: str = ""
    finding: FindingFact | None = None
    evidence_id: str | None = None
    seen: Any = None
    expected: Any = None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, absent members left out."""
        members = {**asdict(self), "verdict": self.verdict.value}
        return {name: value for name, value in members.items() if value not in (None, "")}


@dataclass(frozen=True, slots=True)
class Ruling:
    """The gate's answer.

    Attributes:
        verdict: PASS, FAIL or INCONCLUSIVE.
        reasons: why not, certain ones first; empty exactly when the verdict is PASS.
        next_steps: what would unblock it, each once, in the order of the reasons.
        unverified_claims: claims nobody watched: {"claim", "check_id", "why", "stage", "profile",
            "evidence_id", "accepted"}; shown with a yes as well.
        not_covered: what the bundle says nothing about, as the evidence ruled on tells; shown
            with a yes as well.
        valid_until: microseconds; until then the same inputs give the same ruling.
        inputs: {"facts", "policy_digest"}: what was ruled on.
        failed_stages: stages whose evidence certainly fails, in verification order.
        rests_on_evidence: False for a move that needs none; a yes to it vouches for nothing.
    """

    verdict: Verdict
    reasons: tuple[Reason, ...]
    next_steps: tuple[str, ...]
    unverified_claims: tuple[Mapping[str, Any], ...]
    not_covered: tuple[str, ...]
    valid_until: int
    inputs: Mapping[str, Any]
    failed_stages: tuple[str, ...]
    rests_on_evidence: bool
