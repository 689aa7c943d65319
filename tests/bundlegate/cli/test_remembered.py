"""What a run saw, kept for a second one: the same after as before, and none of it in memory."""

import tracemalloc
from typing import Any

import pytest

from bundlegate.cli.suite.remembered import Remembered
from bundles.suite.determinism import record_of
from bundles.suite.judge import SuiteReport
from bundles.suite.model import load_suite
from bundles.suite.schema import equal
from bundles.transcript import Exchange, Failure
from tests.bundles.suite.report.samples import answered, written

ANSWERS: list[Any] = [
    {"content": [], "b": 1.0, "a": -0.5, "1": None, "": [True, {}]},
    {"text": "half \ud83d, whole 😀, \x00 and \u2028"},
    [],
    {"deep": None},
    0,
]
deepest = ANSWERS[3]
for _ in range(5_000):
    deepest["deep"] = deepest = {"deep": None}

SUITE = load_suite(
    {
        "schemaVersion": 1,
        "id": "s",
        "name": "S",
        "cases": [written(f"c{n}") for n in range(len(ANSWERS) + 2)],
    }
)
REPORT = SuiteReport("s", "S", tuple(answered(each, {}) for each in SUITE.cases))


def exchange(result: Any) -> Exchange:
    return Exchange("p", 0, {}, message={"id": 1, "result": result})


def exchanges() -> list[tuple[Exchange, ...]]:
    lost = Exchange("p", 0, {}, failure=Failure.TIMEOUT)
    return [*((exchange(each),) for each in ANSWERS), (lost,)]


@pytest.mark.parametrize("in_memory", [1, 1 << 20])
def test_what_was_seen_is_what_is_compared(in_memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bundlegate.cli.suite.remembered._IN_MEMORY", in_memory)
    with Remembered() as remembered:
        for made, outcome, seen in reversed(
            list(zip(SUITE.cases, REPORT.cases, exchanges(), strict=False))
        ):
            remembered.keep(made, seen, outcome)
        after = list(remembered.of(SUITE, REPORT))
    before = [
        record_of(made, outcome, seen)
        for made, outcome, seen in zip(SUITE.cases, REPORT.cases, [*exchanges(), ()], strict=True)
    ]
    assert [each.answered for each in after] == [each.answered for each in before]
    assert [each.case_id for each in after] == [each.case_id for each in before]
    for one, other in zip(before, after, strict=True):
        assert not one.answered or equal(one.response, other.response)


def test_large_answers_cost_no_memory() -> None:
    large = "x" * 1_000_000
    made, outcome = SUITE.cases[0], REPORT.cases[0]
    with Remembered() as remembered:
        tracemalloc.start()
        for _ in range(40):
            remembered.keep(made, (exchange({"text": large + "y"}),), outcome)
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert kept < 10_000_000
