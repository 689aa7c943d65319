"""How a double is written in JSON: as `JSON.stringify` and RFC 8785 write it."""

import math

_WHOLE = 2**53  # below this every whole double is written as the integer it is
_SMALLEST_POINT, _LARGEST_POINT = -6, 21  # beyond these, Number::toString writes an exponent


def number_text(value: float) -> str:
    """The shortest digits that mean the number: 0.1, 100, 1e+21, 1e-7; -0 is 0.

    Infinity and NaN, which JSON cannot hold, are null.
    """
    try:
        number = float(value)
    except OverflowError:
        return "null"
    if not math.isfinite(number):
        return "null"
    if abs(number) < _WHOLE and number.is_integer():
        return str(int(number))
    digits, point = _digits(repr(abs(number)))
    if not _SMALLEST_POINT < point <= _LARGEST_POINT:
        fraction = f".{digits[1:]}" if digits[1:] else ""
        written = f"{digits[0]}{fraction}e{point - 1:+d}"
    elif point <= 0:
        written = f"0.{'0' * -point}{digits}"
    elif point >= len(digits):
        written = digits.ljust(point, "0")
    else:
        written = f"{digits[:point]}.{digits[point:]}"
    return f"-{written}" if number < 0 else written


def _digits(text: str) -> tuple[str, int]:
    """The digits that count of Python's spelling, and how many stand before the point."""
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    zeros = len(whole + fraction) - len(digits)
    return digits.rstrip("0"), len(whole) + int(exponent or 0) - zeros
