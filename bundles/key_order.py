"""The order in which JavaScript goes over the members of an object, and writes them as JSON."""

import re
from collections.abc import Mapping
from typing import Any

_ARRAY_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_MAX_ARRAY_INDEX = 2**32 - 2


def key_order(mapping: Mapping[str, Any]) -> list[str]:
    """Keys in JavaScript's order: array indices first, ascending; then as written."""
    keys = list(mapping)
    if not any(key[:1].isdigit() for key in keys):
        return keys
    indices = [key for key in keys if _is_array_index(key)]
    if not indices:
        return keys
    chosen = set(indices)
    return sorted(indices, key=int) + [key for key in keys if key not in chosen]


def _is_array_index(key: str) -> bool:
    return _ARRAY_INDEX.fullmatch(key) is not None and int(key) <= _MAX_ARRAY_INDEX
