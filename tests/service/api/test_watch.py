"""One poller for everybody who waits: it looks only while somebody does, and misses nothing."""

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any

from service.api.watch import Watch


class Marks:
    """Versions that the poller asks about; counts how often it looked."""

    def __init__(self) -> None:
        self.now: dict[str, int] = {}
        self.looks = 0
        self.fail = 0

    async def look(self, runs: Mapping[str, int], candidates: Mapping[str, int]) -> frozenset[str]:
        self.looks += 1
        if self.fail:
            self.fail -= 1
            raise RuntimeError("the database is away")
        return frozenset(i for i, known in {**runs, **candidates}.items() if self.now[i] > known)


def play(scene: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scene, 60))


def test_a_waiter_is_woken_by_a_change() -> None:
    async def scene() -> None:
        marks = Marks()
        marks.now["r"] = 0
        watch = Watch(marks.look, 0.001)
        async with watch.running():
            waiting = asyncio.create_task(watch.moved("run", "r", 0, 5))
            await asyncio.sleep(0.01)
            assert not waiting.done()
            marks.now["r"] = 1
            assert await waiting

    play(scene())


def test_a_change_from_before_the_wait_is_seen_at_once() -> None:
    async def scene() -> None:
        marks = Marks()
        marks.now["c"] = 7
        watch = Watch(marks.look, 0.001)
        async with watch.running():
            assert await watch.moved("candidate", "c", 6, 5)

    play(scene())


def test_a_wait_ends_at_its_time() -> None:
    async def scene() -> None:
        marks = Marks()
        marks.now["r"] = 0
        watch = Watch(marks.look, 0.001)
        async with watch.running():
            assert not await watch.moved("run", "r", 0, 0.01)

    play(scene())


def test_nobody_waiting_means_nobody_looking() -> None:
    async def scene() -> None:
        marks = Marks()
        marks.now["r"] = 1
        watch = Watch(marks.look, 0.001)
        async with watch.running():
            await watch.moved("run", "r", 0, 5)
            await asyncio.sleep(0.01)
            before = marks.looks
            await asyncio.sleep(0.03)
            assert marks.looks == before

    play(scene())


def test_many_waiters_share_one_look() -> None:
    async def scene() -> None:
        marks = Marks()
        marks.now.update({f"c{i}": 0 for i in range(500)})
        watch = Watch(marks.look, 0.005)
        async with watch.running():
            waits = [asyncio.create_task(watch.moved("candidate", i, 0, 5)) for i in marks.now]
            await asyncio.sleep(0.02)
            before = marks.looks
            for i in marks.now:
                marks.now[i] = 1
            assert all(await asyncio.gather(*waits))
            assert marks.looks - before <= 2

    play(scene())


def test_a_failed_look_is_followed_by_another() -> None:
    async def scene() -> None:
        marks = Marks()
        marks.now["r"] = 1
        marks.fail = 3
        watch = Watch(marks.look, 0.001)
        async with watch.running():
            assert await watch.moved("run", "r", 0, 5)

    play(scene())


def test_closing_lets_everyone_go_and_nobody_in() -> None:
    async def scene() -> None:
        marks = Marks()
        marks.now["r"] = 0
        watch = Watch(marks.look, 0.001)
        async with watch.running():
            waiting = asyncio.create_task(watch.moved("run", "r", 0, 60))
            await asyncio.sleep(0.01)
            watch.close()
            assert not await waiting
            assert not await watch.moved("run", "r", 0, 60)

    play(scene())
