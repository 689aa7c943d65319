"""The static stage of a candidate: its bundle judged here, from its very bytes, with nothing run.

Judging may take seconds, so it is done before a transaction; writing belongs to the caller's.
"""

from dataclasses import dataclass

from bundles.check import Outcome
from bundles.contract import Contract
from bundles.plan import HARNESS_VERSION
from bundles.static import judge_bundle
from bundles.verdict import Stage
from service.admission.desk import Desk
from service.admission.gate import DAY_US, STATIC_PROFILE
from service.admission.model import Candidate
from service.admission.record import Draft, draft_static, write
from service.admission.storage import Unit
from service.admission.submit import rejudge


@dataclass(frozen=True, slots=True)
class StaticStage:
    """A bundle judged by this harness for a candidate, and the evidence to be written."""

    contract: Contract
    outcomes: tuple[Outcome, ...]
    draft: Draft


def judge_statically(desk: Desk, candidate: Candidate, now: int) -> StaticStage:
    """Judge the bundle of a candidate. Opens a read of its own: call it outside a transaction."""
    with desk.store.read() as unit:
        stored = unit.bundles.find(candidate.namespace, candidate.bundle_digest)
        assert stored is not None, "a candidate's bundle is there"  # noqa: S101
        files = unit.bundles.files(stored.id)
    contract = Contract.read(files)
    outcomes = tuple(judge_bundle(contract))
    draft = draft_static(desk, candidate, outcomes, now, not_covered=contract.not_covered)
    return StaticStage(contract, outcomes, draft)


def is_of_today(unit: Unit, candidate: Candidate, now: int) -> bool:
    """Whether the static evidence on file is by this harness and of the last day.

    Static evidence ends like every other, and an upgraded harness makes it one that policy may no
    longer accept. A run renews what is not of today: nothing it gives could count without it.
    """
    for word in unit.evidence.latest(candidate.id):
        if (word.stage, word.profile) == (Stage.STATIC, STATIC_PROFILE) and word.evidence:
            seen = word.evidence
            if seen.harness_version == HARNESS_VERSION and seen.verified_at > now - DAY_US:
                return True
    return False


def write_static(desk: Desk, unit: Unit, stage: StaticStage, now: int) -> None:
    """Store it: the verdict of this harness, the evidence, and the latest word."""
    evidence = stage.draft.evidence
    rejudge(unit, evidence.namespace, evidence.bundle_digest, stage.outcomes, now)
    write(desk, unit, stage.draft, now)
