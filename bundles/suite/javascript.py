"""The JavaScript rules the suite format inherits, where they differ from Python's.

The format is defined by what its reference tool does with `JSON.parse`, so blank strings, numbers
and the sorting of names follow ECMAScript; the order of keys (`bundles.key_order`) and the spelling
of numbers (`bundles.doubles`) do so in every report.
"""

import math
import re
from collections.abc import Iterable
from typing import TypeGuard

MAX_SAFE_INTEGER = 2**53 - 1

# \s of ECMAScript: U+FEFF belongs to it; U+001C to U+001F, U+0085 and U+200B do not.
SPACES = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_NOT_BLANK = re.compile(f"[^{SPACES}]")


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a parsed JSON value is a number; booleans never are."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_double(value: float) -> float:
    """The number as an IEEE 754 double, which is all a suite ever compares."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def is_finite_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a number that JSON can hold: 1e400 parses to Infinity and is none."""
    return is_number(value) and math.isfinite(as_double(value))


def is_safe_integer(value: object) -> TypeGuard[int | float]:
    """Whether a value is an integer of at most 2^53-1 in magnitude; 1.0 is one."""
    return (
        is_finite_number(value) and as_double(value).is_integer() and abs(value) <= MAX_SAFE_INTEGER
    )


def is_filled(value: object) -> TypeGuard[str]:
    """Whether a value is a string with at least one character that is not white space."""
    return isinstance(value, str) and _NOT_BLANK.search(value) is not None


def trimmed(text: str) -> str:
    """The text without the white space around it, as `String.prototype.trim` leaves it."""
    return text.strip(SPACES)


def type_name(value: object) -> str:
    """The JSON type of a value, as people call it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int | float):
        return "number"
    return "array" if isinstance(value, list | tuple) else "object"


def code_units(text: str) -> bytes:
    """Sort key that orders strings by UTF-16 code unit, as JavaScript's `sort` does."""
    return text.encode("utf-16-be", "surrogatepass")


def sorted_names(names: Iterable[str]) -> list[str]:
    """Names in the order of their UTF-16 code units."""
    listed = list(names)
    if len(listed) < 2:
        return listed
    if all(map(str.isascii, listed)):
        return sorted(listed)  # then all orders agree, and this is the common case
    return sorted(listed, key=code_units)
