"""How large a schema may be that is compared: what is larger is not looked at.

The engine is native code that holds the interpreter while it works; these bounds keep out what it
cannot even read, the process it runs in (`service.containment`) ends what takes too long.
"""

from typing import Any

from bundles.canonical import canonical_bytes
from bundles.errors import Refused

MOST_BYTES = 512 * 1024
DEEPEST = 100
MOST_NODES = 20_000


def is_within(schema: Any) -> bool:
    """Whether a schema can be compared at all."""
    waiting = [(schema, 1)]
    nodes = 0
    while waiting:
        node, depth = waiting.pop()
        nodes += 1
        if depth > DEEPEST or nodes > MOST_NODES:
            return False
        if isinstance(node, dict):
            waiting.extend((child, depth + 1) for child in node.values())
        elif isinstance(node, list):
            waiting.extend((child, depth + 1) for child in node)
    try:
        return len(canonical_bytes(schema)) <= MOST_BYTES
    except Refused:  # it holds what JSON cannot carry
        return False
