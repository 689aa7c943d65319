"""The shortest string of a regular expression, for the part of ECMA-262 that has one at sight.

First alternatives, least repetitions, first members of classes: the same pattern always gives the
same string. Looking around, references and Unicode properties are named and given up on. What was
made is matched against the pattern before it is used.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from bundles.mcp.schema import schema_problems, value_problems
from bundles.suite.generate.refusals import contradiction, unsupported
from bundles.suite.generate.scope import LONGEST_TEXT

_LONGEST_PATTERN = 2_000
_DEEPEST = 50
_BRACES = re.compile(r"\{([0-9]{1,9})(?:(,)([0-9]{0,9}))?\}")
_HEX = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}")
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}
_OUTSIDE_OF_CLASS = (
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ "  # first fit is used
)


def _word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


def _digit(char: str) -> bool:
    return "0" <= char <= "9"


class _Member(NamedTuple):
    """A member of a character class: the character to use for it, and what belongs to it."""

    first: str
    holds: Callable[[str], bool]


_ESCAPED = {
    "d": _Member("0", _digit),
    "D": _Member("a", lambda char: not _digit(char)),
    "w": _Member("a", _word),
    "W": _Member("-", lambda char: not _word(char)),
    "s": _Member(" ", str.isspace),
    "S": _Member("a", lambda char: not char.isspace()),
}


@dataclass(slots=True)
class _Repeat:
    """Something and how often it comes; `most` is None without a limit."""

    body: "_Sequence"
    times: int = 1
    most: int | None = 1

    def length(self) -> int:
        return self.body.length() * self.times

    def text(self) -> str:
        return self.body.text() * self.times


@dataclass(slots=True)
class _Sequence:
    """Parts one after the other: characters, and repetitions."""

    parts: list["str | _Repeat"] = field(default_factory=list)

    def length(self) -> int:
        return sum(len(p) if isinstance(p, str) else p.length() for p in self.parts)

    def text(self) -> str:
        return "".join(p if isinstance(p, str) else p.text() for p in self.parts)

    def repeats(self) -> list[_Repeat]:
        """Every repetition inside, from the left, outer ones first."""
        found: list[_Repeat] = []
        for part in self.parts:
            if isinstance(part, _Repeat):
                found += [part, *part.body.repeats()]
        return found


def check_pattern(pattern: object, path: str) -> None:
    """Whether a pattern can be used.

    Raises:
        GenerationRefused: it is no string, or no regular expression at all.
        Unsupported: it is too long, or written in a way this harness cannot match.
    """
    at = f"{path}.pattern"
    if not isinstance(pattern, str):
        contradiction(at, "pattern is a string", seen=type(pattern).__name__)
    if len(pattern) > _LONGEST_PATTERN:
        unsupported(at, f"the pattern is longer than {_LONGEST_PATTERN} characters")
    if schema_problems({"pattern": pattern}):
        if r"\k<" in pattern or _compiles(pattern):
            unsupported(at, "the pattern is written in a way that cannot be matched here")
        contradiction(at, "the pattern is no regular expression", seen=pattern)


def matches_pattern(pattern: str, text: str) -> bool:
    """Whether a text matches a pattern that `check_pattern` passed."""
    return not value_problems({"pattern": pattern}, text)


def shortest_match(pattern: str, least: int | None, most: int | None, path: str) -> str:
    """The shortest string of a pattern, repeated further where it has to be `least` long.

    Raises:
        Unsupported: the pattern cannot be followed, or not within the lengths.
    """
    found = _Parser(pattern, path).parse()
    if least is not None:
        _grow(found, least)
    length = found.length()
    if least is not None and length < least:
        unsupported(path, f"no string for the pattern that is {least} characters long was found")
    if length > LONGEST_TEXT or (most is not None and length > most):
        unsupported(path, f"the string for the pattern is {length} characters long: too long")
    text = found.text()
    if not matches_pattern(pattern, text):
        unsupported(path, f"no string for the pattern was found ({text[:100]!r} does not match)")
    return text


def _grow(found: _Sequence, least: int) -> None:
    """Repeat what can be repeated, from the left, until the text is long enough."""
    for repeat in found.repeats():
        before = found.length()
        if before >= least:
            return
        repeat.times += 1
        gain = found.length() - before
        repeat.times -= 1
        if gain:
            wanted = repeat.times + -(-(least - before) // gain)
            repeat.times = (
                wanted if repeat.most is None else max(repeat.times, min(wanted, repeat.most))
            )


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


class _Parser:
    """Reads a pattern from the left, keeping of alternatives the first."""

    def __init__(self, source: str, path: str) -> None:
        self._source = source
        self._path = f"{path}.pattern"
        self._at = 0

    def parse(self) -> _Sequence:
        found = self._alternatives(0)
        if self._at < len(self._source):
            self._give_up(self._at, f"{self._source[self._at]!r} has no beginning")
        return found

    def _give_up(self, at: int, what: str) -> None:
        unsupported(self._path, f"the pattern cannot be followed at character {at}: {what}")

    def _take(self, token: str) -> bool:
        if not self._source.startswith(token, self._at):
            return False
        self._at += len(token)
        return True

    def _alternatives(self, depth: int) -> _Sequence:
        if depth > _DEEPEST:
            self._give_up(self._at, f"groups are nested deeper than {_DEEPEST} levels")
        first = self._sequence(depth)
        while self._take("|"):
            self._sequence(depth)
        return first

    def _sequence(self, depth: int) -> _Sequence:
        found = _Sequence()
        while self._at < len(self._source) and self._source[self._at] not in "|)":
            atom = self._atom(depth)
            found.parts.append(self._quantified(atom))
        return found

    def _quantified(self, atom: "str | _Sequence") -> "str | _Repeat":
        body = _Sequence([atom]) if isinstance(atom, str) else atom
        braces = _BRACES.match(self._source, self._at)
        if self._take("*"):
            repeat = _Repeat(body, 0, None)
        elif self._take("+"):
            repeat = _Repeat(body, 1, None)
        elif self._take("?"):
            repeat = _Repeat(body, 0, 1)
        elif braces:
            self._at = braces.end()
            least = int(braces[1])
            open_end = None if braces[2] and not braces[3] else int(braces[3] or least)
            repeat = _Repeat(body, least, open_end)
        else:
            return atom if isinstance(atom, str) else _Repeat(body)
        self._take("?")  # lazy: the least is taken anyhow
        return repeat

    def _atom(self, depth: int) -> "str | _Sequence":
        char = self._source[self._at]
        if char == "(":
            return self._group(depth)
        if char == "[":
            return self._class()
        if char == "\\":
            escaped = self._escape()
            return escaped.first
        self._at += 1
        return {"^": "", "$": "", ".": "a"}.get(char, char)

    def _group(self, depth: int) -> _Sequence:
        start = self._at
        self._at += 1
        named = re.compile(r"\?<[^=!>][^>]*>").match(self._source, self._at)
        if named:
            self._at = named.end()
        elif self._source.startswith("?", self._at) and not self._take("?:"):
            self._give_up(start, "looking ahead or behind, or flags")
        found = self._alternatives(depth + 1)
        if not self._take(")"):
            self._give_up(start, "a group without end")
        return found

    def _class(self) -> str:
        start = self._at
        self._at += 1
        negated = self._take("^")
        members: list[_Member] = []
        while self._at < len(self._source) and self._source[self._at] != "]":
            members.append(self._member())
        if not self._take("]") or not members:
            self._give_up(start, "a class without end or members")
        if not negated:
            return members[0].first
        left = (c for c in _OUTSIDE_OF_CLASS if not any(m.holds(c) for m in members))
        found = next(left, "")
        if not found:
            self._give_up(start, "a class that leaves no plain character")
        return found

    def _member(self) -> _Member:
        """A character, a range or an escape inside a class."""
        lowest = self._single()
        ranged = self._source.startswith("-", self._at) and self._source[self._at + 1 :][:1]
        if not ranged or ranged == "]" or len(lowest.first) != 1:
            return lowest
        at = self._at
        self._at += 1
        highest = self._single()
        low, high = lowest.first, highest.first
        if lowest in _ESCAPED.values() or highest in _ESCAPED.values() or low > high:
            self._give_up(at, "a range whose end is no character")
        return _Member(low, lambda char: low <= char <= high)

    def _single(self) -> _Member:
        char = self._source[self._at]
        if char == "\\":
            return self._escape()
        self._at += 1
        return _literal(char)

    def _escape(self) -> _Member:
        start = self._at
        char = self._source[start + 1 : start + 2]
        hexadecimal = _HEX.match(self._source, start + 1)
        self._at = start + 2
        if not char or char in "123456789kpPc":
            self._give_up(start, "a reference, a Unicode property or a control character")
        if char in "bB":  # a border; in a class no engine here takes it
            return _literal("")
        if char in _ESCAPED:
            return _ESCAPED[char]
        if hexadecimal:
            self._at = hexadecimal.end()
            code = int(next(filter(None, hexadecimal.groups())), 16)
            if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
                self._give_up(start, "no character has this number")
            return _literal(chr(code))
        return _literal(_CONTROLS.get(char, char))


def _literal(char: str) -> _Member:
    return _Member(char, lambda other: other == char)
