"""A smoke test judged: the kind is the first thing a client would trip over."""

from dataclasses import replace
from typing import Any

import pytest

from bundles.errors import Unauthorised, Unreachable
from bundles.live import judge_transcript
from bundles.mcp import examples as ex
from bundles.mcp import probes
from bundles.mcp.smoke import CHECKS, Smoke, judged, turned_away
from bundles.transcript import Failure, Transcript
from bundles.verdict import Verdict

FORECAST = probes.SAFE_CALL + "get_forecast:0"


def smoke_of(transcript: Transcript, *wanted: str) -> Smoke:
    seen = ex.without(transcript, probes.TOOLS_LIST_AGAIN)
    return judged(seen, judge_transcript(seen, CHECKS), wanted)


def healthy(**more: Any) -> Transcript:
    return replace(ex.healthy(stage="conformance"), **more)


def _unportable(tools: list[Any]) -> None:
    tools[0]["inputSchema"]["properties"]["extra"] = True


def _uneven(tools: list[Any]) -> None:
    tools[0]["inputSchema"]["properties"]["extra"] = {"description": "anything"}


def test_a_server_that_works_is_ok_and_every_step_says_so() -> None:
    found = smoke_of(healthy(), "get_forecast")
    assert (found.kind, found.verdict, found.findings) == ("ok", Verdict.PASS, ())
    assert {entry["verdict"] for entry in found.outcomes} == {"PASS", "NOT_APPLICABLE"}
    assert [entry["id"] for entry in found.outcomes][4:] == list(CHECKS)


@pytest.mark.parametrize(
    ("transcript", "kind", "code"),
    [
        (
            ex.edited(healthy(), FORECAST, lambda r: r.update(isError=True)),
            "tool_is_error",
            "SMOKE_CALL_FAILED",
        ),
        (
            ex.refusing(healthy(), FORECAST, -32602, status=400),
            "tool_is_error",
            "SMOKE_CALL_FAILED",
        ),
        (ex.relisting(healthy(), _unportable), "schema_unportable", "SMOKE_SCHEMA_UNPORTABLE"),
        (
            ex.relisting(healthy(), lambda tools: tools.pop(0)),
            "tool_not_found",
            "SMOKE_TOOL_MISSING",
        ),
        (ex.toolless(healthy()), "tool_not_found", "SMOKE_TOOL_MISSING"),
        (
            ex.relisting(healthy(), lambda tools: tools[1].update(inputSchema=None)),
            "error",
            "TOOL_INPUT_SCHEMA_INVALID",
        ),
        (
            ex.edited(healthy(), FORECAST, lambda r: r.update(structuredContent={"c": 1})),
            "error",
            "STRUCTURED_CONTENT_MISMATCH",
        ),
    ],
)
def test_what_is_wrong_fails_with_its_kind_and_reason(
    transcript: Transcript, kind: str, code: str
) -> None:
    found = smoke_of(transcript, "get_forecast")
    assert (found.kind, found.verdict) == (kind, Verdict.FAIL)
    assert code in {finding["reason_code"] for finding in found.findings}


def test_what_some_clients_handle_unevenly_warns_and_passes() -> None:
    found = smoke_of(ex.relisting(healthy(), _uneven))
    assert (found.kind, found.verdict) == ("ok", Verdict.PASS)
    assert [f["severity"] for f in found.findings] == ["SHOULD"]


@pytest.mark.parametrize("probe", [FORECAST, probes.TOOLS_LIST])
def test_what_was_not_answered_is_never_a_pass(probe: str) -> None:
    found = smoke_of(ex.failing(healthy(), probe, Failure.TIMEOUT), "get_forecast")
    assert (found.kind, found.verdict) == ("error", Verdict.INCONCLUSIVE)


def test_a_list_behind_a_credential_asks_for_it() -> None:
    kept = ex.changed(healthy(), probes.TOOLS_LIST, status=401, message=None)
    found = smoke_of(ex.without(kept, probes.SAFE_CALL), "get_forecast")
    assert (found.kind, found.verdict) == ("auth_required", Verdict.INCONCLUSIVE)


def test_a_call_that_asks_for_input_proves_nothing() -> None:
    asks = ex.edited(healthy(), FORECAST, lambda r: r.update(resultType="input_required"))
    assert smoke_of(asks).verdict is Verdict.INCONCLUSIVE


def test_nothing_asked_for_and_nothing_called_does_not_apply() -> None:
    found = smoke_of(ex.without(healthy(safe_calls={}), probes.SAFE_CALL))
    steps = {entry["id"]: entry["verdict"] for entry in found.outcomes}
    assert (steps["smoke.tools-listed"], steps["smoke.calls-work"]) == ("NOT_APPLICABLE",) * 2
    assert found.verdict is Verdict.PASS


def test_nobody_there_and_nobody_let_in_are_told_apart() -> None:
    away = turned_away(Unreachable("MCP_CONNECTION_FAILED", "refused"))
    locked = turned_away(Unauthorised("MCP_AUTHORIZATION_REQUIRED", "HTTP 401"))
    assert [(s.kind, s.verdict) for s in (away, locked)] == [
        ("unreachable", Verdict.INCONCLUSIVE),
        ("auth_required", Verdict.INCONCLUSIVE),
    ]
