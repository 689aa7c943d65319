"""What an observation may cost."""

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


def test_many_small_values_cost_what_they_take_in_memory() -> None:
    budget = Budget(Caps(total_bytes=1 << 20), Clock())
    message = b"[" + b"[]," * 40_000 + b"0]"
    budget.spend(len(message))
    assert not budget.exhausted_bytes
    budget.spend_parsed(message)
    assert budget.exhausted_bytes


def test_many_empty_lines_cost_what_it_takes_to_read_them() -> None:
    budget = Budget(Caps(total_bytes=1 << 20), Clock())
    for _ in range(5_000):
        budget.spend_parsed(b"x")
    assert budget.exhausted_bytes
