"""The name somebody probably meant, where what they wrote is close to one that is known.

Of the format's own names, which are few, slips of the hand are guessed (`did_you_mean`); of names a
server has made up, only what hardly differs (`suggested`).
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from bundles.suite.javascript import sorted_names

_LONGEST = 40  # of a written name that is worth comparing with the format's
_LEAST_PREFIX = 3  # letters: "int" is meant for "integer", "t" for nothing
_LETTERS_PER_EDIT = 5

_LONGEST_MADE_UP = 200  # nobody types more, and the time is that of the product of both lengths
_MOST_EDITS = 2


def did_you_mean(written: object, known: Sequence[str]) -> str:
    """`; did you mean 'minLength'?`, or nothing where no known name is close.

    Close is: the same but for case, `_`, `-` and spaces; the beginning of this one alone; or one
    edit away, of longer names one for every five letters. maxItems is not close to minItems.
    """
    if not isinstance(written, str) or not 0 < len(written) <= _LONGEST:
        return ""
    near = _nearest(written, tuple(known))
    return f"; did you mean {near!r}?" if near else ""


def suggested(name: str, candidates: Iterable[str]) -> dict[str, str]:
    """{"suggestion": …}: the name most like another, {} where none is like it.

    At most two edits and at most half of the longer name's length apart; of equally near ones the
    first by code unit. Two letters that changed places are two edits here, as in the tool the
    format comes from.
    """
    best, distance = "", _MOST_EDITS + 1
    for candidate in sorted_names(candidates) if len(name) <= _LONGEST_MADE_UP else ():
        most = min(distance - 1, max(len(name), len(candidate)) // 2)
        found = _edits(name, candidate, most, swaps=False)
        if found is not None:
            best, distance = candidate, found
    return {"suggestion": best} if distance <= _MOST_EDITS else {}


@lru_cache(maxsize=1024)  # a generated suite repeats one slip in every case
def _nearest(written: str, known: tuple[str, ...]) -> str:
    name = _folded(written)
    begun = [candidate for candidate in known if _folded(candidate).startswith(name)]
    if len(name) >= _LEAST_PREFIX and len(begun) == 1:
        return begun[0]
    best, distance = "", max(1, len(name) // _LETTERS_PER_EDIT) + 1
    for candidate in known:
        folded = _folded(candidate)
        found = _edits(name, folded, distance - 1, swaps=True)
        if found is not None and found < len(folded):
            best, distance = candidate, found
    return best


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")


def _edits(one: str, other: str, most: int, *, swaps: bool) -> int | None:
    """Characters to insert, drop or replace to make one the other; None above `most`.

    With `swaps`, changing places with its neighbour is one edit too.
    """
    if abs(len(one) - len(other)) > most:
        return None
    before: list[int] = []
    above: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one):
        before, above, row = above, row, [at + 1]
        for place, opposite in enumerate(other):
            fewest = min(above[place] + (letter != opposite), above[place + 1] + 1, row[place] + 1)
            if swaps and at and place and (letter, one[at - 1]) == (other[place - 1], opposite):
                fewest = min(fewest, before[place - 1] + 1)
            row.append(fewest)
        if min(row) > most:
            return None
    return row[-1] if row[-1] <= most else None
