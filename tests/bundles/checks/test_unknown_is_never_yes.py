"""What was not seen is not passed, and not explained away as nothing to see either."""

from dataclasses import replace
from typing import Any

import pytest

from bundles.check import registry
from bundles.mcp import example_instances, example_protected, probes
from bundles.mcp import example_rounds as er
from bundles.mcp import examples as ex
from bundles.mcp.authorization import OTHER_PRINCIPAL
from bundles.mcp.rounds import probe_of
from bundles.transcript import Failure, Transcript
from bundles.verdict import Verdict

HEALTHY = ex.healthy()
PROTECTED = example_protected.protected()
ASKING = er.asking()


def answers_nothing(transcript: Transcript, probe: str, **fields: Any) -> Transcript:
    return ex.changed(transcript, probe, message=None, body="", **fields)


def every_wrong_call(transcript: Transcript, **fields: Any) -> Transcript:
    for probe in {e.probe for e in transcript.starting(probes.INVALID_ARGUMENTS)}:
        transcript = ex.changed(transcript, probe, **fields)
    return transcript


def served_every_wrong_call() -> Transcript:
    transcript = HEALTHY
    done = {"content": ex.text("done"), "isError": False}
    for probe in {e.probe for e in transcript.starting(probes.INVALID_ARGUMENTS)}:
        transcript = ex.edited(transcript, probe, lambda r: r.update(done))
    return transcript


def serving_nobody() -> Transcript:
    refused = ex.refusing(HEALTHY, probes.DISCOVER, -32600, status=400)
    return ex.refusing(refused, probes.FOREIGN_HOST, -32600, status=400)


def without_the_end_of_the_other_list() -> Transcript:
    return ex.edited(PROTECTED, f"{probes.OTHER}list", lambda r: r.update(nextCursor="2"))


def the_same_to_both_without_end() -> Transcript:
    """The second principal was shown the first page, which is no longer than that."""
    tools = HEALTHY.of(probes.TOOLS_LIST)[0].result["tools"]
    public = {"tools": tools, "nextCursor": "2", "cacheScope": "public"}
    return ex.edited(PROTECTED, f"{probes.OTHER}list", lambda r: r.update(public))


def with_a_second_page_lost() -> Transcript:
    transcript = example_instances.two_instances()
    second = transcript.of(probes.TOOLS_LIST)[1]
    lost = replace(second, message=None, failure=Failure.TIMEOUT)
    exchanges = tuple(lost if e is second else e for e in transcript.exchanges)
    return replace(transcript, exchanges=exchanges)


def asking_again_and_again() -> Transcript:
    """The retry on a connection of its own is taken for the first call."""
    question = ASKING.of(probe_of("rounds", er.BOOK))[0].result
    return er.answered(ASKING, "rounds", {"result": dict(question)}, status=200)


def naming_another(**context: Any) -> Transcript:
    transcript = ASKING
    for tool in (er.BOOK, er.CANCEL):
        transcript = ex.without(transcript, probe_of("other-principal", tool))
    known = PROTECTED.context[probes.CONTEXT_AUTHORIZATION]
    return ex.knowing(transcript, **{probes.CONTEXT_AUTHORIZATION: {**known, **context}})


def with_streams_cut_off() -> Transcript:
    return answers_nothing(HEALTHY, ex.STREAMED, failure=Failure.TIMEOUT)


@pytest.mark.parametrize(
    ("check_id", "transcript"),
    [
        (
            "mcp.subscriptions.declared-served",
            ex.changed(HEALTHY, probes.SUBSCRIBE, events=()),
        ),
        (
            "mcp.calls.invalid-arguments-refused",
            every_wrong_call(HEALTHY, message=None, status=500),
        ),
        (
            "mcp.calls.refused-call-does-nothing",
            every_wrong_call(HEALTHY, message=None, status=500),
        ),
        ("mcp.security.foreign-host-refused", serving_nobody()),
        ("mcp.cache.differing-list-private", the_same_to_both_without_end()),
        ("mcp.cache.differing-list-private", without_the_end_of_the_other_list()),
        ("mcp.instances.cursor-portable", with_a_second_page_lost()),
        ("mcp.mrtr.retry-on-any-connection", asking_again_and_again()),
        ("mcp.mrtr.state-bound-to-principal", naming_another()),
        (
            "mcp.mrtr.state-bound-to-principal",
            naming_another(declared=[OTHER_PRINCIPAL], missing={OTHER_PRINCIPAL: "no variable"}),
        ),
        (
            "mcp.prompts.missing-argument-refused",
            ex.without(ex.offering(HEALTHY), probes.PROMPT_WITHOUT_ARGUMENTS),
        ),
        (
            "mcp.prompts.missing-argument-refused",
            ex.failing(
                ex.without(ex.offering(HEALTHY), probes.PROMPT_WITHOUT_ARGUMENTS),
                f"{probes.LISTED}prompts",
                Failure.TIMEOUT,
            ),
        ),
        ("mcp.streams.ends-after-response", with_streams_cut_off()),
        ("mcp.streams.nothing-after-response", with_streams_cut_off()),
        ("mcp.streams.buffering-off", with_streams_cut_off()),
    ],
)
def test_what_was_not_seen_is_inconclusive(check_id: str, transcript: Transcript) -> None:
    outcome = registry()[check_id].judge(transcript)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert outcome.why


def test_where_nothing_was_refused_there_is_nothing_to_say_of_refusals() -> None:
    calls = registry()["mcp.calls.refused-call-does-nothing"].judge(served_every_wrong_call())
    assert calls.verdict is Verdict.NOT_APPLICABLE
    taken = ASKING
    for how in (*(f"tampered-{one}" for one in er.TAMPERED), *er.SPOILT[2:]):
        for tool in (er.BOOK, er.CANCEL):
            taken = ex.without(taken, probe_of(how, tool))
    states = registry()["mcp.mrtr.bad-state-is-invalid-params"].judge(taken)
    assert states.verdict is Verdict.NOT_APPLICABLE


@pytest.mark.parametrize("code", [-32602, -32002])
def test_a_subscription_to_a_resource_that_is_not_there_may_be_refused(code: int) -> None:
    server = ex.declaring(HEALTHY, tools={}, resources={"subscribe": True})
    params = {"notifications": {"resourceSubscriptions": ["bundlegate://no/such/resource"]}}
    request = {**server.of(probes.SUBSCRIBE)[0].request, "params": params}
    asked = ex.changed(server, probes.SUBSCRIBE, request=request, events=())
    check = registry()["mcp.subscriptions.declared-served"]
    refused = check.judge(ex.refusing(asked, probes.SUBSCRIBE, code, status=400))
    assert refused.verdict is Verdict.INCONCLUSIVE


def test_arguments_refused_before_anything_reads_them_are_refused() -> None:
    before = every_wrong_call(HEALTHY, message=None, status=413)
    outcome = registry()["mcp.calls.invalid-arguments-refused"].judge(before)
    assert outcome.verdict is Verdict.PASS
