"""The name somebody probably meant, where what they wrote is close to one the format has."""

from collections.abc import Sequence
from functools import lru_cache

_LONGEST = 40  # of a written name that is worth comparing
_LEAST_PREFIX = 3  # letters: "int" is meant for "integer", "t" for nothing
_LETTERS_PER_EDIT = 5


def did_you_mean(written: object, known: Sequence[str]) -> str:
    """`; did you mean 'minLength'?`, or nothing where no known name is close.

    Close is: the same but for case, `_`, `-` and spaces; the beginning of this one alone; or one
    edit away, of longer names one for every five letters. maxItems is not close to minItems.
    """
    if not isinstance(written, str) or not 0 < len(written) <= _LONGEST:
        return ""
    near = _nearest(written, tuple(known))
    return f"; did you mean {near!r}?" if near else ""


@lru_cache(maxsize=1024)  # a generated suite repeats one slip in every case
def _nearest(written: str, known: tuple[str, ...]) -> str:
    name = _folded(written)
    begun = [candidate for candidate in known if _folded(candidate).startswith(name)]
    if len(name) >= _LEAST_PREFIX and len(begun) == 1:
        return begun[0]
    best, distance = "", max(1, len(name) // _LETTERS_PER_EDIT) + 1
    for candidate in known:
        folded = _folded(candidate)
        edits = _edits(name, folded)
        if edits < distance and edits < len(folded):
            best, distance = candidate, edits
    return best


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")


def _edits(one: str, other: str) -> int:
    """Characters to insert, drop, replace or swap with their neighbour to make one the other."""
    before: list[int] = []
    above: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one):
        before, above, row = above, row, [at + 1]
        for place, opposite in enumerate(other):
            fewest = min(above[place] + (letter != opposite), above[place + 1] + 1, row[place] + 1)
            swapped = at and place and letter == other[place - 1] and one[at - 1] == opposite
            row.append(min(fewest, before[place - 1] + 1) if swapped else fewest)
    return row[-1]
