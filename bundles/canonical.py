"""Canonical JSON (RFC 8785) and the semantic digest made of it.

The semantic digest is for documents whose formatting is meaningless: tool definitions, tool lists,
plans, policies. Stored files and artifacts have a raw-byte digest instead (`bundles.digest`), and
the two are never mixed.
"""

import hashlib
from dataclasses import replace
from typing import Any

import rfc8785

from bundles.errors import Refused
from bundles.json_reader import read_json
from bundles.limits import DEFAULT_LIMITS
from bundles.reasons import reason

CANONICAL_FORM_IMPOSSIBLE = reason(
    "CANONICAL_FORM_IMPOSSIBLE",
    "The value has no RFC 8785 form: not JSON, a non-finite number, an integer beyond ±(2^53-1), "
    "a lone surrogate, or endless nesting.",
    "Use JSON values only, and strings for large integers.",
)


def parse_json(
    data: bytes,
    *,
    max_depth: int = DEFAULT_LIMITS.depth,
    max_string: int = DEFAULT_LIMITS.string_bytes,
    exact_integers: bool = True,
    path: str = "",
) -> Any:
    """Parse one strict JSON document; see `bundles.json_reader.read_json` for what is refused."""
    limits = replace(DEFAULT_LIMITS, depth=max_depth, string_bytes=max_string)
    return read_json(data, limits=limits, exact_integers=exact_integers, path=path)


def canonical_bytes(value: Any) -> bytes:
    """The RFC 8785 bytes of a plain JSON value.

    Raises:
        Refused: CANONICAL_FORM_IMPOSSIBLE.
    """
    try:
        return rfc8785.dumps(value)
    except (ValueError, TypeError, RecursionError) as error:
        # a lone surrogate in a key escapes the library's own error class
        raise Refused(CANONICAL_FORM_IMPOSSIBLE, str(error)[:200]) from error


def semantic_digest(value: Any) -> str:
    """The "sha256:<64 hex>" over the canonical bytes of a plain JSON value.

    Raises:
        Refused: CANONICAL_FORM_IMPOSSIBLE.
    """
    return "sha256:" + hashlib.sha256(canonical_bytes(value)).hexdigest()
