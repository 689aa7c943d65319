"""A server whose calls take a while and can be cancelled is not blamed for it."""

from dataclasses import replace
from pathlib import Path

import pytest

from bundles.verdict import Verdict
from tests.servers.answers import LEGACY, MODERN
from tests.servers.twins import blamed, judged, over_stdio


@pytest.mark.parametrize("revision", [MODERN, LEGACY])
def test_a_slow_call_is_cancelled_and_stays_silent(tmp_path: Path, revision: str) -> None:
    endpoint = over_stdio(tmp_path)
    slow = replace(endpoint, argv=(*endpoint.argv, "--slow"))
    outcomes = judged(slow, revision, "conformance", "")
    assert blamed(outcomes) == set()
    verdicts = {outcome.check.id: outcome.verdict for outcome in outcomes}
    assert verdicts["mcp.stdio.cancelled-call-silent"] is Verdict.PASS
    assert verdicts["mcp.stdio.ends-with-stdin"] is Verdict.PASS
