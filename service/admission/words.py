"""The form of names and sentences that come from outside and are stored as text."""

import re

from bundles.errors import Invalid
from service.admission.refusals import FILTER_INVALID, NAME_INVALID

_LONGEST_FILTER = 256
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}")


def name(text: str, what: str, pointer: str, *, code: str = NAME_INVALID) -> str:
    """A name of 1 to 128 letters, digits and . _ : / @ + -, beginning with a letter or digit.

    Raises:
        Invalid: `code`.
    """
    if _NAME.fullmatch(text) is None:
        raise Invalid(
            code,
            f"{what} is not a name",
            pointer=pointer,
            seen=text[:200],
            expected="1 to 128 letters, digits and . _ : / @ + -",
        )
    return text


def storable(text: str) -> bool:
    """True for text a database can hold: no NUL, no half surrogates. Other text matches nothing."""
    try:
        return b"\0" not in text.encode("utf-8")
    except UnicodeEncodeError:
        return False


def check_filters(**filters: str | None) -> None:
    """Let filters of a list pass that could match something.

    Raises:
        Invalid: FILTER_INVALID.
    """
    for given, text in filters.items():
        if text is not None and not (storable(text) and 0 < len(text) <= _LONGEST_FILTER):
            raise Invalid(
                FILTER_INVALID,
                f"the filter {given} matches nothing that can be stored",
                path="query",
                pointer=f"/{given}",
                seen=ascii(text[:50]),
                expected=f"1 to {_LONGEST_FILTER} characters, no NUL",
            )


def sentence(text: str, longest: int) -> str:
    """Words as every database stores them: no NUL, no half surrogates, cut at `longest`."""
    whole = (
        text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
    )
    return whole if len(whole) <= longest else whole[: longest - 1] + "…"
