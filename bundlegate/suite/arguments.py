"""What test code hands over, where Python would take something else for what was meant.

A string is a collection of its letters: `tags="smoke"` would choose by letters, and a command in
one string would start its first letter.
"""

import shlex
from collections.abc import Collection, Mapping
from typing import Any

from bundles.errors import Invalid
from bundles.reasons import reason
from bundles.suite.issues import Issue, IssueCode
from bundles.suite.model import MAX_CONCURRENCY, refusal_of
from bundles.suite.paths import Path

SUITE_ARGUMENT_MISTAKEN = reason(
    "SUITE_ARGUMENT_MISTAKEN",
    "Test code gives an argument that Python would read as something else.",
    "give the argument as the message says",
)

_PLAIN = (str, bool, int, float, type(None))


def each_of(argument: str, given: Collection[str]) -> tuple[str, ...]:
    """The strings of an argument that takes several.

    Raises:
        Invalid: SUITE_ARGUMENT_MISTAKEN, it is one string.
    """
    if isinstance(given, str | bytes):
        why = f"{argument} takes several strings and got one"
        raise Invalid(SUITE_ARGUMENT_MISTAKEN, why, seen=str(given), expected=f"{argument}=[…]")
    return tuple(given)


def words_of(command: str) -> list[str]:
    """The program and the arguments of a command line; no shell reads it.

    Raises:
        Invalid: SUITE_ARGUMENT_MISTAKEN, a quotation in it does not end.
    """
    try:
        return shlex.split(command)
    except ValueError as error:
        why = f"the suite command is no command line: {error}"
        expected = "words, quoted as a shell wants them"
        raise Invalid(SUITE_ARGUMENT_MISTAKEN, why, seen=command, expected=expected) from error


def calls_at_once(given: int | None) -> int | None:
    """How many calls may be in flight; None for what the suite says.

    Raises:
        Invalid: SUITE_ARGUMENT_MISTAKEN, it is no number that can be kept to.
    """
    whole = isinstance(given, int) and not isinstance(given, bool)
    if given is not None and not (whole and 1 <= given <= MAX_CONCURRENCY):
        expected = f"a whole number from 1 to {MAX_CONCURRENCY}"
        raise Invalid(
            SUITE_ARGUMENT_MISTAKEN,
            f"concurrency is {expected}, got {given!r}",
            seen=repr(given),
            expected=expected,
        )
    return given


def plain(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document as JSON holds it: mappings are objects, lists and tuples arrays.

    Raises:
        Refused: SUITE_VALIDATION_FAILED, of version 2 SUITE_V2_VALIDATION_FAILED: something in it
            is no JSON.
    """
    found: list[Issue] = []
    root: list[Any] = [document]
    held: set[int] = set()  # the containers around a value: one that holds itself has no end
    # where a value belongs, under which index or name, and its place in the document; or, where
    # the place is None, the container that has been gone through
    frames: list[tuple[Any, Any, Path | None]] = [(root, 0, Path(""))]
    while frames:
        owner, key, place = frames.pop()
        if place is None:
            held.discard(key)
            continue
        value = owner[key]
        if id(value) in held:
            found.append(_no_json(place, "a value that holds itself"))
        elif isinstance(value, Mapping):
            owner[key] = inner = dict(value)
            held.add(id(value))
            frames.append((value, id(value), None))
            for name in inner:
                if isinstance(name, str):
                    frames.append((inner, name, place.field(name)))
                else:
                    found.append(_no_json(place, f"a member named by {type(name).__name__}"))
        elif isinstance(value, list | tuple):
            owner[key] = listed = list(value)
            held.add(id(value))
            frames.append((value, id(value), None))
            frames.extend((listed, index, place.item(index)) for index in range(len(listed)))
        elif not isinstance(value, _PLAIN):
            found.append(_no_json(place, type(value).__name__))
    if found:
        raise refusal_of(document, sorted(found, key=lambda issue: issue.path))
    made: dict[str, Any] = root[0]
    return made


def _no_json(place: Path, what: str) -> Issue:
    return Issue(IssueCode.INVALID_JSON_VALUE, str(place), f"expects JSON, got {what}")
