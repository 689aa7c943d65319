"""How a server may echo a credential: every spelling that still gives it away.

A request's token comes back in an error text, a header, a link, a JSON string inside a JSON string,
or as the base64 of a whole request. One pattern finds all of these.
"""

import base64
import re
from collections.abc import Iterable

_SHORTEST_BASE64 = 7
"""Characters of base64 below which what is known of an encoding is no longer certain."""

_BACKSLASHES = r"\\{1,16}"
"""Escaped four times over. Without a bound a long run of them costs the square of its length, and a
server may send millions.
"""


def spellings(parts: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern for every spelling of every part; None for no parts.

    Found: as it is; with any of its characters escaped as in JSON, JavaScript, URLs or HTML, also
    when escaped twice; in hexadecimal; in base64 of either alphabet, also inside of longer bytes.
    """
    alternatives = {
        alternative
        for part in parts
        for alternative in (_escaped(part), _hexadecimal(part), *map(re.escape, _base64(part)))
    }
    ordered = sorted(alternatives, key=lambda text: (-len(text), text))
    return re.compile("|".join(ordered)) if ordered else None


def _escaped(part: str) -> str:
    return "".join(_character(character) for character in part)


def _character(character: str) -> str:
    """The character, or an escape of it. Each alternative begins with a literal: searching for the
    whole then costs little.
    """
    point = ord(character)
    units = character.encode("utf-16-be")
    escapes = [
        re.escape(character),
        "".join(
            rf"{_BACKSLASHES}u{_any_case(units[at : at + 2].hex())}"
            for at in range(0, len(units), 2)
        ),
        "".join(f"%(?:25)*{_any_case(f'{byte:02x}')}" for byte in character.encode()),
        rf"&#0*{point};?",
        rf"&#[xX]0*{_any_case(f'{point:x}')};?",
    ]
    if point < 0x100:
        escapes.append(rf"{_BACKSLASHES}x{_any_case(f'{point:02x}')}")
    if not character.isalnum():
        escapes.append(rf"{_BACKSLASHES}{re.escape(character)}")
    if character == " ":
        escapes.append(r"\+")
    named = _ENTITIES.get(character)
    if named:
        escapes.append(f"&{named};")
    return f"(?:{'|'.join(escapes)})"


_ENTITIES = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}


def _any_case(hexadecimal: str) -> str:
    return "".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in hexadecimal)


def _hexadecimal(part: str) -> str:
    return _any_case(part.encode().hex())


def _base64(part: str) -> set[str]:
    """What is certain of its base64 at each of the three places it may begin in a group."""
    found = set()
    for ahead in range(3):
        encoded = base64.b64encode(b"\0" * ahead + part.encode()).decode()
        # what shares a character with its neighbours is not ours alone
        begin = (0, 2, 3)[ahead]
        certain = encoded[begin : (ahead + len(part.encode())) * 8 // 6]
        if len(certain) >= _SHORTEST_BASE64:
            found |= {certain, certain.replace("+", "-").replace("/", "_")}
    return found
