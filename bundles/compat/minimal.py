"""The smallest value that still shows a difference."""

from collections.abc import Callable, Iterator
from typing import Any

_MOST_TRIES = 3_000


def minimal(value: Any, shows: Callable[[Any], bool]) -> Any:
    """Make a value smaller for as long as it shows what it shows; the same input, the same answer.

    Args:
        value: shows it.
        shows: whether a value does.
    """
    tries = 0
    smaller = True
    while smaller:
        smaller = False
        for simpler in _simpler(value):
            tries += 1
            if tries > _MOST_TRIES:
                return value
            if shows(simpler):
                value, smaller = simpler, True
                break
    return value


def _simpler(value: Any) -> Iterator[Any]:
    """Values that are simpler, the simplest first."""
    if isinstance(value, dict):
        yield from _fewer_members(value)
    elif isinstance(value, list):
        yield from _fewer_items(value)
    elif isinstance(value, str):
        yield from _shorter(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _nearer_to_zero(value)


def _fewer_members(value: dict[str, Any]) -> Iterator[Any]:
    if value:
        yield {}
    yield from value.values()  # what shows it may be further in
    for name in sorted(value):
        yield {key: child for key, child in value.items() if key != name}
    for name, child in sorted(value.items()):
        for simpler in _simpler(child):
            yield {**value, name: simpler}


def _fewer_items(value: list[Any]) -> Iterator[Any]:
    if value:
        yield []
    yield from value
    if len(value) > 2:
        yield value[: len(value) // 2]
    for at in reversed(range(len(value))):
        yield value[:at] + value[at + 1 :]
    for at, child in enumerate(value):
        for simpler in _simpler(child):
            yield [*value[:at], simpler, *value[at + 1 :]]


def _shorter(text: str) -> Iterator[str]:
    if text:
        yield ""
    if len(text) > 1:
        yield text[0]
        yield text[: len(text) // 2]
        yield text[:-1]
        yield text[1:]
    plain = "a" * len(text)
    if text > plain:
        yield plain


def _nearer_to_zero(number: float) -> Iterator[int | float]:
    if number == 0:
        return
    yield 0
    if abs(number) < 1e15 and int(number) != number:
        yield int(number)
    elif 1 < abs(number) < 1e300:
        yield int(number / 2)
        yield int(number) - (1 if number > 0 else -1)
    if number < 0:
        yield -number
