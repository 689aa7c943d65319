"""Paths into documents, linked to their parent and written out only when somebody reads them.

A document nested 20,000 deep would otherwise cost a string of its depth at every level.
"""

from typing import NamedTuple


class Path(NamedTuple):
    """A place in a document: its parent, and the piece of text that leads on from there."""

    text: str
    parent: "Path | None" = None

    def field(self, name: str) -> "Path":
        """The member of that name; names are written as they are, unescaped."""
        return Path(f".{name}" if self.text or self.parent else name, self)

    def item(self, index: int) -> "Path":
        """The element of that index."""
        return Path(f"[{index}]", self)

    def __str__(self) -> str:
        pieces: list[str] = []
        place: Path | None = self
        while place is not None:
            pieces.append(place.text)
            place = place.parent
        return "".join(reversed(pieces))
