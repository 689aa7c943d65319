"""One measurement, and how two things are compared fairly."""

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """Medians of both sides in seconds, and what their ratio is meant to stay under.

    `target` is None where there is no floor to compare with; `note` says what was compared.
    """

    name: str
    ours: float
    floor: float
    target: float | None
    note: str

    @property
    def ratio(self) -> float:
        return self.ours / self.floor if self.floor else float("nan")


def seconds(action: Callable[[], object]) -> float:
    """Wall time of one run, without the collector's."""
    gc.collect()
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def interleaved(
    ours: Callable[[], object], floor: Callable[[], object], *, rounds: int
) -> tuple[float, float]:
    """Medians of both sides, measured turn by turn; the side that begins changes every round."""
    taken: dict[bool, list[float]] = {True: [], False: []}
    for action in (ours, floor):
        action()  # once unmeasured: imports, connections, caches
    for turn in range(rounds):
        for is_ours in (turn % 2 == 0, turn % 2 == 1):
            taken[is_ours].append(seconds(ours if is_ours else floor))
    return statistics.median(taken[True]), statistics.median(taken[False])
