"""Bytes that are no request, over stdio: a later request's answer tells silence from slowness."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

from bundles.mcp import wire
from bundles.plan import Plan
from bundles.transcript import Exchange, Failure
from tests.workers.probes.test_stdio import HOSTILE
from workers.budget import Budget
from workers.endpoints import StdioEndpoint
from workers.judging import Judge
from workers.probes.aside import post, until_deaf, well_formed
from workers.probes.conversation import Patience, Terms
from workers.probes.observation import Line, Observation
from workers.probes.redact import Redactor

PLAN = Plan(
    stage="conformance",
    profile="default",
    revision=wire.MODERN,
    transport="stdio",
    check_ids=(),
    suites=(),
    snapshot=None,
    safe_calls={},
    observers=(),
)
HEADLESS = wire.encode({**well_formed(wire.MODERN, "headless"), "jsonrpc": "1.0"})
BATCH = b"[" + wire.encode(well_formed(wire.MODERN, "batch")) + b"]"


def posted(behaviour: str, body: bytes, answered_to: str | None) -> tuple[list[Exchange], Exchange]:
    """What came back for the bytes, and for one more discover after them."""

    async def run() -> tuple[list[Exchange], Exchange]:
        endpoint = StdioEndpoint((sys.executable, "-I", "-S", str(HOSTILE), behaviour), {})
        terms = Terms(wire.MODERN, Budget(), Redactor(()))
        observation = Observation(PLAN, endpoint, terms, lambda *_: None, Judge())
        async with AsyncExitStack() as stack:
            line = Line(observation, stack)
            made = await post(observation, line, "envelope:x", body, answered_to=answered_to)
            return made, await line.call("after", "server/discover", None)

    return asyncio.run(run())


def test_bytes_that_are_ignored_wait_no_longer_than_a_later_request() -> None:
    (stimulus, alive), after = posted("ignores-what-it-cannot-read", HEADLESS, "headless")
    assert stimulus.failure is Failure.TIMEOUT
    assert stimulus.note == "no answer, though a later request has its own"
    assert alive.probe == "alive:envelope:x"
    assert isinstance(alive.result, dict)
    assert isinstance(after.result, dict)


def test_a_refusal_to_nobody_belongs_to_the_bytes_and_not_to_the_request_after_them() -> None:
    (stimulus, alive), after = posted("refuses-to-nobody-after-the-next", b"[1]", None)
    assert stimulus.error == {"code": -32600, "message": "no request"}
    assert isinstance(alive.result, dict)
    assert isinstance(after.result, dict)


def test_a_batch_of_answers_is_what_came_back_and_no_noise() -> None:
    (stimulus, alive), _ = posted("serves-batches", BATCH, "batch")
    assert stimulus.message is None
    assert stimulus.body.startswith("[")
    assert "array" in stimulus.parse_error
    assert isinstance(alive.result, dict)


def test_an_answer_to_bytes_that_comes_too_late_is_not_taken_for_the_next_one() -> None:
    (stimulus, alive), after = posted("answers-bytes-much-later", HEADLESS, "headless")
    assert stimulus.failure is Failure.TIMEOUT
    assert isinstance(alive.result, dict)
    assert after.message is not None
    assert after.message["id"] == after.request["id"]
    assert [event["id"] for event in after.events] == ["headless"]


def test_after_two_stimuli_without_an_answer_the_rest_is_not_sent() -> None:
    sent = []

    async def stimuli() -> AsyncIterator[list[Exchange]]:
        for number, failure in enumerate((None, Failure.TIMEOUT, None, Failure.TIMEOUT, None)):
            sent.append(number)
            yield [Exchange("x", number, {}, failure=failure)]

    made = asyncio.run(until_deaf(stimuli()))
    assert [exchange.seq for exchange in made] == sent == [0, 1, 2, 3]


def test_patience_ends_when_enough_was_seen_and_not_before_anybody_waits() -> None:
    async def run() -> str:
        patience = Patience()
        patience.end_in(0, "too early to count")
        assert patience.ended == ""
        try:
            async with patience.within(3600):
                patience.end_in(0, "enough was seen")
                await asyncio.Event().wait()
        except TimeoutError:
            return patience.ended
        return "it waited to the end"

    assert asyncio.run(run()) == "enough was seen"
