"""Tools that ask for input, called and answered: what is sent, and what is recorded of it."""

import asyncio
import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.live import judge_transcript
from bundles.mcp import wire
from bundles.plan import Plan
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Verdict
from tests.servers.hostile_http import Request, answer, serve, whole
from workers.budget import Budget
from workers.egress import EgressRules
from workers.endpoints import HttpEndpoint, OtherCredentials
from workers.judging import Judge
from workers.probes.answering import responses_to
from workers.probes.observe import observe
from workers.probes.tampering import ALTERATIONS

LOOPBACK = EgressRules(("127.0.0.1",))
FORM = {
    "method": "elicitation/create",
    "params": {
        "message": "Who?",
        "requestedSchema": {
            "type": "object",
            "properties": {"name": {"type": "string", "enum": ["Ada"]}},
            "required": ["name"],
        },
    },
}
SAMPLE = {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}}
LISTED = {
    "tools": [{"name": "ask", "inputSchema": {"type": "object"}}],
    "resultType": "complete",
    "ttlMs": 0,
    "cacheScope": "private",
}


@given(state=st.text(min_size=1, max_size=80))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_a_changed_state_is_another_one(state: str) -> None:
    for how, alter in ALTERATIONS.items():
        assert alter(state) != state or how == state == "forged"


def test_what_is_added_to_a_state_goes_before_its_padding() -> None:
    assert ALTERATIONS["longer"]("YQ==") == "YQAAAA=="


def test_the_last_character_is_never_the_changed_one() -> None:
    flipped = {ALTERATIONS[f"flipped-{n}"]("b" * 40) for n in (1, 2, 3)}
    assert len(flipped) == 3
    assert all(state.endswith("b") and len(state) == 40 for state in flipped)


def answers(requests: Any, declared: dict[str, Any]) -> dict[str, Any] | None:
    async def run() -> dict[str, Any] | None:
        async with Judge() as judge:
            return await responses_to({"inputRequests": requests}, declared, judge)

    return asyncio.run(run())


def test_what_is_declared_is_answered_and_the_rest_is_the_plainest_of_its_kind() -> None:
    requests = {"who": FORM, "again": FORM, "why": SAMPLE, "where": {"method": "roots/list"}}
    declared = {"again": {"action": "decline"}, "sampling/createMessage": {"model": "m"}}
    assert answers(requests, declared) == {
        "who": {"action": "accept", "content": {"name": "Ada"}},
        "again": {"action": "decline"},
        "why": {"model": "m"},
        "where": {"roots": []},
    }


@pytest.mark.parametrize(
    "request_", [None, {}, {"method": "notes/create"}, {"method": "elicitation/create"}]
)
def test_a_request_nobody_can_answer_leaves_the_whole_unanswered(request_: object) -> None:
    assert answers({"who": FORM, "what": request_}, {}) is None


class Asking:
    """A server whose tool asks first, and takes back only the state it gave out."""

    def __init__(self, state: str) -> None:
        self.state = state
        self.returned: list[str] = []
        self.credentials: list[str | None] = []

    async def __call__(self, request: Request, writer: Any) -> None:
        message = request.message
        params, method = message.get("params", {}), message["method"]
        if method == "tools/call" and params["name"] == "ask":
            self.credentials.append(request.header("authorization"))
            writer.write(self._called(request, params))
        elif method in {"server/discover", "tools/list"}:
            found = {"supportedVersions": [wire.MODERN], "capabilities": {"tools": {}}}
            writer.write(whole(answer(request, LISTED | found)))
        else:
            writer.write(whole(_refusal(request, -32601), status="404 Not Found"))

    def _called(self, request: Request, params: dict[str, Any]) -> bytes:
        if "requestState" not in params:
            asked = {"who": FORM} if params["_meta"][wire.CLIENT_CAPABILITIES_KEY] else {}
            result = {"resultType": "input_required", "inputRequests": asked}
            return whole(answer(request, result | {"requestState": self.state}))
        self.returned.append(params["requestState"])
        if params["requestState"] != self.state:
            return whole(_refusal(request, -32602), status="400 Bad Request")
        return whole(answer(request, {"resultType": "complete", "content": []}))


def _refusal(request: Request, code: int) -> bytes:
    error = {"code": code, "message": "no"}
    return json.dumps({"jsonrpc": "2.0", "id": request.message["id"], "error": error}).encode()


def seen(server: Asking, **declared: Any) -> Transcript:
    plan = Plan(
        stage="conformance",
        profile="default",
        revision=wire.MODERN,
        transport="http",
        check_ids=(),
        mrtr_tools={"ask": {"capabilities": ["elicitation"], **declared}},
    )

    async def run() -> Transcript:
        async with serve(server) as running:
            principal = OtherCredentials(principal={"authorization": "Bearer of-babbage"})
            own = {"authorization": "Bearer of-ada"}
            endpoint = HttpEndpoint(running.url, LOOPBACK, own, others=principal)
            return await observe(plan, endpoint, Budget(), lambda *_: None)

    return asyncio.run(run())


def of(transcript: Transcript, what: str) -> list[Exchange]:
    return list(transcript.of(f"mrtr:{what}:ask"))


def test_a_masked_state_goes_back_as_it_came_or_changed_and_is_never_recorded() -> None:
    part = base64.urlsafe_b64encode(json.dumps({"turn": "one"}).encode()).decode().rstrip("=")
    server = Asking(f"{part}.{part}.c2lnbmF0dXJl")
    transcript = seen(server)
    assert of(transcript, "rounds")[0].result["requestState"] == "[redacted:jwt]"
    assert part not in str(transcript)
    changed = {alter(server.state) for alter in ALTERATIONS.values()}
    assert set(server.returned) == {server.state, *changed}
    verdicts = {o.check.id: o.verdict for o in judge_transcript(transcript)}
    assert verdicts["mcp.mrtr.retry-served"] is Verdict.PASS
    assert verdicts["mcp.mrtr.state-protected"] is Verdict.PASS


def test_somebody_else_retries_with_credentials_of_their_own() -> None:
    server = Asking("plain")
    transcript = seen(server)
    assert len(of(transcript, "other-principal")) == 2
    assert server.credentials.count("Bearer of-babbage") == 1
    shared = {o.check.id: o.verdict for o in judge_transcript(transcript)}
    assert shared["mcp.mrtr.state-bound-to-principal"] is Verdict.WARN


def test_a_state_that_is_declared_harmless_is_not_tampered_with() -> None:
    server = Asking("plain")
    transcript = seen(server, state_is_harmless=True)
    assert set(server.returned) == {"plain"}
    verdicts = {o.check.id: o for o in judge_transcript(transcript)}
    assert verdicts["mcp.mrtr.state-protected"].verdict is Verdict.NOT_APPLICABLE
    assert "declared to be harmless" in verdicts["mcp.mrtr.state-protected"].why


def test_declared_arguments_are_sent_and_what_is_not_declared_is_answered_too() -> None:
    server = Asking("plain")
    transcript = seen(server, answers={"nobody": {}}, arguments={"x": 1})
    assert [e.request["params"]["arguments"] for e in of(transcript, "undeclared")] == [{"x": 1}]
    assert ["inputResponses" in e.request["params"] for e in of(transcript, "rounds")] == [
        False,
        True,
    ]
