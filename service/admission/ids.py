"""Ids: UUIDv7 made here, with a typed prefix outside ("cand_0198…": prefix and 32 hex digits)."""

import re

from uuid_utils import uuid7

CANDIDATE = "cand"
RUN = "run"
EVIDENCE = "ev"
DECISION = "dec"
TOKEN = "tok"  # noqa: S105 - a prefix, not a password
TRANSITION = "tran"
TRANSCRIPT = "tx"
BUNDLE = "bun"
FINDING = "find"
AUDIT = "aud"
POLICY = "pol"

_HEX = re.compile(r"[0-9a-f]{32}")


def new_id(prefix: str) -> str:
    """A fresh id. Ids of one process sort in the order they were made."""
    return f"{prefix}_{uuid7().hex}"


def is_id(prefix: str, text: str) -> bool:
    """True when `text` is an id of this kind in its one spelling."""
    head, _, tail = text.partition("_")
    return head == prefix and _HEX.fullmatch(tail) is not None
