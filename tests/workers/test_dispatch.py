"""The dispatcher: sends again, takes back, survives bad rounds, and is quiet while forking."""

import os
import threading
from collections.abc import Callable
from typing import cast

from bundles.errors import Unreachable
from service.admission.ports import RunQueue
from service.admission.registry import Registry
from workers.dispatch import Dispatcher, dispatch_once


class Book:
    """Stands for registry and queue: hands out what waits, notes what was sent."""

    def __init__(self, waiting: list[str], on_round: Callable[[int], None] = lambda _: None):
        self.waiting = waiting
        self.sent: list[str] = []
        self.rounds = 0
        self.third = threading.Event()
        self._on_round = on_round

    def expire_leases(self) -> int:
        self.rounds += 1
        if self.rounds == 3:
            self.third.set()
        self._on_round(self.rounds)
        return 1

    def dispatchable(self, limit: int = 100) -> list[str]:
        waiting, self.waiting = self.waiting, []
        return waiting

    def send(self, run_id: str) -> None:
        self.sent.append(run_id)

    def ping(self) -> bool:
        return True


def _dispatcher(book: Book, every_s: float = 0.01) -> Dispatcher:
    return Dispatcher(lambda: (cast("Registry", book), cast("RunQueue", book)), every_s)


def test_a_round_takes_back_before_it_sends() -> None:
    book = Book(["run_1", "run_2"])
    assert dispatch_once(cast("Registry", book), cast("RunQueue", book)) == (1, 2)
    assert book.sent == ["run_1", "run_2"]


def test_a_bad_round_does_not_end_the_loop() -> None:
    def away(number: int) -> None:
        if number == 1:
            raise Unreachable("STORE_UNREACHABLE", "away", next_steps=["wait"])

    book = Book(["run_1"], away)
    dispatcher = _dispatcher(book)
    dispatcher.start()
    assert book.third.wait(120)
    dispatcher.stop()
    assert book.sent == ["run_1"]


def test_stopping_does_not_wait_for_the_next_round() -> None:
    dispatcher = _dispatcher(Book([]), every_s=3600)
    dispatcher.start()
    dispatcher.stop()


def test_one_that_never_started_stops_too() -> None:
    _dispatcher(Book([])).stop()


def test_no_fork_happens_in_the_middle_of_a_round() -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slow(number: int) -> None:
        if number == 1:
            inside.set()
            assert go_on.wait(120)

    book = Book([], slow)
    dispatcher = _dispatcher(book)
    dispatcher.start()
    assert inside.wait(120)
    forked_at: list[int] = []

    def fork() -> None:
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        forked_at.append(book.rounds)
        os.waitpid(pid, 0)

    forker = threading.Thread(target=fork)
    forker.start()
    forker.join(0.1)
    assert forker.is_alive()
    go_on.set()
    forker.join(30)
    assert forked_at
    dispatcher.stop()
