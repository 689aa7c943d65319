"""One deviation of what a server said, and where it is."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """Why a schema cannot be used: it is none, it refers to what is not in it, or it is too deep
    to be looked at.
    """

    INVALID = "invalid"
    REFERENCE = "reference"
    DEPTH = "depth"


@dataclass(frozen=True, slots=True)
class Problem:
    """One deviation: a JSON pointer into the document, one sentence, what was there."""

    pointer: str
    message: str
    seen: Any = None
    kind: Kind = Kind.INVALID


def pointer_of(path: list[str | int]) -> str:
    """A path as an RFC 6901 JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
