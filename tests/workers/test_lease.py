"""Holding a run: beats, what ends the hold, and progress that is written before it ends."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest

from bundles.errors import Conflict, Unreachable
from service.admission.model import Claim, Run
from service.admission.registry import Registry
from workers.halt import Halt, Why
from workers.lease import Lease


class Book:
    """Stands for the registry: notes what the lease asks and answers as told."""

    def __init__(self, beat: Callable[[int], bool] = lambda _: True) -> None:
        self.events: list[tuple[str, Mapping[str, Any]]] = []
        self.beats = 0
        self.third = threading.Event()
        self._beat = beat

    def heartbeat(self, run_id: str, fence: int) -> bool:
        self.beats += 1
        if self.beats == 3:
            self.third.set()
        return self._beat(self.beats)

    def progress(self, run_id: str, fence: int, kind: str, body: Mapping[str, Any]) -> None:
        self.events.append((kind, body))


def _lease(book: Book, halt: Halt, *, heartbeat_s: float = 0.01, lease_s: float = 30) -> Lease:
    run = cast("Run", type("R", (), {"id": "run_1"})())
    claim = Claim(run=run, fence=7, candidate=cast("Any", None), files={})
    return Lease(cast("Registry", book), claim, halt, heartbeat_s=heartbeat_s, lease_s=lease_s)


def _wait(halt: Halt) -> Why | None:
    set_ = threading.Event()
    halt.on_set(set_.set)
    assert set_.wait(120)
    return halt.why


def test_it_beats_for_as_long_as_the_work_takes() -> None:
    book, halt = Book(), Halt()
    with _lease(book, halt):
        assert book.third.wait(120)
    assert halt.why is None


def test_everything_reported_is_written_in_order_before_the_hold_ends() -> None:
    book = Book()
    with _lease(book, Halt(), heartbeat_s=30) as lease:
        for n in range(20):
            lease.report("stage-started", {"n": n})
    assert [body["n"] for _, body in book.events] == list(range(20))


def test_of_a_storm_of_stimuli_the_last_is_written() -> None:
    book = Book()
    with _lease(book, Halt(), heartbeat_s=30) as lease:
        for n in range(1000):
            lease.report("stimulus", {"n": n})
    assert book.events[-1] == ("stimulus", {"n": 999})
    assert len(book.events) < 100


def test_a_cancelled_run_stops_the_work() -> None:
    halt = Halt()
    with _lease(Book(lambda _: False), halt):
        assert _wait(halt) is Why.CANCELLED


def test_a_lost_lease_stops_the_work() -> None:
    def lost(_: int) -> bool:
        raise Conflict("LEASE_LOST", "another worker holds it", next_steps=["stop"])

    halt = Halt()
    with _lease(Book(lost), halt):
        assert _wait(halt) is Why.LEASE_LOST


def test_a_database_that_is_away_for_a_beat_stops_nothing() -> None:
    def shaky(beat: int) -> bool:
        if beat < 3:
            raise Unreachable("STORE_UNREACHABLE", "away", next_steps=["wait"])
        return True

    book, halt = Book(shaky), Halt()
    with _lease(book, halt):
        assert book.third.wait(120)
    assert halt.why is None


def test_a_database_that_stays_away_for_a_whole_lease_stops_the_work() -> None:
    def away(_: int) -> bool:
        raise Unreachable("STORE_UNREACHABLE", "away", next_steps=["wait"])

    halt = Halt()
    with _lease(Book(away), halt, lease_s=0.05):
        assert _wait(halt) is Why.LEASE_LOST


@pytest.mark.parametrize("early", [True, False])
def test_a_halt_is_told_whether_it_comes_before_or_after_the_listener(early: bool) -> None:
    halt, told = Halt(), []
    if early:
        halt.set(Why.CANCELLED)
    halt.on_set(lambda: told.append(halt.why))
    if not early:
        halt.set(Why.CANCELLED)
    assert told == [Why.CANCELLED]


def test_the_first_reason_to_halt_stays() -> None:
    halt = Halt()
    halt.set(Why.WORKER_STOPPING)
    halt.set(Why.LEASE_LOST)
    assert halt.why is Why.WORKER_STOPPING
