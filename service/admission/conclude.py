"""Concluding a run: one transaction holds everything it gave, what was decided, and what moved."""

from collections.abc import Sequence

from bundles.mcp.reading import reached, why_unreached
from bundles.verdict import Verdict, of_run
from service.admission.desk import Desk, note
from service.admission.lease import lease_lost
from service.admission.model import Claim, Run, RunState, StageResult
from service.admission.move import advance
from service.admission.record import Draft, draft_stage, touched, write
from service.admission.refusals import CANDIDATE_UNREACHABLE, STAGE_NOT_CONCLUDED


def conclude(desk: Desk, held: Claim, found: Sequence[StageResult]) -> Run:
    """See `Registry.conclude`."""
    now = desk.clock.now()
    asked = [(stage.stage, stage.profile) for stage in held.run.stages]
    # statements are made and signed here: the transaction only writes
    drafts = {
        (stage.plan.stage, stage.plan.profile): draft_stage(
            desk, held.candidate, held.run, stage, fence=held.fence, now=now
        )
        for stage in found
    }
    foreign = drafts.keys() - set(asked)
    if foreign or len(drafts) != len(found):
        msg = f"stages the run has not, or twice: {sorted(foreign)}"
        raise ValueError(msg)
    missing = [cell for cell in asked if cell not in drafts]
    verdicts = [Verdict(_verdict(drafts.get(cell))) for cell in asked]
    verdict = of_run(verdicts)
    code, detail = _unanswered(missing, found) if verdict is Verdict.INCONCLUSIVE else (None, None)
    with desk.store.write() as unit:
        candidate = unit.candidates.get(held.run.namespace, held.run.candidate_id, lock=True)
        if candidate is None or not unit.runs.close(
            held.run.id,
            held.fence,
            now=now,
            lease_over=False,
            state=RunState.FINISHED.value,
            verdict=verdict.value,
            reason_code=code,
            detail=detail,
        ):
            raise lease_lost(held.run.id)
        for cell in asked:
            draft = drafts.get(cell)
            if draft is not None:
                write(desk, unit, draft, now)
            unit.runs.conclude_stage(
                held.run.id,
                *cell,
                verdict=_verdict(draft),
                evidence_id=None if draft is None else draft.evidence.id,
                outcomes=None if draft is None else [o.to_dict() for o in draft.outcomes],
            )
        body = {"verdict": verdict.value}
        unit.runs.add_event(held.run.id, now, RunState.FINISHED.value, body)
        note(
            unit,
            held.run.namespace,
            actor="worker",
            action="run.conclude",
            subject=held.run.id,
            at=now,
            body={**body, "evidence": [draft.evidence.id for draft in drafts.values()]},
        )
        advance(desk, unit, touched(unit, candidate, now), now)
        run = unit.runs.get(held.run.id)
    return run or held.run


def _unanswered(
    missing: Sequence[tuple[str, str]], found: Sequence[StageResult]
) -> tuple[str | None, str | None]:
    """Reason code and detail of a run that could not tell, where one reason explains it whole."""
    if missing:
        cells = ", ".join(f"{stage} for profile {profile}" for stage, profile in missing)
        return STAGE_NOT_CONCLUDED, f"no conclusion about {cells}"
    asked = [stage.transcript for stage in found if stage.transcript.exchanges]
    if asked and not any(reached(transcript) for transcript in asked):
        return CANDIDATE_UNREACHABLE, why_unreached(asked[0])
    return None, None


def _verdict(draft: Draft | None) -> str:
    return Verdict.INCONCLUSIVE.value if draft is None else draft.evidence.verdict
