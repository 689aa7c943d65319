"""What a case takes from its result, and whether its answers were wanted: judged as assertions."""

from typing import Any

from bundles.mcp.probes import REDACTED
from bundles.report.cut import compact, counted
from bundles.suite.assertions.place import found_at, nothing_there
from bundles.suite.assertions.seen import Seen
from bundles.suite.extraction import NotExtracted
from bundles.suite.model import Case
from bundles.suite.outcomes import (
    ANSWERS_UNUSED,
    CAPTURE_MASKED,
    CAPTURE_NOT_FOUND,
    AssertionOutcome,
)
from bundles.suite.pointer import ABSENT

CAPTURE = "capture"
ANSWERS = "answers"


def judge_captures(case: Case, seen: Seen) -> tuple[dict[str, Any], list[AssertionOutcome]]:
    """The variables a case sets, and how each capture went."""
    captured: dict[str, Any] = {}
    outcomes = []
    for capture in case.captures:
        found = found_at(capture.source, capture.pointer, seen)
        if found is ABSENT or isinstance(found, NotExtracted):
            why = nothing_there(capture.source, capture.pointer, found, seen)
            message = f"nothing to capture as '{capture.name}': {why}"
            outcomes.append(AssertionOutcome(CAPTURE, "failed", CAPTURE_NOT_FOUND, message))
        elif _was_masked(found):
            outcomes.append(
                AssertionOutcome(
                    CAPTURE,
                    "failed",
                    CAPTURE_MASKED,
                    f"what would be '{capture.name}' has the shape of a credential and was masked",
                )
            )
        else:
            captured[capture.name] = found
            outcomes.append(AssertionOutcome(CAPTURE, "passed"))
    return captured, outcomes


def _was_masked(value: Any) -> bool:
    """Whether something was taken out of a value: passed on, the rest would be another value."""
    return REDACTED in compact(value)


def judge_answers(case: Case, seen: Seen) -> AssertionOutcome:
    """Whether the server asked as often as the case has answers."""
    asked, ready = len(seen.exchanges) - 1, len(case.answers)
    if asked >= ready:
        return AssertionOutcome(ANSWERS, "passed")
    times = counted(asked, "time")
    message = f"the server asked for input {times}, the case answers {counted(ready, 'time')}"
    return AssertionOutcome(ANSWERS, "failed", ANSWERS_UNUSED, message, ready, asked)
