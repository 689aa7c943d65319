"""Patterns of personal data in fixtures: what must be invented, and must look so.

Addresses in reserved domains (RFC 2606, RFC 6761) and numbers that fail their checksum are taken
as invented.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Personal:
    """Something that looks like personal data: what kind, and where; never its text."""

    kind: str
    line: int


_EMAIL = re.compile(
    rb"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9._%+\-]{1,64}@((?:[A-Za-z0-9\-]{1,63}\.)+[A-Za-z]{2,24})\b"
)
_RESERVED = re.compile(
    rb"(?i)(?:.*\.)?(?:example\.(?:com|net|org)|(?:.*\.)?(?:example|test|invalid|localhost|local))"
)
_CARD = re.compile(rb"(?<![\w.\-])[3-6](?:[ \-]?[0-9]){12,18}(?![\w.\-])")
_IBAN = re.compile(rb"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_SSN = re.compile(rb"(?<![\w\-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![\w\-])")
_RRN = re.compile(
    rb"(?<![\w\-])[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])-[1-8][0-9]{6}(?![\w\-])"
)
_PHONE = re.compile(rb"(?<![\w.+])\+[1-9](?:[ \-]?\(?[0-9]\)?){8,13}(?![\w.])")
_FICTION = re.compile(rb"555-?01[0-9]{2}")  # numbers kept for fiction in North America


def scan_text(content: bytes) -> Iterator[Personal]:
    """What looks like personal data, in order of kind and place."""
    rules = _NUMBERS if _MANY_DIGITS.search(content) else ()
    for kind, pattern, holds in (*(_ADDRESSES if b"@" in content else ()), *rules):
        line, counted = 1, 0
        for found in pattern.finditer(content):
            line += content.count(b"\n", counted, found.start())
            counted = found.start()
            if holds(found):
                yield Personal(kind, line)


def _always(found: re.Match[bytes]) -> bool:
    return bool(found)


def _is_real_address(found: re.Match[bytes]) -> bool:
    return _RESERVED.fullmatch(found.group(1)) is None


def _is_phone(found: re.Match[bytes]) -> bool:
    return _FICTION.search(found.group().replace(b" ", b"-")) is None


def _is_card(found: re.Match[bytes]) -> bool:
    """Luhn's checksum."""
    digits = [int(chr(c)) for c in found.group() if chr(c).isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 2


def _is_iban(found: re.Match[bytes]) -> bool:
    """ISO 7064 MOD 97-10."""
    text = found.group().replace(b" ", b"").decode("ascii")
    moved = text[4:] + text[:4]
    return 15 <= len(text) <= 34 and int("".join(str(int(c, 36)) for c in moved)) % 97 == 1


_MANY_DIGITS = re.compile(rb"[0-9][0-9 \-]{6,}[0-9]")  # what all of the numbers have in common
_ADDRESSES = (("e-mail address", _EMAIL, _is_real_address),)
_NUMBERS = (
    ("payment card number", _CARD, _is_card),
    ("bank account number", _IBAN, _is_iban),
    ("US social security number", _SSN, _always),
    ("Korean resident registration number", _RRN, _always),
    ("telephone number", _PHONE, _is_phone),
)
