"""Names as parts of case ids: lower-case ASCII letters, digits and hyphens."""

import re
import unicodedata
from hashlib import sha256

_LONGEST = 80
_MARKS = re.compile("[\u0300-\u036f]")
_OTHER = re.compile("[^a-z0-9]+")
_RESERVED = re.compile("(con|prn|aux|nul|com[1-9]|lpt[1-9])")


def tool_slug(name: str) -> str:
    """The slug of a tool's name, which may also become a file's name.

    A name without a letter or digit, or one that Windows reserves, is `tool-` and eight hexadecimal
    digits.
    """
    slug = _slug(name)
    return slug if slug and not _RESERVED.fullmatch(slug) else f"tool-{_digest(name)}"


def field_slug(name: str) -> str:
    """The slug of a field's name or path; `field-` and a digest where nothing of it is left."""
    return _slug(name) or f"field-{_digest(name)}"


class Ids:
    """Names given out once: the second `a` is `a-2`."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def unique(self, wanted: str) -> str:
        """The name wanted, or the first of `-2`, `-3`… that is free."""
        name, occurrence = wanted, 2
        while name in self._used:
            name, occurrence = f"{wanted}-{occurrence}", occurrence + 1
        self._used.add(name)
        return name


def _slug(name: str) -> str:
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", name)).lower()
    return _OTHER.sub("-", plain).strip("-")[:_LONGEST].rstrip("-")


def _digest(name: str) -> str:
    normal = unicodedata.normalize("NFC", name)
    return sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()[:8]
