"""Every live check on transcripts: it passes the healthy one and catches its own fault alone."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.check import Check, Subject, registry
from bundles.errors import Invalid
from bundles.live import judge_transcript, live_checks, recorded, replay
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.reading import refusal, wants_credentials, why_unreached
from bundles.mcp.schema import LEGACY, MODERN
from bundles.transcript import Failure, Transcript
from bundles.transcript_json import transcript_from_json, transcript_to_json
from bundles.verdict import Severity, Verdict

LIVE = [c for c in registry().values() if c.subject is Subject.TRANSCRIPT]
MCP = [c for c in LIVE if not c.id.startswith("mcp.suite.")]
BOTH_REVISIONS = pytest.mark.parametrize("revision", [MODERN, LEGACY])
BOTH_TRANSPORTS = pytest.mark.parametrize("transport", ["http", "stdio"])
BOTH_STAGES = pytest.mark.parametrize("stage", ["conformance", "security"])


def caught(transcript: Transcript) -> set[str]:
    return {check.id for check in MCP if check.judge(transcript).findings}


@pytest.mark.parametrize("check", MCP, ids=lambda c: c.id)
def test_each_faulty_example_is_caught_by_its_check_and_no_other(check: Check) -> None:
    for example in check.rejects:
        assert caught(example) == {check.id}
        expected = Verdict.FAIL if check.severity is Severity.MUST else Verdict.WARN
        assert check.judge(example).verdict is expected


@pytest.mark.parametrize("check", MCP, ids=lambda c: c.id)
def test_each_good_example_is_objected_to_by_no_one_it_is_for(check: Check) -> None:
    for example in check.accepts:
        outcome = check.judge(example)
        assert not outcome.findings
        assert outcome.verdict is not Verdict.INCONCLUSIVE


@BOTH_REVISIONS
@BOTH_TRANSPORTS
@BOTH_STAGES
def test_a_healthy_server_passes_every_check_that_applies(
    stage: str, transport: str, revision: str
) -> None:
    transcript = ex.healthy(stage=stage, transport=transport, revision=revision)
    verdicts = {o.check.id: o.verdict for o in judge_transcript(transcript)}
    assert set(verdicts.values()) <= {Verdict.PASS, Verdict.NOT_APPLICABLE}
    assert list(verdicts.values()).count(Verdict.PASS) >= 10


@BOTH_TRANSPORTS
@BOTH_STAGES
@pytest.mark.parametrize("failure", list(Failure))
def test_a_server_nobody_could_reach_passes_nothing(
    stage: str, transport: str, failure: Failure
) -> None:
    healthy = ex.healthy(stage=stage, transport=transport)
    silent = tuple(
        replace(e, message=None, status=None, failure=failure) for e in healthy.exchanges
    )
    for transcript in (replace(healthy, exchanges=silent), replace(healthy, exchanges=())):
        outcomes = judge_transcript(transcript)
        verdicts = {o.verdict for o in outcomes}
        assert verdicts <= {Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE}
        assert all(o.why for o in outcomes)
        assert Verdict.INCONCLUSIVE in verdicts


@BOTH_STAGES
def test_removing_any_one_probe_never_turns_a_verdict_into_a_pass_it_was_not(stage: str) -> None:
    healthy = ex.healthy(stage=stage)
    for probe in dict.fromkeys(e.probe for e in healthy.exchanges):
        for outcome in judge_transcript(ex.without(healthy, probe)):
            assert outcome.verdict is not Verdict.FAIL
            if outcome.verdict is not Verdict.PASS:
                assert outcome.why


def test_a_protected_server_is_not_blamed_for_asking_for_authorization() -> None:
    healthy = ex.healthy(stage="conformance")
    closed = tuple(replace(e, message=None, status=401) for e in healthy.exchanges)
    outcomes = judge_transcript(replace(healthy, exchanges=closed))
    assert not [o for o in outcomes if o.findings]
    assert Verdict.PASS not in {o.verdict for o in outcomes}


def test_outcomes_come_in_id_order_and_only_those_a_plan_names() -> None:
    transcript = ex.healthy(stage="conformance")
    everything = [o.check.id for o in judge_transcript(transcript)]
    assert everything == sorted(everything) == [c.id for c in live_checks("conformance")]
    two = ["mcp.tools.set-stable", "mcp.discovery.implemented"]
    assert [o.check.id for o in judge_transcript(transcript, two)] == sorted(two)


@pytest.mark.parametrize("name", ["mcp.no.such", "mcp.security.no-hidden-characters"])
def test_a_plan_that_names_a_check_the_stage_does_not_have_is_refused(name: str) -> None:
    with pytest.raises(Invalid) as refused:
        judge_transcript(ex.healthy(stage="conformance"), [name])
    assert refused.value.reason_code == "CHECK_UNKNOWN"
    assert refused.value.seen == [name]


@pytest.mark.parametrize("check", LIVE, ids=lambda c: c.id)
def test_a_stored_transcript_recomputes_the_same_outcomes(check: Check) -> None:
    for example in (*check.accepts, *check.rejects):
        transcript = replace(example, stage=check.stages[0].value)
        stored = json.loads(json.dumps(transcript_to_json(transcript)))
        assert transcript_from_json(stored) == transcript
        assert replay(stored) == recorded(judge_transcript(transcript))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.pop("format"),
        lambda d: d.update(format="bundlegate.transcript/0"),
        lambda d: d.pop("revision"),
        lambda d: d.update(verdict="PASS"),
        lambda d: d.update(exchanges={}),
        lambda d: d["exchanges"].append("x"),
        lambda d: d["exchanges"][0].pop("status"),
        lambda d: d["exchanges"][0].update(failure="unlucky"),
    ],
)
def test_a_stored_transcript_of_another_shape_is_refused(spoil) -> None:
    stored = transcript_to_json(ex.healthy())
    spoil(stored)
    with pytest.raises(Invalid) as refused:
        transcript_from_json(stored)
    assert refused.value.reason_code == "TRANSCRIPT_UNREADABLE"


def test_silence_is_never_proof_that_a_tool_writes_nothing() -> None:
    check = registry()["mcp.annotations.read-only-hint"]
    call = probes.SAFE_CALL + "get_forecast:0"
    healthy = ex.healthy()
    assert check.judge(healthy).verdict is Verdict.PASS
    unwatched = ex.changed(healthy, call, observed={})
    assert check.judge(unwatched).unverified_claim == "read-only-hint"
    uncalled = ex.without(healthy, probes.SAFE_CALL)
    assert check.judge(uncalled).unverified_claim == "read-only-hint"
    blind = ex.changed(healthy, call, observed={"files": {"failed": "the folder is gone"}})
    assert check.judge(blind).verdict is Verdict.INCONCLUSIVE
    failed = ex.edited(healthy, call, lambda r: r.update(isError=True))
    assert check.judge(failed).verdict is Verdict.INCONCLUSIVE
    honest = ex.relisting(healthy, lambda tools: tools[0].update(annotations={}))
    assert check.judge(honest).verdict is Verdict.NOT_APPLICABLE


def test_a_server_that_is_slow_after_malformed_input_is_unknown_not_dead() -> None:
    check = registry()["mcp.security.survives-malformed-input"]
    for transport in ("stdio", "http"):
        healthy = ex.healthy(transport=transport)
        silent = ex.failing(healthy, probes.ALIVE + "truncated", Failure.TIMEOUT)
        assert check.judge(silent).verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("negotiated", ["2024-11-05", "2025-03-26", "2025-06-18"])
def test_a_server_that_negotiates_an_older_revision_is_unknown_not_wrong(negotiated: str) -> None:
    healthy = ex.healthy(revision=LEGACY)
    older = ex.edited(healthy, probes.INITIALIZE, lambda r: r.update(protocolVersion=negotiated))
    outcome = registry()["mcp.discovery.revision-supported"].judge(older)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert negotiated in outcome.why


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["tools", "name", "inputSchema", "outputSchema", "annotations", "type", "content"]
            )
            | st.sampled_from(["nextCursor", "code", "message", "data", "isError", "properties"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    probe=st.sampled_from(sorted({e.probe for e in ex.healthy().exchanges})),
    member=st.sampled_from(["result", "error"]),
    answer=JSON,
)
def test_no_answer_whatever_makes_a_check_raise(probe: str, member: str, answer: object) -> None:
    transcript = ex.answering(ex.healthy(), probe, {member: answer})
    for check in LIVE:
        assert check.judge(transcript).verdict in Verdict


REFUSED = {"code": -32000, "message": "Unauthorized"}


@BOTH_STAGES
@BOTH_REVISIONS
@pytest.mark.parametrize("status", [401, 403, 407, 429, 502, 503, 504])
@pytest.mark.parametrize("message", [None, {"jsonrpc": "2.0", "id": None, "error": REFUSED}])
def test_a_refusal_by_who_stands_before_the_server_is_not_the_servers_word(
    stage: str, revision: str, status: int, message: dict[str, object] | None
) -> None:
    healthy = ex.healthy(stage=stage, revision=revision)
    refused = tuple(replace(e, message=message, status=status) for e in healthy.exchanges)
    outcomes = judge_transcript(replace(healthy, exchanges=refused))
    assert {o.verdict for o in outcomes} <= {Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE}


@BOTH_REVISIONS
@BOTH_TRANSPORTS
@BOTH_STAGES
def test_a_server_without_tools_is_not_blamed_for_having_no_list(
    stage: str, transport: str, revision: str
) -> None:
    healthy = ex.healthy(stage=stage, transport=transport, revision=revision)
    nothing_pinned = {k: v for k, v in healthy.context.items() if k != probes.CONTEXT_SNAPSHOT}
    server = replace(healthy, safe_calls={}, context=nothing_pinned)
    for probe in (probes.SAFE_CALL, probes.SAFE_CALL_AGAIN, probes.INVALID_ARGUMENTS):
        server = ex.without(server, probe)
    verdicts = {o.check.id: o.verdict for o in judge_transcript(ex.toolless(server))}
    assert set(verdicts.values()) <= {Verdict.PASS, Verdict.NOT_APPLICABLE}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"status": 307, "headers": {"location": "/mcp/"}}, "HTTP 307 to /mcp/: redirects"),
        ({"status": 404, "parse_error": "JSON_SYNTAX: <html>"}, "HTTP 404: JSON_SYNTAX"),
        ({"status": 202}, "but HTTP 202"),
        ({"status": 200, "parse_error": "the body is empty"}, "came back: the body is empty"),
    ],
)
def test_what_answers_and_is_no_mcp_server_is_named_by_what_came(
    answer: dict[str, object], words: str
) -> None:
    healthy = ex.healthy()
    elsewhere = tuple(
        replace(e, message=None, **{"status": None, **answer}) for e in healthy.exchanges
    )
    for outcome in judge_transcript(replace(healthy, exchanges=elsewhere)):
        assert outcome.verdict is not Verdict.PASS
        assert outcome.verdict is Verdict.NOT_APPLICABLE or words in outcome.why


def test_a_server_that_asks_for_credentials_is_answered_with_the_step_that_gives_them() -> None:
    healthy = ex.healthy(stage="conformance")
    closed = tuple(replace(e, message=None, status=401) for e in healthy.exchanges)
    silent = replace(healthy, exchanges=closed)
    assert "let nobody in: discover: the server asks for authorization" in why_unreached(silent)
    assert wants_credentials(silent)
    assert not wants_credentials(replace(healthy, exchanges=(*closed, healthy.exchanges[0])))
    gone = tuple(replace(e, message=None, failure=Failure.CLOSED) for e in healthy.exchanges)
    assert "was not reached" in why_unreached(replace(healthy, exchanges=gone))
    assert not wants_credentials(replace(healthy, exchanges=gone))
    assert "give the target the credentials" in why_unreached(silent)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"status": 200, "message": {"id": 1, "result": {}}}, "HTTP 200, no error"),
        ({"status": None, "message": {"id": 1, "error": {"code": -32602}}}, "error -32602"),
        ({"status": 403, "message": None}, "HTTP 403"),
        (
            {"status": 200, "message": {"id": 1, "result": {"isError": True}}},
            "HTTP 200, a result with isError",
        ),
    ],
)
def test_a_refusal_is_named_by_what_refuses(answer: dict[str, Any], words: str) -> None:
    assert refusal(replace(ex.healthy().exchanges[0], **answer)) == words


def test_what_does_not_apply_to_the_older_era_or_to_stdio_says_why() -> None:
    def why(check_id: str, **conditions: str) -> str:
        (outcome,) = judge_transcript(ex.healthy(stage="conformance", **conditions), [check_id])
        return outcome.why

    assert "sessions" in why("mcp.http.no-sessions", revision=LEGACY)
    assert "GET" in why("mcp.http.other-methods-refused", revision=LEGACY)
    assert "headers" in why("mcp.headers.name-agrees", revision=LEGACY)
    for check_id in ("mcp.http.no-sessions", "mcp.headers.name-agrees"):
        assert "stdio" in why(check_id, revision=LEGACY, transport="stdio")


def test_a_safe_tool_nobody_can_make_arguments_for_says_what_to_do() -> None:
    healthy = ex.without(ex.healthy(), probes.SAFE_CALL)
    digits = {"type": "string", "pattern": "^[0-9]{13}$"}
    schema = {"type": "object", "properties": {"city": digits}, "required": ["city"]}
    strict = ex.relisting(
        healthy, lambda tools: [tool.update(inputSchema=schema) for tool in tools]
    )
    for transcript, named in ((healthy, False), (strict, True)):
        unnamed = replace(transcript, safe_calls=dict.fromkeys(transcript.safe_calls, ()))
        outcome = registry()["mcp.calls.safe-call-served"].judge(unnamed)
        assert outcome.verdict is Verdict.INCONCLUSIVE
        assert ("name some beside it in safe_tools" in outcome.why) is named
