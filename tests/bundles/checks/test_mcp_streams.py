"""What the checks of streams, subscriptions and processes leave open, and why."""

import pytest

from bundles.check import Outcome, registry
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.example_streams import progress
from bundles.mcp.schema import LEGACY
from bundles.transcript import Failure, Transcript
from bundles.verdict import Verdict

HEALTHY = ex.healthy()
STDIO = ex.healthy(transport="stdio")


def judged(check_id: str, transcript: Transcript) -> Outcome:
    return registry()[check_id].judge(transcript)


@pytest.mark.parametrize("proxy", [{"server": "nginx/1.27"}, {"via": "1.1 edge"}])
def test_behind_a_proxy_that_takes_the_header_away_buffering_is_unknown(
    proxy: dict[str, str],
) -> None:
    headers = {"content-type": "text/event-stream", **proxy}
    outcome = judged("mcp.streams.buffering-off", ex.changed(HEALTHY, ex.STREAMED, headers=headers))
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert next(iter(proxy.values())) in outcome.why


def test_progress_of_a_call_nobody_heard_the_end_of_is_not_late() -> None:
    given_up = ex.failing(STDIO, ex.STREAMED, Failure.TIMEOUT)
    later = f"{probes.SAFE_CALL}save_alert:0"
    outcome = judged(
        "mcp.streams.progress-true", ex.changed(given_up, later, events=(progress(3),))
    )
    assert outcome.verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("check_id", "transcript"),
    [
        (
            "mcp.subscriptions.declared-served",
            ex.refusing(ex.changed(HEALTHY, probes.SUBSCRIBE, events=()), probes.SUBSCRIBE, -32603),
        ),
        (
            "mcp.subscriptions.acknowledged-first",
            ex.failing(
                ex.changed(HEALTHY, probes.SUBSCRIBE, events=()), probes.SUBSCRIBE, Failure.TIMEOUT
            ),
        ),
        ("mcp.subscriptions.declared-served", ex.without(HEALTHY, probes.SUBSCRIBE)),
        (
            "mcp.stdio.ends-with-stdin",
            ex.knowing(
                STDIO, **{probes.CONTEXT_ENDINGS: [{"probe": "x", "how": "busy", "left": None}]}
            ),
        ),
        ("mcp.stdio.ends-with-stdin", ex.knowing(STDIO, **{probes.CONTEXT_ENDINGS: None})),
        (
            "mcp.stdio.leaves-no-process",
            ex.knowing(
                STDIO, **{probes.CONTEXT_ENDINGS: [{"probe": "x", "how": "told", "left": None}]}
            ),
        ),
        (
            "mcp.stdio.survives-odd-requests",
            ex.failing(STDIO, probes.UNKNOWN_METHOD, Failure.TIMEOUT),
        ),
        (
            "mcp.stdio.cancelled-call-silent",
            ex.failing(STDIO, f"{probes.CANCELLED}get_forecast:0", Failure.TIMEOUT),
        ),
        ("mcp.limits.answers-bounded", ex.failing(HEALTHY, ex.STREAMED, Failure.TIMEOUT)),
        ("mcp.limits.answers-bounded", ex.failing(HEALTHY, ex.STREAMED, Failure.TOO_LARGE)),
    ],
)
def test_what_could_not_be_seen_is_no_pass(check_id: str, transcript: Transcript) -> None:
    outcome = judged(check_id, transcript)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert outcome.why


@pytest.mark.parametrize(
    "check_id", [c for c in registry() if c.startswith(("mcp.streams.", "mcp.subscriptions."))]
)
def test_what_does_not_apply_says_why(check_id: str) -> None:
    still = ex.changed(HEALTHY, ex.STREAMED, headers={}, body="", events=())
    silent = ex.without(ex.declaring(still, tools={}), probes.SUBSCRIBE)
    for transcript in (silent, ex.healthy(revision=LEGACY, transport="stdio")):
        outcome = judged(check_id, transcript)
        assert outcome.verdict in {Verdict.PASS, Verdict.NOT_APPLICABLE}
        assert outcome.why or outcome.verdict is Verdict.PASS
