"""Reading JSON text as the format's reference does: as ECMAScript's `JSON.parse`.

Numbers are doubles (1e400 becomes Infinity, which validation then refuses where it matters), the
last of two equal names counts, NaN and a byte-order mark inside text are no JSON, and depth is
unlimited. What is digested or submitted is read by `bundles.canonical`, which refuses far more.
"""

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed omits it
from typing import Any, NoReturn

from bundles.errors import Refused
from bundles.reasons import reason
from bundles.suite.javascript import MAX_SAFE_INTEGER

SUITE_ENCODING_INVALID = reason(
    "SUITE_ENCODING_INVALID",
    "The file is not UTF-8 text.",
    "save the file as UTF-8; a byte-order mark is accepted",
)
SUITE_JSON_INVALID = reason(
    "SUITE_JSON_INVALID",
    "The file is not JSON.",
    "correct the JSON at the line that is named",
)

SUITE_READ_FAILED = reason(
    "SUITE_READ_FAILED",
    "The file cannot be read.",
    "give the path of a file, not of a folder, and check its permissions",
)

_SAFE_DIGITS = len(str(MAX_SAFE_INTEGER))
_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}


def read_json(data: bytes, *, path: str = "") -> Any:
    """The value of a UTF-8 file, with or without a byte-order mark.

    Raises:
        Refused: SUITE_ENCODING_INVALID, SUITE_JSON_INVALID (with the line).
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(
            SUITE_ENCODING_INVALID, f"byte {error.start} is not UTF-8", path=path
        ) from error
    try:
        return parse(text)
    except json.JSONDecodeError as error:
        raise Refused(SUITE_JSON_INVALID, error.msg, path=path, line=error.lineno) from error


def parse(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        json.JSONDecodeError: the text is not JSON.
    """
    try:
        return json.loads(text, parse_int=_integer, parse_constant=_no_constant)
    except (_NotJson, RecursionError):
        # Too deep for Python's reader, or a word only Python takes: the other one knows where.
        return _Deep(text).document()


def repeated_names(text: str) -> list[str]:
    """Member names a JSON text gives twice in one object, in order of discovery.

    The format lets the last one count and so does `parse`; a bundle refuses such a file.
    """
    repeated: dict[str, None] = {}

    def look(pairs: list[tuple[str, Any]]) -> None:
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                repeated[name] = None
            seen.add(name)

    try:
        json.loads(text, object_pairs_hook=look, parse_int=_integer)
    except RecursionError:
        deep = _Deep(text)
        deep.document()
        return list(deep.repeated)
    return list(repeated)


class _NotJson(Exception):
    """NaN or Infinity: Python's reader takes them, JSON does not."""


def _no_constant(word: str) -> NoReturn:
    raise _NotJson(word)


def _integer(digits: str) -> float:
    if len(digits) <= _SAFE_DIGITS:
        number = int(digits)
        if abs(number) <= MAX_SAFE_INTEGER:
            return number
    return float(digits)


class _Deep:
    """A reader with its own stack, for texts nested too deep for Python's."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.repeated: dict[str, None] = {}

    def document(self) -> Any:
        """The one value of the text."""
        value = self._nested()
        self._skip_space()
        if self.at != len(self.text):
            self._fail("extra data")
        return value

    def _nested(self) -> Any:
        open_ones: list[tuple[Any, str]] = []  # (container, name that waits for its value)
        while True:
            value, opened = self._start()
            if opened:
                name = self._name() if isinstance(value, dict) else ""
                open_ones.append((value, name))
                continue
            while open_ones:
                container, name = open_ones.pop()
                if isinstance(container, dict):
                    if name in container:
                        self.repeated[name] = None
                    container[name] = value
                else:
                    container.append(value)
                if self._take(","):
                    open_ones.append(
                        (container, self._name() if isinstance(container, dict) else "")
                    )
                    break
                if not self._take("}" if isinstance(container, dict) else "]"):
                    self._fail("expecting ',' or the end of the array or object")
                value = container
            else:
                return value

    def _start(self) -> tuple[Any, bool]:
        """A scalar or an empty container, complete; or a container that has just been opened."""
        if self._take("{"):
            return {}, not self._take("}")
        if self._take("["):
            return [], not self._take("]")
        return self._scalar(), False

    def _scalar(self) -> Any:
        first = self.text[self.at : self.at + 1]
        if first == '"':
            return self._string()
        if first in _WORDS and self.text.startswith(_WORDS[first][0], self.at):
            self.at += len(_WORDS[first][0])
            return _WORDS[first][1]
        number = _NUMBER.match(self.text, self.at)
        if number is None:
            self._fail("expecting a value")
        self.at = number.end()
        return float(number[0]) if number[1] or number[2] else _integer(number[0])

    def _name(self) -> str:
        self._skip_space()
        if self.text[self.at : self.at + 1] != '"':
            self._fail("expecting a name in double quotes")
        name = self._string()
        if not self._take(":"):
            self._fail("expecting ':'")
        return name

    def _string(self) -> str:
        text, self.at = scanstring(self.text, self.at + 1, True)  # noqa: FBT003 - positional only
        return str(text)

    def _take(self, token: str) -> bool:
        self._skip_space()
        if not self.text.startswith(token, self.at):
            return False
        self.at += len(token)
        self._skip_space()
        return True

    def _skip_space(self) -> None:
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _fail(self, why: str) -> NoReturn:
        raise json.JSONDecodeError(why, self.text, self.at)
