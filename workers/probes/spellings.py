"""How a server may echo a credential: every spelling that still gives it away.

A request's token comes back in an error text, a header, a link, a JSON string inside a JSON string,
or as the base64 of a whole request. One pattern finds all of these.
"""

import base64
import re
from collections import defaultdict
from collections.abc import Iterable

_SHORTEST_BASE64 = 7
"""Characters of base64 below which what is known of an encoding is no longer certain."""

_SEGMENT = 64
"""Characters of a credential that are looked for at once. A pattern for every spelling of a long
one takes seconds to compile, and a signed token may have thousands of characters.
"""
_LONGEST_SEGMENT = 96

_BACKSLASHES = r"\\{1,16}"
"""Escaped four times over. Without a bound a long run of them costs the square of its length, and a
server may send millions.
"""

_MORE_HEXADECIMAL = r"(?:[0-9A-Fa-f]{2})*"
_MORE_BASE64 = r"(?:[A-Za-z0-9+/_=-]|\\{1,16}/|%(?:25)*(?:2[BbFf]|3[Dd]))*"
_MORE_TOKEN = re.compile(r"[A-Za-z0-9._~+/=%-]*")
"""What may follow the beginning of a long credential, where it does not go on as expected."""


class Spellings:
    """Finds every spelling of every part: as it is; with any of its characters escaped as in JSON,
    JavaScript, URLs or HTML, also when escaped twice; in hexadecimal; in base64 of either alphabet,
    also inside of longer bytes.

    A long part is found by its beginning and then followed to its end. Where it does not go on as
    expected (cut, or another of the same beginning), all that could belong to it goes as well.
    """

    def __init__(self, parts: Iterable[str]) -> None:
        followed: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for part in sorted(set(parts)):
            head, *rest = _segments(part)
            followed[head].append(tuple(rest))
        named = {f"part{number}": head for number, head in enumerate(followed)}
        self._followed = {name: followed[head] for name, head in named.items()}
        alternatives = {
            alternative
            for name, head in named.items()
            for alternative in _alternatives(name, head, long=any(followed[head]))
        }
        ordered = sorted(alternatives, key=lambda text: (-len(text), text))
        self._pattern = re.compile("|".join(ordered)) if ordered else None
        self._compiled: dict[str, re.Pattern[str]] = {}

    def sub(self, mask: str, text: str) -> str:
        """The text with every spelling masked; the same text where there is none."""
        if self._pattern is None:
            return text
        kept, at = [], 0
        while found := self._pattern.search(text, at):
            kept += [text[at : found.start()], mask]
            name = found.lastgroup
            at = found.end() if name is None else self._end(text, found.end(), name)
        return "".join([*kept, text[at:]]) if kept else text

    def _end(self, text: str, at: int, name: str) -> int:
        """Where the part ends whose beginning ends at `at`."""
        return max(self._follow(text, at, rest) for rest in self._followed[name])

    def _follow(self, text: str, at: int, rest: tuple[str, ...]) -> int:
        if text.startswith(whole := "".join(rest), at):
            return at + len(whole)
        for segment in rest:
            pattern = self._compiled.get(segment)
            if pattern is None:  # only for what a server really echoes, and in another spelling
                pattern = self._compiled[segment] = re.compile(_escaped(segment))
            found = pattern.match(text, at)
            if found is None:
                more = _MORE_TOKEN.match(text, at)
                return more.end() if more else at
            at = found.end()
        return at


def _segments(part: str) -> list[str]:
    """The part in pieces, cut between letters or digits where it can be: what is escaped there
    begins and ends in one way only.
    """
    found = []
    while len(part) > _SEGMENT:
        last = min(len(part), _LONGEST_SEGMENT)
        cut = next((n for n in range(_SEGMENT, last) if part[n - 1 : n + 1].isalnum()), last)
        found.append(part[:cut])
        part = part[cut:]
    return [*found, part] if part else found


def _alternatives(name: str, head: str, *, long: bool) -> Iterable[str]:
    encoded = map(re.escape, _base64(head))
    if not long:
        return {_escaped(head), _hexadecimal(head), *encoded}
    return {
        f"(?P<{name}>{_escaped(head)})",
        _hexadecimal(head) + _MORE_HEXADECIMAL,
        *(certain + _MORE_BASE64 for certain in encoded),
    }


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
