"""Comparisons outlive the process that makes them."""

import os
import signal
from typing import Any

from bundles.compat.verdict import Direction, Word
from service.containment import Comparisons, Pair, client

EASY = Pair({"type": "string"}, {"type": "string", "maxLength": 2}, Direction.BACKWARD)


def hard() -> Pair:
    """Alternatives of alternatives: seconds for the engine, and no value of ours shows them."""
    schema = {
        "type": "object",
        "allOf": [
            {
                "anyOf": [
                    {"properties": {f"a{at}": {"type": "integer"}}},
                    {"properties": {f"b{at}": {"type": "string"}}},
                ]
            }
            for at in range(12)
        ],
    }
    return Pair({**schema, "minProperties": 1}, schema, Direction.BACKWARD)


def test_one_process_answers_many_pairs_in_order() -> None:
    wide = Pair({"type": "integer"}, {"type": "number"}, Direction.BACKWARD)
    with Comparisons() as comparisons:
        answers = list(comparisons.answers([EASY, wide, EASY]))
    assert [a.word for a in answers] == [Word.BREAKING, Word.COMPATIBLE, Word.BREAKING]
    assert answers[0].witness == "aaa"


def test_a_pair_that_takes_too_long_is_over_budget_and_the_next_one_is_answered() -> None:
    with Comparisons(cpu_s=0.3) as comparisons:
        answer = comparisons.answer(hard())
        assert (answer.word, answer.reason_code) == (Word.CONDITIONAL, "BUDGET_EXCEEDED")
        assert comparisons.answer(EASY).word is Word.BREAKING


def test_a_killed_process_costs_one_answer() -> None:
    with Comparisons() as comparisons:
        comparisons.answer(EASY)
        process = comparisons._process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert comparisons.answer(EASY).reason_code == "BUDGET_EXCEEDED"
        assert comparisons.answer(EASY).word is Word.BREAKING


def test_after_a_few_overruns_the_rest_is_not_compared() -> None:
    with Comparisons() as comparisons:
        comparisons._overrun = client.MOST_OVERRUN
        assert comparisons.answer(EASY).reason_code == "BUDGET_EXCEEDED"
        assert comparisons._process is None


def test_a_schema_deeper_than_json_can_be_written_is_over_budget() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"items": deep}
    with Comparisons() as comparisons:
        answer = comparisons.answer(Pair(deep, {}, Direction.BACKWARD))
    assert answer.reason_code == "BUDGET_EXCEEDED"
