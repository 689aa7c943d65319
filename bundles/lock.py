"""The append-only record of published reason codes: what each means, as plain text in the tree.

`reasons.lock` holds one JSON object a line, sorted by code: {"code", "meaning", "next_step"}. It
covers every package of the product, so the catalogue is whole in each process. After adding a
code, `python -m bundlegate.lock` writes it down; a published code never goes away and never
changes its meaning, for pipelines branch on it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

LOCK_FILE = "reasons.lock"


@dataclass(frozen=True, slots=True)
class Published:
    """A published reason code."""

    code: str
    meaning: str
    next_step: str


@cache
def published() -> Mapping[str, Published]:
    """Every published reason code, in code order."""
    return read_lock(files("bundles").joinpath(LOCK_FILE).read_text(encoding="utf-8"))


def read_lock(text: str) -> dict[str, Published]:
    """The codes of a lock file's text."""
    entries = (Published(**json.loads(line)) for line in text.splitlines())
    return {entry.code: entry for entry in entries}


def write_lock(codes: Mapping[str, Published]) -> str:
    """A lock file's text: one line a code, sorted, so that two branches merge."""
    lines = (
        json.dumps(
            {"code": e.code, "meaning": e.meaning, "next_step": e.next_step}, ensure_ascii=False
        )
        for _, e in sorted(codes.items())
    )
    return "".join(f"{line}\n" for line in lines)


def broken_promises(
    before: Mapping[str, Published], now: Mapping[str, Published]
) -> tuple[str, ...]:
    """What a change would break: codes that disappeared or mean something else."""
    return tuple(
        f"{code} has disappeared" if code not in now else f"{code} has changed its meaning"
        for code, entry in before.items()
        if code not in now or now[code].meaning != entry.meaning
    )
