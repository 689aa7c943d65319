"""What an observation may cost."""

import json
import tracemalloc

import pytest

from workers.budget import BREAK_AFTER, Budget, Caps


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_call_gets_its_time_but_never_more_than_is_left() -> None:
    clock = Clock()
    budget = Budget(Caps(run_s=20, call_s=8), clock)
    assert budget.begin(None) == 8
    assert budget.begin(3) == 3
    clock.now += 15
    assert budget.begin(None) == 5
    clock.now += 6
    assert budget.remaining_s() == 0
    assert "used up" in budget.refusal("tools/list")


def test_the_circuit_breaks_per_method_and_not_for_calls_with_their_own_timeout() -> None:
    budget = Budget(Caps(), Clock())
    for _ in range(BREAK_AFTER):
        assert budget.refusal("tools/call") == ""
        budget.timed_out("tools/call")
    assert "not called again" in budget.refusal("tools/call")
    assert budget.refusal("tools/call", own_timeout=True) == ""
    assert budget.refusal("tools/list") == ""


def test_calls_and_bytes_run_out() -> None:
    budget = Budget(Caps(calls=2, total_bytes=10), Clock())
    budget.begin(None)
    budget.spend(9)
    assert budget.refusal("x") == ""
    budget.begin(None)
    assert "2 calls" in budget.refusal("x")
    budget = Budget(Caps(total_bytes=10), Clock())
    budget.spend(10)
    assert "10 bytes" in budget.refusal("x", own_timeout=True)


MANY = 40_000


@pytest.mark.parametrize(
    "message",
    [
        b"[" + b"[]," * MANY + b"0]",
        b"[" + b'{"a":1},' * MANY + b"0]",
        b"[" + b'"ab",' * MANY + b"0]",
        b'["' + b"a" * 1_000_000 + "\N{PILE OF POO}".encode() + b'"]',
        b'["' + b"a" * 1_000_000 + b'\\ud83d\\udca9"]',
    ],
    ids=["lists", "objects", "texts", "wide", "wide-escaped"],
)
def test_a_message_is_not_read_when_it_may_take_more_memory_than_is_left(message: bytes) -> None:
    tracemalloc.start()
    read = json.loads(message)
    took, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert took > 2 * len(message)
    assert Budget(Caps(total_bytes=took * 9 // 10), Clock()).unaffordable(message)
    roomy = Budget(Caps(total_bytes=took * 4), Clock())
    assert roomy.unaffordable(message) == ""
    for _ in range(5):
        roomy.spend_parsed(read)
    assert roomy.exhausted_bytes


def test_many_empty_lines_cost_what_it_takes_to_read_them() -> None:
    budget = Budget(Caps(total_bytes=1 << 20), Clock())
    for _ in range(5_000):
        budget.spend_parsed(None)
    assert budget.exhausted_bytes
