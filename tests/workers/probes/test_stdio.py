"""Stdio servers that misbehave: each fault becomes a recorded fact in bounded time."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeVar

import pytest

from bundles.transcript import Exchange, Failure
from workers import spawn
from workers.budget import Budget, Caps
from workers.endpoints import StdioEndpoint
from workers.probes.conversation import Patience, Terms
from workers.probes.mcp_stdio import StdioConversation
from workers.probes.redact import Redactor, credentials_of

T = TypeVar("T")
HOSTILE = Path(__file__).parents[2] / "servers" / "hostile_stdio.py"
MIB = 1 << 20


@pytest.fixture(autouse=True)
def short_graces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawn, "_EOF_GRACE_S", 0.5)
    monkeypatch.setattr(spawn, "_TERM_GRACE_S", 0.2)


def endpoint(*behaviour: str, env: Mapping[str, str] | None = None) -> StdioEndpoint:
    return StdioEndpoint((sys.executable, "-I", "-S", str(HOSTILE), *behaviour), env or {})


def talk(
    target: StdioEndpoint,
    scene: Callable[[StdioConversation], Awaitable[T]],
    caps: Caps | None = None,
) -> tuple[T, StdioConversation]:
    async def run() -> tuple[T, StdioConversation]:
        terms = Terms("2026-07-28", Budget(caps), Redactor(credentials_of(target)))
        async with StdioConversation(terms, target) as conversation:
            return await scene(conversation), conversation

    return asyncio.run(run())


async def listed(conversation: StdioConversation) -> Exchange:
    return await conversation.call("tools-list", "tools/list")


async def greeted(conversation: StdioConversation) -> Exchange:
    return await conversation.greet("discover")


def test_a_good_server_is_asked_and_answered() -> None:
    exchange, conversation = talk(endpoint("good"), greeted)
    assert exchange.result["supportedVersions"] == ["2026-07-28"]
    assert exchange.request["id"] == exchange.message["id"] == 1
    assert exchange.failure is None
    assert exchange.status is None
    assert conversation.noise == []


def test_noise_is_kept_with_the_probe_it_came_during_and_without_credentials() -> None:
    target = endpoint("noisy", env={"API_KEY": "k-0123456789"})

    async def twice(conversation: StdioConversation) -> list[Exchange]:
        return [await greeted(conversation), await listed(conversation)]

    exchanges, conversation = talk(target, twice)
    assert [exchange.failure for exchange in exchanges] == [None, None]
    lines = [entry["line"] for entry in conversation.noise]
    assert lines[:2] == ["starting up", '{"level": "info", "error": "none", "msg": "request"}']
    assert "handled with key [redacted:credential]" in lines
    assert {entry["probe"] for entry in conversation.noise} <= {"discover", "tools-list", ""}


def test_a_mute_server_times_out_and_the_circuit_breaks_after_two() -> None:
    async def thrice(conversation: StdioConversation) -> list[Exchange]:
        made = [await listed(conversation) for _ in range(3)]
        other = await conversation.call("x", "tools/call", {"name": "x"}, timeout_s=0.05)
        return [*made, other]

    exchanges, _ = talk(endpoint("mute"), thrice, Caps(call_s=0.1))
    assert [exchange.failure for exchange in exchanges] == [
        Failure.TIMEOUT,
        Failure.TIMEOUT,
        Failure.BUDGET,
        Failure.TIMEOUT,
    ]
    assert "2 times" in exchanges[2].note


def test_a_call_with_its_own_timeout_neither_counts_nor_is_stopped() -> None:
    async def scene(conversation: StdioConversation) -> list[Failure | None]:
        own = [
            await conversation.call("case", "tools/call", {"name": "x"}, timeout_s=0.05)
            for _ in range(3)
        ]
        return [exchange.failure for exchange in own]

    failures, _ = talk(endpoint("mute"), scene)
    assert failures == [Failure.TIMEOUT] * 3


def test_who_leaves_a_request_says_so_and_takes_its_late_answer_for_nobody_elses() -> None:
    async def scene(conversation: StdioConversation) -> list[Exchange]:
        patience = Patience(leaves=True, after_message_s=0.02)
        left = await conversation.call(
            "subscribe", "subscriptions/listen", request_id="listen", patience=patience
        )
        await conversation.cancel("listen")
        return [left, await listed(conversation)]

    (left, after), conversation = talk(endpoint("listens"), scene)
    assert (left.failure, left.message) == (None, None)
    assert [event["method"] for event in left.events] == [
        "notifications/subscriptions/acknowledged"
    ]
    assert after.result == {"cancelled": ["listen"]}
    assert [event["id"] for event in after.events] == ["listen"]
    assert conversation.ending == {"probe": "subscribe", "how": "by-itself", "left": 0}


def test_a_server_that_dies_mid_line_is_closed_then_unreachable() -> None:
    async def scene(conversation: StdioConversation) -> list[Exchange]:
        return [await greeted(conversation), await listed(conversation)]

    (first, second), conversation = talk(endpoint("dies-mid-line"), scene)
    assert first.failure is Failure.CLOSED
    assert first.message is None
    assert first.parse_error
    assert second.failure is Failure.UNREACHABLE
    assert second.note == "it ended with exit code 3"
    assert conversation.dead
    assert "out of cheese" in conversation.stderr_tail


def test_thirty_megabytes_in_a_line_are_cut_and_the_next_call_is_answered() -> None:
    async def scene(conversation: StdioConversation) -> list[Exchange]:
        return [await listed(conversation), await greeted(conversation)]

    (huge, after), _ = talk(endpoint("huge-line", str(30 * MIB)), scene, Caps(kept_bytes=1000))
    assert huge.failure is Failure.TOO_LARGE
    assert len(huge.body) <= 1000
    assert after.failure is None


def test_a_line_that_never_ends_costs_what_the_budget_says() -> None:
    caps = Caps(answer_bytes=MIB, total_bytes=4 * MIB)
    exchange, conversation = talk(endpoint("never-a-newline"), greeted, caps)
    assert exchange.failure is Failure.TOO_LARGE
    assert conversation._candidate is not None
    assert conversation._candidate.exit_code in (128 + 9, 128 + 15)


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [("not-utf8", "TEXT_NOT_UTF8"), ("with-bom", "TEXT_BYTE_ORDER_MARK")],
)
def test_a_broken_answer_ends_its_call_and_is_no_noise(behaviour: str, problem: str) -> None:
    exchange, conversation = talk(endpoint(behaviour), greeted)
    assert exchange.message is None
    assert exchange.failure is None
    assert exchange.parse_error.startswith(problem)
    assert exchange.body
    assert conversation.noise == []


def test_an_answer_with_another_id_is_recorded_as_it_came() -> None:
    exchange, _ = talk(endpoint("stringified-id"), greeted)
    assert exchange.request["id"] == 1
    assert exchange.message is not None
    assert exchange.message["id"] == "1"
    assert exchange.failure is None


def test_an_answer_that_comes_too_late_is_not_taken_for_the_next_one() -> None:
    async def scene(conversation: StdioConversation) -> list[Exchange]:
        await greeted(conversation)
        late = await conversation.call("tools-list", "tools/list", timeout_s=0.1)
        return [late, await conversation.call("discover", "server/discover")]

    (late, after), _ = talk(endpoint("answers-late"), scene)
    assert late.failure is Failure.TIMEOUT
    assert after.message is not None
    assert after.message["id"] == after.request["id"]
    assert [event["id"] for event in after.events] == [late.request["id"]]


def test_a_server_that_works_on_what_nobody_waits_for_is_not_waited_for_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spawn, "_EOF_GRACE_S", 3600)

    async def scene(conversation: StdioConversation) -> Exchange:
        await conversation.greet("discover")
        return await conversation.call("suite:s:c", "tools/call", {"name": "x"}, timeout_s=0.1)

    # that it comes back at all is the point: the hour is not waited for
    exchange, _ = talk(endpoint("hangs-in-a-call"), scene)
    assert exchange.failure is Failure.TIMEOUT


def test_a_late_refusal_of_garbage_is_not_taken_for_the_next_answer() -> None:
    async def scene(conversation: StdioConversation) -> list[Exchange]:
        garbage = await conversation.call("malformed:x", "x", raw=b"{", timeout_s=0.1)
        return [garbage, await greeted(conversation)]

    (garbage, after), _ = talk(endpoint("refuses-garbage-late"), scene)
    assert garbage.failure is Failure.TIMEOUT
    assert garbage.request["raw"] == "ew=="
    assert isinstance(after.result, dict)
    assert after.events[0]["error"]["code"] == -32700


def test_notifications_and_requests_of_the_server_are_events() -> None:
    exchange, conversation = talk(endpoint("talkative"), greeted)
    assert exchange.failure is None
    assert [event["method"] for event in exchange.events] == ["notifications/message", "roots/list"]
    assert conversation.noise == []


def test_overlapping_calls_get_their_own_answers() -> None:
    async def scene(conversation: StdioConversation) -> list[Exchange]:
        calls = (conversation.call(str(n), "tools/call", {"name": "x"}) for n in range(20))
        return await asyncio.gather(*calls)

    exchanges, _ = talk(endpoint("good"), scene)
    assert [e.message["id"] for e in exchanges if e.message] == list(range(1, 21))


def test_a_command_that_does_not_exist_is_unreachable_with_its_reason() -> None:
    exchange, conversation = talk(StdioEndpoint(("no-such-command",)), greeted)
    assert exchange.failure is Failure.UNREACHABLE
    assert exchange.note.startswith("CANDIDATE_NOT_STARTED")
    assert conversation.dead


def test_a_call_is_not_sent_once_the_time_is_up() -> None:
    exchange, _ = talk(endpoint("good"), greeted, Caps(run_s=0))
    assert exchange.failure is Failure.BUDGET
