"""A server that never answered well is not said to have been broken by a bad message."""

import pytest

from bundles.live import live_checks
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.transcript import Transcript
from bundles.verdict import Verdict

SURVIVES = [
    "mcp.security.survives-malformed-input",
    "mcp.security.survives-malformed-calls",
    "mcp.security.survives-invalid-arguments",
]


def unreadable(transcript: Transcript, probe: str) -> Transcript:
    why = "JSON_NOT_FINITE: NaN is no JSON number"
    return ex.changed(transcript, probe, message=None, parse_error=why)


@pytest.mark.parametrize("check_id", SURVIVES)
def test_only_what_was_answered_well_before_is_broken_by_it(check_id: str) -> None:
    check = next(check for check in live_checks("security") if check.id == check_id)
    broken = ex.healthy()
    for after in ex.healthy().starting(probes.ALIVE):
        broken = unreadable(broken, after.probe)
    assert check.judge(broken).verdict is Verdict.FAIL
    never = check.judge(unreadable(broken, probes.DISCOVER))
    assert never.verdict is Verdict.INCONCLUSIVE
    assert "either" in never.why


def test_an_answer_nobody_can_read_is_not_called_a_refusal() -> None:
    check = next(c for c in live_checks("conformance") if c.id == "mcp.discovery.implemented")
    said = check.judge(unreadable(ex.healthy(), probes.DISCOVER)).findings[0].message
    assert said == "the answer to server/discover cannot be read"
