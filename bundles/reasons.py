"""Every reason code the product can give outside checks, with its meaning and next step.

Codes of checks live with their check (`bundles.check`). `all_codes` joins both; the append-only
lock `bundles/reasons.lock` holds what was published: a code that disappears or changes its meaning
fails the build.
"""

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Reason:
    """A published reason code: what it means, and what the reader should do next."""

    code: str
    meaning: str
    next_step: str


_REASONS: dict[str, Reason] = {}


def reason(code: str, meaning: str, next_step: str) -> str:
    """Publish a reason code once and return it, for use as a module constant.

    Raises:
        ValueError: the code is already published.
    """
    if code in _REASONS:
        msg = f"reason code {code} is published twice"
        raise ValueError(msg)
    _REASONS[code] = Reason(code, meaning, next_step)
    return code


def reasons() -> MappingProxyType[str, Reason]:
    """All published reasons that are not a check's, by code."""
    return MappingProxyType(_REASONS)


def next_step(code: str) -> str:
    """What to do about a code; a pointer to the catalogue for a code published elsewhere."""
    known = _REASONS.get(code)
    return known.next_step if known else f"run `bundlegate checks {code}`, which explains it"
