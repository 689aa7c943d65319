"""Judging live servers: transcripts in, outcomes out. Pure, so every verdict can be replayed."""

from collections.abc import Iterable, Mapping
from typing import Any

from bundles.check import Check, Outcome, Subject, checks_for, registry
from bundles.errors import Invalid
from bundles.reasons import reason
from bundles.transcript import Transcript
from bundles.transcript_json import transcript_from_json
from bundles.verdict import Stage

CHECK_UNKNOWN = reason(
    "CHECK_UNKNOWN",
    "A plan names a check that this version does not have for that stage.",
    "compare the plan with `bundlegate checks`; run the verification again with this version",
)


def live_checks(stage: Stage | str) -> tuple[Check, ...]:
    """The checks that judge transcripts of a stage, in id order."""
    return tuple(checks_for(Subject.TRANSCRIPT, Stage(stage)))


def judge_transcript(
    transcript: Transcript, check_ids: Iterable[str] | None = None
) -> list[Outcome]:
    """Run the checks of the transcript's stage over it, in id order.

    Args:
        transcript: what a run saw.
        check_ids: the checks a plan names; all of the stage's when None.

    Raises:
        Invalid: CHECK_UNKNOWN, a named check does not exist, or not for this stage.
    """
    return [check.judge(transcript) for check in chosen_checks(transcript.stage, check_ids)]


def chosen_checks(stage: Stage | str, check_ids: Iterable[str] | None = None) -> tuple[Check, ...]:
    """The live checks of a stage that a plan names, all of them when None, in id order.

    Raises:
        Invalid: CHECK_UNKNOWN, a named check does not exist, or not for this stage.
    """
    available = live_checks(stage)
    if check_ids is None:
        return available
    wanted = set(check_ids)
    unknown = sorted(wanted - {check.id for check in available})
    if unknown:
        elsewhere = [name for name in unknown if name in registry()]
        raise Invalid(
            CHECK_UNKNOWN,
            f"no live check of stage {stage} is called {', '.join(unknown)}",
            seen=unknown,
            expected={"other stages or subjects": elsewhere} if elsewhere else None,
        )
    return tuple(check for check in available if check.id in wanted)


def replay(
    stored: Mapping[str, Any], check_ids: Iterable[str] | None = None
) -> tuple[dict[str, Any], ...]:
    """Recompute from a stored transcript what its run concluded, with no network.

    Returns:
        {"id", "verdict", "reason_code"?, "message", "findings"} a check, as `recorded` writes them.
    """
    return recorded(judge_transcript(transcript_from_json(stored), check_ids))


def recorded(outcomes: Iterable[Outcome]) -> tuple[dict[str, Any], ...]:
    """Outcomes as plain JSON with their findings, for storing beside a transcript and comparing."""
    return tuple(
        {**outcome.to_dict(), "findings": [f.to_dict() for f in outcome.findings]}
        for outcome in outcomes
    )
