"""Where the values of a document are: line numbers as a tree, so that long keys cost once."""

from collections.abc import Sequence


class Lines:
    """The line of every value in a document, by RFC 6901 pointer.

    `line` is that of the value itself, `members` those inside it by escaped token.
    """

    def __init__(self) -> None:
        self.line: int | None = None
        self.members: dict[str, Lines] = {}

    def note(self, tokens: Sequence[str], line: int) -> None:
        """Keep the line of the value at escaped pointer tokens; parents come first."""
        place = self
        for token in tokens:
            place = place.members.setdefault(token, Lines())
        place.line = line

    def of(self, pointer: str) -> int | None:
        """The line of a value, or of its nearest parent; None when nothing was noted."""
        place = self
        for token in pointer.split("/")[1:]:
            inner = place.members.get(token)
            if inner is None:
                break
            place = inner
        return place.line
