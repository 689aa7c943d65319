"""The exact JSON reader: iterative, knows where it is, says what is wrong and at which line.

Slower than the interpreter's own scanner by an order of magnitude, so it runs only when that one
objected (`bundles.json_reader`) or when a finding needs the line of a pointer.
"""

import json
import math
import re
from typing import Any

from bundles.errors import LimitExceeded, Refused
from bundles.limits import Limits
from bundles.lines import Lines
from bundles.reasons import reason

JSON_SYNTAX = reason(
    "JSON_SYNTAX",
    "The document is not JSON (RFC 8259).",
    "Correct the JSON at the line named; trailing commas and comments are not JSON.",
)
JSON_DUPLICATE_KEY = reason(
    "JSON_DUPLICATE_KEY",
    "An object names the same key twice, so readers disagree on its value.",
    "Keep one of the two members.",
)
JSON_NOT_FINITE = reason(
    "JSON_NOT_FINITE",
    "A number is NaN, infinite, or too large for a double.",
    "Use a finite number or a string.",
)
JSON_INTEGER_RANGE = reason(
    "JSON_INTEGER_RANGE",
    "An integer lies beyond ±(2^53-1), where readers round it differently (RFC 8785, RFC 7493).",
    "Carry the value as a string.",
)
JSON_LONE_SURROGATE = reason(
    "JSON_LONE_SURROGATE",
    "A string holds half of a surrogate pair, which is no Unicode text.",
    "Write the whole pair, or the character itself.",
)
JSON_TOO_DEEP = reason(
    "JSON_TOO_DEEP",
    "The document nests deeper than the limit.",
    "Flatten the document.",
)
JSON_STRING_TOO_LONG = reason(
    "JSON_STRING_TOO_LONG",
    "A string or key is longer than the limit.",
    "Move long text to a file of its own.",
)
JSON_TOO_MANY_NODES = reason(
    "JSON_TOO_MANY_NODES",
    "The document holds more values than the limit.",
    "Split the document.",
)

MAX_SAFE_INTEGER = 2**53 - 1

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}
_WORD = re.compile(r"[A-Za-z]+")
_DELIMITER = re.compile(r"[\s,:\]}]|$")


def escape_pointer(token: str) -> str:
    """One reference token of an RFC 6901 pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def walk_json(
    text: str,
    limits: Limits,
    *,
    exact_integers: bool,
    path: str = "",
    seen: Lines | None = None,
) -> Any:
    """Read a document exactly.

    Args:
        text: the document.
        limits: depth, string and node bounds.
        exact_integers: refuse integers beyond ±(2^53-1).
        path: file name for refusals.
        seen: told the line of every value.

    Raises:
        Refused, LimitExceeded: the first fault, with pointer and line.
    """
    return _Walk(text, limits, exact_integers, path, seen).read()


class _Walk:
    """One pass over one document; containers live on an explicit stack, never the interpreter's."""

    def __init__(
        self,
        text: str,
        limits: Limits,
        exact_integers: bool,  # noqa: FBT001 - private, one caller
        path: str,
        seen: Lines | None,
    ) -> None:
        self.text = text
        self.limits = limits
        self.exact_integers = exact_integers
        self.path = path
        self.seen = seen
        self.at = 0
        self.line = 1
        self.counted = 0
        self.nodes = 0
        self.tokens: list[str] = []
        self.stack: list[Any] = []

    def read(self) -> Any:
        value = self._value()
        while self.stack:
            value = self._inside()
        self._skip()
        if self.at < len(self.text):
            raise self._refuse(JSON_SYNTAX, "something follows the document")
        return value

    def _inside(self) -> Any:
        """Read the next member of the innermost container, or close it and return it."""
        container = self.stack[-1]
        closing = "}" if isinstance(container, dict) else "]"
        char = self._peek()
        if char == closing:
            self.at += 1
            return self._close()
        if container:
            if char != ",":
                raise self._refuse(JSON_SYNTAX, f"expected ',' or '{closing}'", seen=char)
            self.at += 1
            self._skip()
        depth = len(self.stack)
        if isinstance(container, dict):
            key = self._key(container)
            self.tokens.append(escape_pointer(key))
            container[key] = None
            container[key] = self._value()
        else:
            self.tokens.append(str(len(container)))
            container.append(None)
            container[-1] = self._value()
        if len(self.stack) == depth:
            self.tokens.pop()
        return container

    def _close(self) -> Any:
        closed = self.stack.pop()
        if self.stack:
            self.tokens.pop()
        return closed

    def _key(self, container: dict[str, Any]) -> str:
        if self._peek() != '"':
            raise self._refuse(JSON_SYNTAX, "expected a key in double quotes", seen=self._peek())
        line = self._line()
        key = self._string()
        if key in container:
            self.tokens.append(escape_pointer(key))
            raise self._refuse(JSON_DUPLICATE_KEY, "the key appears twice", seen=key, line=line)
        if self._peek() != ":":
            raise self._refuse(JSON_SYNTAX, "expected ':' after a key", seen=self._peek())
        self.at += 1
        return key

    def _value(self) -> Any:
        char = self._peek()
        self.nodes += 1
        if self.nodes > self.limits.document_nodes:
            raise self._exceeded(JSON_TOO_MANY_NODES, "values", self.limits.document_nodes)
        if self.seen is not None:
            self.seen.note(self.tokens, self._line())
        if char in ("{", "["):
            return self._open(char)
        if char == '"':
            return self._string()
        if char == "-" or char.isdigit():
            return self._number()
        return self._word()

    def _open(self, char: str) -> Any:
        if len(self.stack) >= self.limits.depth:
            raise self._exceeded(JSON_TOO_DEEP, "levels", self.limits.depth)
        self.at += 1
        container: Any = {} if char == "{" else []
        self.stack.append(container)
        return container

    def _string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if found is None:
            raise self._refuse(JSON_SYNTAX, "a string is not closed, or holds a bad escape")
        raw = found.group()
        if len(raw) * 4 > self.limits.string_bytes:
            size = len(raw.encode("utf-8")) - 2
            if size > self.limits.string_bytes:
                raise self._exceeded(
                    JSON_STRING_TOO_LONG, "bytes in a string", self.limits.string_bytes, size
                )
        self.at = found.end()
        value: str = json.loads(raw)
        if "\\" in raw:
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:
                raise self._refuse(
                    JSON_LONE_SURROGATE, "a string holds half of a surrogate pair"
                ) from None
        return value

    def _number(self) -> int | float:
        found = _NUMBER.match(self.text, self.at)
        if found is None or not _DELIMITER.match(self.text, found.end()):
            raise self._refuse(JSON_SYNTAX, "this is no JSON number", seen=self._ahead())
        raw = found.group()
        self.at = found.end()
        if found.group(1) is None and found.group(2) is None:
            return self._integer(raw)
        value = float(raw)
        if math.isinf(value):
            raise self._refuse(JSON_NOT_FINITE, "a number is too large for a double", seen=raw[:40])
        return value

    def _integer(self, raw: str) -> int:
        digits = len(raw.lstrip("-"))
        # 15 digits are always safe; past 4,300 the interpreter itself refuses to convert
        if digits > 15 and self.exact_integers:
            if digits > 16 or abs(int(raw)) > MAX_SAFE_INTEGER:
                raise self._refuse(
                    JSON_INTEGER_RANGE,
                    "an integer lies beyond ±(2^53-1)",
                    seen=raw[:40],
                    expected=MAX_SAFE_INTEGER,
                )
        elif digits > 4_300:
            raise self._refuse(JSON_INTEGER_RANGE, "an integer has more than 4,300 digits")
        return int(raw)

    def _word(self) -> Any:
        found = _WORD.match(self.text, self.at)
        word = found.group() if found else self._ahead()
        if word in _WORDS:
            self.at += len(word)
            return _WORDS[word]
        if word in ("NaN", "Infinity"):
            raise self._refuse(JSON_NOT_FINITE, f"{word} is no JSON number", seen=word)
        what = f"no value starts with {word[:20]!r}" if word else "the document ends too early"
        raise self._refuse(JSON_SYNTAX, what)

    def _peek(self) -> str:
        self._skip()
        return self.text[self.at : self.at + 1]

    def _ahead(self) -> str:
        return self.text[self.at : self.at + 20]

    def _skip(self) -> None:
        found = _SPACE.match(self.text, self.at)
        if found is not None:
            self.at = found.end()

    def _line(self) -> int:
        self.line += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        return self.line

    def _pointer(self) -> str:
        return "".join(f"/{token}" for token in self.tokens)

    def _refuse(
        self,
        code: str,
        detail: str,
        *,
        seen: object = None,
        expected: object = None,
        line: int | None = None,
    ) -> Refused:
        return Refused(
            code,
            detail,
            path=self.path,
            pointer=self._pointer(),
            line=self._line() if line is None else line,
            seen=seen,
            expected=expected,
        )

    def _exceeded(self, code: str, unit: str, limit: int, met: int | None = None) -> LimitExceeded:
        return LimitExceeded(
            code,
            f"more than {limit} {unit}",
            path=self.path,
            pointer=self._pointer(),
            line=self._line(),
            seen=limit + 1 if met is None else met,
            expected=limit,
        )
