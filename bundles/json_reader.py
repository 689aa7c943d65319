"""Strict JSON at the interpreter's speed: what a reader could take two ways is refused.

Refused: duplicate keys, NaN and infinities, lone surrogates, integers beyond ±(2^53-1), a byte
order mark, bytes that are not UTF-8, and more depth, string or values than the limits allow. The
fast scanner decides for well-formed documents; anything else goes to `bundles.json_walk`, whose
word is final.
"""

import json
import re
from typing import Any

from bundles.errors import Refused
from bundles.json_walk import walk_json
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
_NEEDS_CARE = re.compile(rb"[0-9]{16}|[0-9][eE]")  # big integers, exponents that may overflow
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NOT_BRACKETS = bytes(set(range(256)) - set(b"{}[]"))


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
            return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            pass  # the exact reader names the fault
    return walk_json(text, limits, exact_integers=exact_integers, path=path)


def count_nodes(data: bytes) -> int:
    """An upper bound of the values in a JSON document, without parsing it."""
    return _count(_STRINGS.sub(b"", data))


def _count(bare: bytes) -> int:
    return 1 + bare.count(b",") + bare.count(b"[") + bare.count(b"{")


def _is_plain(data: bytes, limits: Limits) -> bool:
    """True when nothing in the bytes needs the exact reader: decided at C speed, no parsing."""
    if len(data) > limits.string_bytes and any(
        len(found.group()) > limits.string_bytes for found in _STRINGS.finditer(data)
    ):
        return False
    bare = _STRINGS.sub(b"", data)
    return (
        _count(bare) <= limits.document_nodes
        and not _NEEDS_CARE.search(bare)
        and not _SURROGATE.search(data)
        and _within_depth(bare, limits.depth)
    )


def _within_depth(bare: bytes, depth: int) -> bool:
    """True when brackets nest at most `depth` deep: each replacement takes one level away."""
    brackets = bare.translate(_BRACKETS, _NOT_BRACKETS)
    for _ in range(depth):
        if not brackets:
            return True
        brackets = brackets.replace(b"[]", b"")
    return not brackets


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _NotPlain
    return members


def _refuse_constant(name: str) -> Any:
    raise _NotPlain(name)
