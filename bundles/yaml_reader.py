"""Strict YAML: the JSON part of YAML 1.2, built from the event stream under limits.

Depth, size and number of values are bounded before anything is built. Refused: aliases and
anchors, tags, directives, several documents, duplicate keys, keys that are not strings, merge
keys, NaN and infinities. Dates stay strings; so do `yes`, `no`, `on` and `off` (YAML 1.2).
"""

import math
import re
from collections.abc import Iterator
from typing import Any

import yaml

from bundles.errors import LimitExceeded, Refused
from bundles.json_reader import decode_text
from bundles.json_walk import MAX_SAFE_INTEGER, escape_pointer
from bundles.limits import DEFAULT_LIMITS, Limits
from bundles.lines import Lines
from bundles.reasons import reason

YAML_SYNTAX = reason(
    "YAML_SYNTAX", "The document is not YAML 1.2.", "Correct the YAML at the line named."
)
YAML_ALIAS = reason(
    "YAML_ALIAS",
    "The document uses an anchor or an alias, which can expand without bound.",
    "Write the value out where it is used.",
)
YAML_TAG = reason(
    "YAML_TAG",
    "The document uses a tag or a directive, which changes how values are read.",
    "Remove the tag; quote the value to make it a string.",
)
YAML_DOCUMENTS = reason(
    "YAML_DOCUMENTS",
    "The file holds no document, or several.",
    "Keep one document in a file.",
)
YAML_DUPLICATE_KEY = reason(
    "YAML_DUPLICATE_KEY",
    "A mapping names the same key twice, so readers disagree on its value.",
    "Keep one of the two entries.",
)
YAML_KEY_NOT_STRING = reason(
    "YAML_KEY_NOT_STRING",
    "A mapping key is not a plain string (a number, a boolean, null, a merge key or a collection).",
    "Quote the key.",
)
YAML_NUMBER = reason(
    "YAML_NUMBER",
    "A number is NaN, infinite, beyond ±(2^53-1), or written so that readers disagree (007).",
    "Quote the value to make it a string, or write a plain finite number.",
)
YAML_TOO_DEEP = reason(
    "YAML_TOO_DEEP", "The document nests deeper than the limit.", "Flatten the document."
)
YAML_STRING_TOO_LONG = reason(
    "YAML_STRING_TOO_LONG",
    "A string or key is longer than the limit.",
    "Move long text to a file of its own.",
)
YAML_TOO_MANY_NODES = reason(
    "YAML_TOO_MANY_NODES", "The document holds more values than the limit.", "Split the document."
)

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)|0x[0-9a-fA-F]+|0o[0-7]+")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


def parse_yaml(
    data: bytes,
    *,
    limits: Limits = DEFAULT_LIMITS,
    path: str = "",
    seen: Lines | None = None,
) -> Any:
    """Parse one strict YAML document to plain JSON values.

    Args:
        data: the bytes; UTF-8 without a byte order mark.
        limits: depth, string and node bounds.
        path: file name for refusals.
        seen: told the line of every value.

    Raises:
        Refused: YAML_SYNTAX, YAML_ALIAS, YAML_TAG, YAML_DOCUMENTS, YAML_DUPLICATE_KEY,
            YAML_KEY_NOT_STRING, YAML_NUMBER, TEXT_NOT_UTF8 or TEXT_BYTE_ORDER_MARK.
        LimitExceeded: YAML_TOO_DEEP, YAML_STRING_TOO_LONG or YAML_TOO_MANY_NODES.
    """
    return _Builder(decode_text(data, path), limits, path, seen).build()


def count_nodes(data: bytes) -> int:
    """An upper bound of the values and keys in a YAML document, without parsing it."""
    return 1 + sum(data.count(mark) for mark in (b"\n", b",", b"[", b"{", b":", b"- "))


class _Builder:
    """Builds values from events on an explicit stack of open containers."""

    def __init__(self, text: str, limits: Limits, path: str, seen: Lines | None) -> None:
        self.text = text
        self.limits = limits
        self.path = path
        self.seen = seen
        self.nodes = 0
        self.line = 1
        self.tokens: list[str] = []
        self.stack: list[dict[str, Any] | list[Any]] = []
        self.key: str | None = None
        self.root: list[Any] = []

    def build(self) -> Any:
        for event in self._events():
            self.line = event.start_mark.line + 1
            if isinstance(event, yaml.DocumentStartEvent):
                self._start_document(event)
            elif isinstance(event, yaml.AliasEvent):
                raise self._refuse(YAML_ALIAS, "an alias", seen=f"*{event.anchor}"[:40])
            elif isinstance(event, yaml.NodeEvent):
                self._node(event)
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                self.stack.pop()
                if self.stack:
                    self.tokens.pop()
        if len(self.root) != 1:
            raise self._refuse(YAML_DOCUMENTS, "the file holds no document")
        return self.root[0]

    def _events(self) -> Iterator[Any]:
        try:
            yield from yaml.parse(self.text, Loader=_LOADER)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = mark.line + 1 if mark is not None else self.line
            what = getattr(error, "problem", None) or getattr(error, "reason", None) or error
            if "nesting depth" in str(what):  # the scanner, ahead of the events, gave up first
                raise self._exceeded(YAML_TOO_DEEP, "levels", self.limits.depth) from None
            words = str(what).partition("\n")[0][:200]
            here = self.text.splitlines()[line - 1 : line]
            if here and "\t" in here[0][: len(here[0]) - len(here[0].lstrip())]:
                words = "the line is indented with a tab, and YAML takes spaces alone"
            raise Refused(
                YAML_SYNTAX,
                words,
                path=self.path,
                pointer=self._pointer(),
                line=line,
            ) from None

    def _start_document(self, event: Any) -> None:
        if self.root:
            raise self._refuse(YAML_DOCUMENTS, "a second document starts here")
        if event.tags or event.version not in (None, (1, 2)):
            raise self._refuse(YAML_TAG, "a directive")

    def _node(self, event: Any) -> None:
        if event.anchor is not None:
            raise self._refuse(YAML_ALIAS, "an anchor", seen=f"&{event.anchor}"[:40])
        if event.tag is not None:
            raise self._refuse(YAML_TAG, "a tag", seen=event.tag[:40])
        self.nodes += 1
        if self.nodes > self.limits.yaml_nodes:
            raise self._exceeded(YAML_TOO_MANY_NODES, "values", self.limits.yaml_nodes)
        parent = self.stack[-1] if self.stack else self.root
        if isinstance(parent, dict) and self.key is None:
            self.key = self._read_key(event, parent)
            return
        if self.stack:
            self.tokens.append(
                escape_pointer(self.key) if self.key is not None else str(len(parent))
            )
        value = self._value(event)
        if isinstance(parent, dict):
            parent[str(self.key)] = value
            self.key = None
        else:
            parent.append(value)
        if isinstance(event, yaml.ScalarEvent):
            if self.stack:
                self.tokens.pop()
        else:
            if len(self.stack) >= self.limits.depth:
                raise self._exceeded(YAML_TOO_DEEP, "levels", self.limits.depth)
            self.stack.append(value)

    def _value(self, event: Any) -> Any:
        if self.seen is not None:
            self.seen.note(self.tokens, self.line)
        if isinstance(event, yaml.MappingStartEvent):
            return {}
        if isinstance(event, yaml.SequenceStartEvent):
            return []
        return self._scalar(event)

    def _read_key(self, event: Any, mapping: dict[str, Any]) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            raise self._refuse(YAML_KEY_NOT_STRING, "a collection is used as a key")
        key = self._scalar(event)
        if not isinstance(key, str) or (event.implicit[0] and key == "<<"):
            raise self._refuse(
                YAML_KEY_NOT_STRING, "a key is not a string: quote it", seen=event.value[:40]
            )
        if key in mapping:
            self.tokens.append(escape_pointer(key))
            raise self._refuse(YAML_DUPLICATE_KEY, "the key appears twice", seen=key[:80])
        return key

    def _scalar(self, event: Any) -> Any:
        value: str = event.value
        if len(value) * 4 > self.limits.string_bytes:
            size = len(value.encode("utf-8"))
            if size > self.limits.string_bytes:
                limit = self.limits.string_bytes
                raise self._exceeded(YAML_STRING_TOO_LONG, "bytes in a string", limit, size)
        if not event.implicit[0]:
            return value
        if value in _WORDS:
            return _WORDS[value]
        return self._number(value) if value[0] in "+-.0123456789" else value

    def _number(self, value: str) -> Any:
        if _LEADING_ZERO.fullmatch(value):
            raise self._refuse(YAML_NUMBER, "octal to some readers, decimal to others", seen=value)
        if _NOT_FINITE.fullmatch(value):
            raise self._refuse(YAML_NUMBER, "a number must be finite", seen=value)
        if _INTEGER.fullmatch(value):
            if len(value) > 20 or abs(whole := int(value, 0)) > MAX_SAFE_INTEGER:
                raise self._refuse(YAML_NUMBER, "an integer lies beyond ±(2^53-1)", seen=value[:40])
            return whole
        if _FLOAT.fullmatch(value):
            number = float(value)
            if math.isinf(number):
                raise self._refuse(YAML_NUMBER, "too large for a double", seen=value[:40])
            return number
        return value

    def _pointer(self) -> str:
        return "".join(f"/{token}" for token in self.tokens)

    def _refuse(self, code: str, detail: str, *, seen: object = None) -> Refused:
        return Refused(
            code, detail, path=self.path, pointer=self._pointer(), line=self.line, seen=seen
        )

    def _exceeded(self, code: str, unit: str, limit: int, met: int | None = None) -> LimitExceeded:
        return LimitExceeded(
            code,
            f"more than {limit} {unit}",
            path=self.path,
            pointer=self._pointer(),
            line=self.line,
            seen=limit + 1 if met is None else met,
            expected=limit,
        )
