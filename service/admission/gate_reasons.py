"""The gate's reason codes, and how a reason is made from one."""

from typing import Any

from bundles.reasons import next_step, reason
from bundles.verdict import Stage, Verdict
from service.admission.facts import Reason

Cell = tuple[Stage, str]
"""One stage under one profile."""

STAGE_FAILED = reason(
    "STAGE_FAILED",
    "The latest run of a required stage failed.",
    "correct what the findings say, build anew, and register the new build as a candidate",
)
BLOCKING_FINDING = reason(
    "BLOCKING_FINDING",
    "A finding at or above the policy's blocking severity.",
    "correct what the findings say, build anew, and register the new build as a candidate",
)
DECIDED_BY_EVIDENCE = reason(
    "DECIDED_BY_EVIDENCE",
    "REJECTED follows from failing evidence and cannot be asked for.",
    "run the stage that should fail, or retire the candidate once it is admitted",
)
STATE_NOT_REACHED = reason(
    "STATE_NOT_REACHED",
    "The state asked for lies more than one step ahead.",
    "let the candidate reach the state before it first",
)
APPROVALS_MISSING = reason(
    "APPROVALS_MISSING",
    "Reinstating a quarantined candidate needs two approvers, which are not recorded.",
    "reopen the candidate with a reason and verify every stage again",
)
REVERIFICATION_DUE = reason(
    "REVERIFICATION_DUE",
    "The candidate is marked as needing verification again.",
    "run every required stage again",
)
NO_PROFILE = reason(
    "NO_PROFILE",
    "The candidate is observed under no profile, so there is nothing to count.",
    "register the candidate with at least one target",
)
STAGE_MISSING = reason(
    "STAGE_MISSING",
    "A required stage has never been run under a required profile.",
    "run the stage under that profile",
)
STAGE_RUNNING = reason(
    "STAGE_RUNNING",
    "The latest run of a required stage has not concluded.",
    "wait for the run to conclude",
)
STAGE_INCONCLUSIVE = reason(
    "STAGE_INCONCLUSIVE",
    "The latest run of a required stage could not tell, or was cancelled.",
    "remove what kept the harness from telling and run the stage again",
)
EVIDENCE_MISSING = reason(
    "EVIDENCE_MISSING",
    "The latest run of a required stage concluded without signed evidence.",
    "run the stage again",
)
EVIDENCE_EXPIRED = reason(
    "EVIDENCE_EXPIRED",
    "Evidence is older than it says it holds, or than the policy accepts.",
    "run the stage again",
)
EVIDENCE_BEFORE_REOPENING = reason(
    "EVIDENCE_BEFORE_REOPENING",
    "Evidence from before the candidate was reopened no longer counts.",
    "run the stage again",
)
DIGEST_MISMATCH = reason(
    "DIGEST_MISMATCH",
    "Evidence exists, but for other digests than the candidate's.",
    "verify this exact build: evidence never moves from one digest to another",
)
HARNESS_NOT_ACCEPTED = reason(
    "HARNESS_NOT_ACCEPTED",
    "Evidence was made by a harness version the policy does not accept.",
    "run the stage again with an accepted harness version",
)
BINDING_TOO_WEAK = reason(
    "BINDING_TOO_WEAK",
    "The running server was tied to the artifact digest more loosely than the policy accepts.",
    "verify through a launcher that measures what it starts",
)
CLAIM_NOT_VERIFIED = reason(
    "CLAIM_NOT_VERIFIED",
    "A claim was made that nobody watched, and the policy wants it verified.",
    "attach the observer that can watch it and run again, or name a policy that lets it stand",
)


def because(
    code: str,
    verdict: Verdict,
    detail: str,
    *,
    cell: Cell | None = None,
    step: str = "",
    **more: Any,
) -> Reason:
    """A reason under a code; `step` where something more exact than the code's own is known."""
    stage, profile = (cell[0].value, cell[1]) if cell else ("", "")
    return Reason(
        code=code,
        verdict=verdict,
        detail=detail,
        next_step=step or next_step(code),
        stage=stage,
        profile=profile,
        **more,
    )
