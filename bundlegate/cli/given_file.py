"""What a person at a terminal names a file for: read whole, and never more than fits."""

from pathlib import Path

from bundles.errors import LimitExceeded
from bundles.reasons import reason

GIVEN_FILE_TOO_LARGE = reason(
    "GIVEN_FILE_TOO_LARGE",
    "A file named on the command line is larger than any that is meant there.",
    "check that it is the file you mean; split it if it really is that large",
)

LARGEST_FILE = 16 << 20
"""Bytes of a file that is read whole."""


def content_of(path: Path) -> bytes:
    """The bytes of a file, or of what a pipe holds to its end.

    Raises:
        LimitExceeded: GIVEN_FILE_TOO_LARGE; nothing beyond the limit was read.
        OSError: it cannot be read.
    """
    with path.open("rb") as opened:
        content = opened.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise LimitExceeded(
            GIVEN_FILE_TOO_LARGE, "the file is too large", path=str(path), expected=LARGEST_FILE
        )
    return content
