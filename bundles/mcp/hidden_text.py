"""Characters a reader cannot see but a model reads: invisible, bidirectional, tag and control ones.

Source: Unicode Technical Report 36 and 39; what instruction smuggling into tool descriptions uses.
What ordinary text needs is let through: joiners between letters of other scripts and in emoji, flag
sequences, one variation selector after a character, signs of Arabic and Kaithi numbers.
"""

import re
import unicodedata
from collections.abc import Iterator

_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f")
_JOINERS = frozenset("\u200c\u200d")
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")
_WRITTEN_FORMATS = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
_PLAIN_CONTROLS = frozenset("\t\n\r")


def hidden_characters(text: str) -> tuple[str, ...]:
    """The hidden characters of a text as "U+XXXX NAME", each once, in order of appearance."""
    if text.isascii() and text.isprintable():
        return ()
    shown = _FLAG.sub("\U0001f3f4", text)
    return tuple(dict.fromkeys(_named(shown[at]) for at in _places(shown)))


def _places(text: str) -> Iterator[int]:
    for at, character in enumerate(text):
        category = unicodedata.category(character)
        if character in _JOINERS:
            if not _joins(text, at):
                yield at
        elif (
            (category == "Cf" and character not in _WRITTEN_FORMATS)
            or (category == "Cc" and character not in _PLAIN_CONTROLS)
            or character in _BLANK_LETTERS
            or _is_smuggled_selector(text, at)
        ):
            yield at


def _joins(text: str, at: int) -> bool:
    """A joiner joins two visible characters outside ASCII."""
    neighbours = text[max(at - 1, 0) : at], text[at + 1 : at + 2]
    return all(n and not n.isascii() and unicodedata.category(n) != "Cf" for n in neighbours)


def _is_smuggled_selector(text: str, at: int) -> bool:
    """One variation selector belongs to the character before it; a run of them carries bytes."""
    if not _is_selector(text[at]):
        return False
    return text[at] >= "\U000e0100" or at == 0 or _is_selector(text[at - 1])


def _is_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _named(character: str) -> str:
    name = unicodedata.name(character, "CONTROL")
    return f"U+{ord(character):04X} {name}"
