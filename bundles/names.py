"""Names that two sides must spell alike: a bundle's and those of whoever registers or observes it.

One rule for all of them, so that no bundle passes its checks whose names nobody may write down
later: not as the profile of a target, not as the observer of a launcher.
"""

import re

MOST_PROFILES = 20
"""Profiles a candidate is observed under: each has a target of its own."""

MOST_INSTANCES = 8
"""Further base URLs of one deployment: each is listed to the end once."""

MOST_OBSERVERS = 20
"""Observers a bundle asks for."""

NAME_FORM = "1 to 128 letters, digits and . _ : / @ + -, beginning with a letter or digit"
"""The rule in words, for refusals and findings."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}")


def is_name(text: object) -> bool:
    """True for a text of the form `NAME_FORM`."""
    return isinstance(text, str) and _NAME.fullmatch(text) is not None
