"""The gate: facts × policy × now → ruling. Pure, so that every decision can be replayed.

It looks at the latest word on each required stage and profile; an older pass never stands in for
it. FAIL dominates unknown, and unknown is never yes. It is monotone: adding passing evidence never
turns yes into no; adding failing evidence, or removing passing evidence, never turns no into yes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from bundles.verdict import Stage, Verdict
from service.admission import gate_reasons as why
from service.admission.evidence import rfc3339
from service.admission.facts import EvidenceFacts, GateInputs, Reason, Ruling, StageFacts
from service.admission.gate_reasons import Cell, because
from service.admission.lifecycle import (
    FORWARD,
    ILLEGAL_TRANSITION,
    WITHDRAWALS,
    Event,
    IllegalTransition,
    event_towards,
)
from service.admission.model import RunState, State
from service.admission.policy import Policy, Requirement, binding_suffices

STATIC_PROFILE = "any"
"""Static evidence is about the bundle: it holds under every profile."""

DAY_US = 86_400_000_000
LONGEST_RULING_US = DAY_US
"""A ruling under which nothing expires is asked anew after a day."""

_SHOWN_FINDINGS = 20


def gate(facts: GateInputs, policy: Policy, now: int) -> Ruling:
    """Rule on whether a candidate may be in `facts.to` now.

    Asked about a state it is already in, the gate rules on whether it may still be there. Moves
    that only take trust away (`WITHDRAWALS`) need no evidence.

    Args:
        facts: everything the answer depends on beside policy and time.
        policy: the candidate's policy.
        now: microseconds since the epoch.
    """
    reasons = list(_legality(facts))
    claims: list[Mapping[str, Any]] = []
    cells: tuple[Cell, ...] = ()
    requirement = None if _withdraws(facts) else policy.transitions.get(facts.to)
    if requirement is not None:
        cells = required_cells(facts, requirement)
        reasons += _standing(facts, requirement, cells)
        for stage, profile in cells:
            reasons += _judge(facts, requirement, policy, (stage, profile), now)
            claims += _claims(facts, policy, (stage, profile))
    return _ruling(
        facts, policy, requirement=requirement, cells=cells, reasons=reasons, claims=claims, now=now
    )


def required_cells(facts: GateInputs, requirement: Requirement) -> tuple[Cell, ...]:
    """The stage × profile pairs a requirement asks for, in verification order."""
    profiles = facts.profiles if requirement.profiles is None else requirement.profiles
    return tuple(
        (stage, profile)
        for stage in requirement.stages
        for profile in ((STATIC_PROFILE,) if stage is Stage.STATIC else profiles)
    )


def _withdraws(facts: GateInputs) -> bool:
    """Whether the move only takes trust away.

    Stopping a canary does too, but a question about REGISTRY_ADMITTED reads as "may it be there",
    and a yes must rest on evidence; `move.transition` stops a canary whatever the answer is.
    """
    if facts.to in FORWARD and facts.to is not State.DRAFT:
        return False
    try:
        return event_towards(facts.state, facts.to) in WITHDRAWALS
    except IllegalTransition:
        return False


def _legality(facts: GateInputs) -> Iterator[Reason]:
    """Whether the table knows a way, and whether this is the moment for it."""
    state, to = facts.state, facts.to
    if to is State.REJECTED:
        detail = "REJECTED follows from failing evidence and cannot be asked for"
        yield because(why.DECIDED_BY_EVIDENCE, Verdict.FAIL, detail)
        return
    if state in FORWARD and to in FORWARD and to is not State.DRAFT:
        ahead = FORWARD.index(to) - FORWARD.index(state)
        if ahead <= 1:  # one step on, or whether it may (still) be where it is or was
            return
        if ahead > 1:
            before = FORWARD[FORWARD.index(to) - 1].value
            yield because(
                why.STATE_NOT_REACHED,
                Verdict.INCONCLUSIVE,
                f"{to.value} is entered from {before}, and the candidate is {state.value}",
                step=f"let the candidate reach {before} first",
                seen=state.value,
                expected=before,
            )
            return
    try:
        event = event_towards(state, to)
    except IllegalTransition as refusal:
        yield because(
            ILLEGAL_TRANSITION,
            Verdict.FAIL,
            refusal.detail,
            step=refusal.next_steps[0],
            seen=refusal.seen,
            expected=refusal.expected,
        )
        return
    if event is Event.REINSTATED:
        detail = "reinstating needs two approvers, and none are recorded"
        yield because(why.APPROVALS_MISSING, Verdict.INCONCLUSIVE, detail, seen=0, expected=2)


def _standing(
    facts: GateInputs, requirement: Requirement, cells: tuple[Cell, ...]
) -> Iterator[Reason]:
    """What holds for the candidate as a whole."""
    if facts.needs_reverification:
        detail = "the candidate is marked as needing verification again"
        yield because(why.REVERIFICATION_DUE, Verdict.INCONCLUSIVE, detail)
    if {stage for stage, _ in cells} != set(requirement.stages):
        yield because(
            why.NO_PROFILE, Verdict.INCONCLUSIVE, "the candidate has no target to observe"
        )


def _judge(
    facts: GateInputs, requirement: Requirement, policy: Policy, cell: Cell, now: int
) -> Iterator[Reason]:
    """Everything that keeps one stage under one profile from counting."""
    stage, profile = cell
    latest = facts.latest_for(stage, profile)
    if latest is None:
        yield _missing(facts, cell)
        return
    if latest.created_at < facts.reopened_at:
        yield because(
            why.EVIDENCE_BEFORE_REOPENING,
            Verdict.INCONCLUSIVE,
            f"the latest {stage.value} run is from before the candidate was reopened",
            cell=cell,
            step=_run_again(cell),
            seen=rfc3339(latest.created_at),
            expected=f"{rfc3339(facts.reopened_at)} or later",
        )
        return
    if latest.state in {RunState.QUEUED, RunState.RUNNING}:
        yield because(
            why.STAGE_RUNNING,
            Verdict.INCONCLUSIVE,
            # queued or running: that changes by itself and would make what is stored here untrue
            f"run {latest.run_id} has not concluded",
            cell=cell,
            step=f"wait for run {latest.run_id} to conclude",
            expected=RunState.FINISHED.value,
        )
        return
    evidence = latest.evidence
    if latest.state != RunState.FINISHED or evidence is None:
        yield _unfinished(latest, cell)
        return
    mismatch = _mismatch(facts, evidence, cell)
    if mismatch is not None:
        yield mismatch
        return
    yield from _verdict(latest, evidence, requirement, cell)
    yield from _standing_of(
        evidence, requirement, policy, environment=facts.environment, cell=cell, now=now
    )


def _missing(facts: GateInputs, cell: Cell) -> Reason:
    stage, profile = cell
    step = f"run the {stage.value} stage for profile {profile}"
    for other in facts.elsewhere:
        if (other.stage, other.profile) == cell:
            mismatch = _mismatch(facts, other, cell)
            if mismatch is not None:
                return replace(mismatch, next_step=step)
    detail = f"the {stage.value} stage has never been run for profile {profile}"
    return because(why.STAGE_MISSING, Verdict.INCONCLUSIVE, detail, cell=cell, step=step)


def _unfinished(latest: StageFacts, cell: Cell) -> Reason:
    """A run that ended without an answer: cancelled, given up, or without signed evidence."""
    told = f": {latest.detail}" if latest.detail else ""
    inconclusive = latest.state != RunState.FINISHED or latest.verdict == Verdict.INCONCLUSIVE
    return because(
        why.STAGE_INCONCLUSIVE if inconclusive else why.EVIDENCE_MISSING,
        Verdict.INCONCLUSIVE,
        f"run {latest.run_id} is {latest.state} and left no evidence{told}",
        cell=cell,
        step=_run_again(cell),
        seen=latest.reason_code or latest.verdict,
        expected=Verdict.PASS.value,
    )


def _mismatch(facts: GateInputs, evidence: EvidenceFacts, cell: Cell) -> Reason | None:
    for name in ("artifact", "bundle"):
        seen: str = getattr(evidence, f"{name}_digest")
        asked: str = getattr(facts, f"{name}_digest")
        if seen != asked:
            return because(
                why.DIGEST_MISMATCH,
                Verdict.INCONCLUSIVE,
                f"evidence exists for {name} {seen}, you asked about {asked}",
                cell=cell,
                evidence_id=evidence.id,
                seen=seen,
                expected=asked,
            )
    return None


def _verdict(
    latest: StageFacts, evidence: EvidenceFacts, requirement: Requirement, cell: Cell
) -> Iterator[Reason]:
    """What the run and its findings say; the worse of run row and evidence counts."""
    verdicts = {latest.verdict, evidence.verdict}
    blocking = [f for f in evidence.findings if requirement.blocks(f.severity)]
    if Verdict.FAIL in verdicts:
        yield because(
            why.STAGE_FAILED,
            Verdict.FAIL,
            f"the {cell[0].value} stage failed for profile {cell[1]}"
            f" with {len(blocking)} blocking finding{'' if len(blocking) == 1 else 's'}",
            cell=cell,
            evidence_id=evidence.id,
            seen=Verdict.FAIL.value,
            expected=Verdict.PASS.value,
        )
    elif verdicts != {Verdict.PASS.value}:
        told = f": {latest.detail}" if latest.detail else ""
        yield because(
            why.STAGE_INCONCLUSIVE,
            Verdict.INCONCLUSIVE,
            f"the {cell[0].value} stage could not tell for profile {cell[1]}{told}",
            cell=cell,
            step=_run_again(cell),
            evidence_id=evidence.id,
            seen=latest.reason_code or Verdict.INCONCLUSIVE.value,
            expected=Verdict.PASS.value,
        )
    for finding in list(dict.fromkeys(blocking))[:_SHOWN_FINDINGS]:  # said once, however often
        yield because(
            why.BLOCKING_FINDING,
            Verdict.FAIL,
            f"{finding.reason_code}: {finding.message}",
            cell=cell,
            evidence_id=evidence.id,
            finding=finding,
            seen=finding.severity,
        )


def _standing_of(
    evidence: EvidenceFacts,
    requirement: Requirement,
    policy: Policy,
    *,
    environment: str,
    cell: Cell,
    now: int,
) -> Iterator[Reason]:
    """Whether evidence for this candidate is fresh, accepted, bound and watched enough."""
    ends = _counts_until(evidence, requirement)
    if ends <= now:
        yield because(
            why.EVIDENCE_EXPIRED,
            Verdict.INCONCLUSIVE,
            f"{cell[0].value} evidence for profile {cell[1]} counted until {rfc3339(ends)}",
            cell=cell,
            step=_run_again(cell),
            evidence_id=evidence.id,
            seen=rfc3339(ends),
            expected=f"later than {rfc3339(now)}",
        )
    if evidence.harness_version not in policy.harness_versions:
        yield because(
            why.HARNESS_NOT_ACCEPTED,
            Verdict.INCONCLUSIVE,
            f"evidence was made by harness {evidence.harness_version}",
            cell=cell,
            evidence_id=evidence.id,
            seen=evidence.harness_version,
            expected=list(policy.harness_versions),
        )
    least = requirement.binding_for(environment)
    if cell[0] is not Stage.STATIC and not binding_suffices(evidence.binding, least):
        yield because(
            why.BINDING_TOO_WEAK,
            Verdict.INCONCLUSIVE,
            f"the running server was {evidence.binding} to be the artifact;"
            f" {environment} asks for {least.value}",
            cell=cell,
            evidence_id=evidence.id,
            seen=evidence.binding,
            expected=least.value,
        )
    for claim in evidence.unverified_claims:
        if policy.must_be_verified(claim.claim):
            yield because(
                why.CLAIM_NOT_VERIFIED,
                Verdict.INCONCLUSIVE,
                f"{claim.claim} is claimed and nobody watched: {claim.why}",
                cell=cell,
                evidence_id=evidence.id,
                seen="not verified",
                expected="verified",
            )


def _claims(facts: GateInputs, policy: Policy, cell: Cell) -> Iterator[Mapping[str, Any]]:
    """Claims nobody watched, with whether the policy lets them stand."""
    latest = facts.latest_for(*cell)
    if latest is None or latest.evidence is None:
        return
    for claim in latest.evidence.unverified_claims:
        yield {
            **asdict(claim),
            "stage": cell[0].value,
            "profile": cell[1],
            "evidence_id": latest.evidence.id,
            "accepted": not policy.must_be_verified(claim.claim),
        }


def _counts_until(evidence: EvidenceFacts, requirement: Requirement) -> int:
    oldest = evidence.verified_at + requirement.max_evidence_age_days * DAY_US
    return min(evidence.expires_at, oldest)


def _ruling(
    facts: GateInputs,
    policy: Policy,
    *,
    requirement: Requirement | None,
    cells: tuple[Cell, ...],
    reasons: list[Reason],
    claims: list[Mapping[str, Any]],
    now: int,
) -> Ruling:
    ordered = sorted(reasons, key=lambda r: r.verdict is not Verdict.FAIL)  # stable
    verdict = ordered[0].verdict if ordered else Verdict.PASS
    ends = [now + LONGEST_RULING_US]
    not_covered: list[str] = []
    for cell in cells:
        latest = facts.latest_for(*cell)
        if latest is not None and latest.evidence is not None and requirement is not None:
            ends.append(_counts_until(latest.evidence, requirement))
            not_covered += latest.evidence.not_covered
    return Ruling(
        verdict=verdict,
        reasons=tuple(ordered),
        next_steps=tuple(dict.fromkeys(r.next_step for r in ordered)),
        unverified_claims=tuple(claims),
        not_covered=tuple(dict.fromkeys(not_covered)),
        valid_until=min(end for end in ends if end > now),
        inputs={"facts": facts.to_dict(), "policy_digest": policy.digest},
        failed_stages=tuple(
            dict.fromkeys(r.stage for r in ordered if r.stage and r.verdict is Verdict.FAIL)
        ),
        rests_on_evidence=requirement is not None,
    )


def _run_again(cell: Cell) -> str:
    stage, profile = cell
    if stage is Stage.STATIC:
        return "start a run: it judges the bundle again where its static evidence is not of today"
    return f"run the {stage.value} stage again for profile {profile}"
