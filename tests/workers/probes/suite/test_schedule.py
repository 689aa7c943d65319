"""The order in which cases are handed out."""

from hypothesis import given
from hypothesis import strategies as st

from bundles.suite.model import load_suite
from workers.probes.suite.schedule import Schedule


def schedule(independent: list[bool], workers: int, version: int = 2) -> Schedule:
    head = {"schemaVersion": version, "id": "s", "name": "S"}
    cases = [
        {
            "id": str(n),
            "name": "n",
            "operation": {"type": "listTools"},
            "assertions": [{"type": "toolExists", "tool": "x"}],
            **({"independent": free} if version == 2 else {}),
        }
        for n, free in enumerate(independent)
    ]
    marked = {"format": "bundlegate"} if version == 2 else {}
    return Schedule(load_suite(head | marked | {"cases": cases}), workers)


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.data(), st.integers(2, 5))
def test_each_case_is_handed_out_once_and_dependent_ones_in_order_and_alone(
    independent: list[bool], data: st.DataObject, workers: int
) -> None:
    made = schedule(independent, workers)
    running: list[int] = []
    taken: list[int] = []
    while True:
        index = made.take() if len(running) < workers else None
        if index is not None:
            running.append(index)
            taken.append(index)
        elif running:
            made.ended(running.pop(data.draw(st.integers(0, len(running) - 1))))
        else:
            break
        assert sum(not independent[each] for each in running) <= 1
    assert sorted(taken) == list(range(len(independent)))
    bound = [index for index in taken if not independent[index]]
    assert bound == sorted(bound)


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_one_worker_runs_a_suite_in_the_order_written(independent: list[bool]) -> None:
    made = schedule(independent, 1)
    taken = []
    while (index := made.take()) is not None:
        taken.append(index)
        made.ended(index)
    assert taken == list(range(len(independent)))


def test_of_version_1_every_case_is_free_once_the_caller_wants_several_at_once() -> None:
    several = schedule([False] * 3, 2, version=1)
    assert [several.take() for _ in range(4)] == [0, 1, 2, None]
    one = schedule([False] * 3, 1, version=1)
    assert [one.take() for _ in range(2)] == [0, None]
