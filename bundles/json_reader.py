"""Strict JSON at the interpreter's speed: what a reader could take two ways is refused.

Refused: duplicate keys, NaN and infinities, lone surrogates, integers beyond ±(2^53-1), a byte
order mark, bytes that are not UTF-8, and more depth, string or values than the limits allow. The
fast scanner decides for well-formed documents; anything else goes to `bundles.json_walk`, whose
word is final.
"""

import json
import re
from math import isinf
from typing import Any

from bundles.errors import LimitExceeded, Refused
from bundles.json_walk import JSON_TOO_MANY_NODES, walk_json
from bundles.limits import DEFAULT_LIMITS, Limits
from bundles.reasons import reason

TEXT_NOT_UTF8 = reason(
    "TEXT_NOT_UTF8",
    "A text document holds bytes that are not UTF-8.",
    "Save the file as UTF-8.",
)
TEXT_BYTE_ORDER_MARK = reason(
    "TEXT_BYTE_ORDER_MARK",
    "A text document starts with a byte order mark.",
    "Save the file as UTF-8 without a byte order mark.",
)

_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_STRINGS = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_EMPTY = re.compile(rb"\[[ \t\r\n]*\]|\{[ \t\r\n]*\}")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_SAFE_DIGITS = 15  # an integer of so many digits, sign included, is always exact


class _NotPlain(ValueError):
    """The fast scanner met something only the exact one can judge."""


def decode_text(data: bytes, path: str = "") -> str:
    """UTF-8 text without a byte order mark.

    Raises:
        Refused: TEXT_BYTE_ORDER_MARK or TEXT_NOT_UTF8, with the line of the first bad byte.
    """
    if data.startswith(_BOMS):
        raise Refused(TEXT_BYTE_ORDER_MARK, "starts with a byte order mark", path=path, line=1)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(
            TEXT_NOT_UTF8,
            f"byte {error.start} is not UTF-8",
            path=path,
            line=data.count(b"\n", 0, error.start) + 1,
            seen=data[error.start : error.start + 1].hex(),
        ) from None


def read_json(
    data: bytes,
    *,
    limits: Limits = DEFAULT_LIMITS,
    exact_integers: bool = True,
    path: str = "",
) -> Any:
    """Parse one strict JSON document.

    Args:
        data: the bytes; UTF-8 without a byte order mark.
        limits: depth, string and node bounds.
        exact_integers: refuse integers beyond ±(2^53-1); needed wherever a canonical form is.
        path: file name for refusals.

    Raises:
        Refused: JSON_SYNTAX, JSON_DUPLICATE_KEY, JSON_NOT_FINITE, JSON_INTEGER_RANGE,
            JSON_LONE_SURROGATE, TEXT_NOT_UTF8 or TEXT_BYTE_ORDER_MARK.
        LimitExceeded: JSON_TOO_DEEP, JSON_STRING_TOO_LONG or JSON_TOO_MANY_NODES.
    """
    text = decode_text(data, path)
    if _is_plain(data, limits):
        try:
            value = json.loads(
                text,
                object_pairs_hook=_unique,
                parse_constant=_refuse_constant,
                parse_int=_exact if exact_integers else None,
                parse_float=_finite,
            )
        except (ValueError, RecursionError):
            pass  # the exact reader names the fault
        else:
            if _within_depth(value, limits.depth):
                return value
    if data.count(b",") >= limits.document_nodes:
        _refuse_crowd(data, limits, path)
    return walk_json(text, limits, exact_integers=exact_integers, path=path)


def count_nodes(data: bytes, enough: int) -> int:
    """An upper bound of the values in a JSON document, without parsing it.

    Cheap bounds are given when they are at most `enough`: every value takes two bytes; then commas
    and brackets are counted, first those in strings too. The last bound is exact: a container adds
    a value to those its commas part, unless it is empty.
    """
    cheap = len(data) // 2 + 1
    if cheap > enough:
        cheap = _count(data)
    if cheap <= enough:
        return cheap
    bare = _STRINGS.sub(b"0", data)  # a character in its place, so that ["a"] is not taken as empty
    return _count(bare) - sum(1 for _ in _EMPTY.finditer(bare))


def _count(data: bytes) -> int:
    return 1 + data.count(b",") + data.count(b"[") + data.count(b"{")


def _refuse_crowd(data: bytes, limits: Limits, path: str) -> None:
    """Refuse a document that certainly holds too many values, without reading them: each comma
    outside of strings stands between two.
    """
    certain = _STRINGS.sub(b"", data).count(b",") + 1
    if certain > limits.document_nodes:
        raise LimitExceeded(
            JSON_TOO_MANY_NODES,
            f"more than {limits.document_nodes} values",
            path=path,
            line=1,
            seen=certain,
            expected=limits.document_nodes,
        )


def _is_plain(data: bytes, limits: Limits) -> bool:
    """True when the fast scanner may have the bytes: nothing in them could slip past its hooks,
    and what it builds stays within bounds.
    """
    if b"\\u" in data and _SURROGATE.search(data):
        return False
    if len(data) > limits.string_bytes and any(
        len(found.group()) > limits.string_bytes for found in _STRINGS.finditer(data)
    ):
        return False
    return count_nodes(data, limits.document_nodes) <= limits.document_nodes


def _within_depth(value: Any, depth: int) -> bool:
    """True when containers nest at most `depth` deep, judged level by level."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(depth):
        if not level:
            return True
        level = [
            child
            for container in level
            for child in (container.values() if type(container) is dict else container)
            if type(child) is dict or type(child) is list
        ]
    return not level


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _NotPlain
    return members


def _exact(digits: str) -> int:
    if len(digits) > _SAFE_DIGITS:
        raise _NotPlain  # it may still be exact: the exact reader decides
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise _NotPlain
    return number


def _refuse_constant(name: str) -> Any:
    raise _NotPlain(name)
