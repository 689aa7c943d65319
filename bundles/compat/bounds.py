"""How large a schema may be that is compared: what is larger is not looked at.

The engine is native code that holds the interpreter while it works; these bounds keep out what it
cannot even read, the process it runs in (`service.containment`) ends what takes too long.
"""

from typing import Any

MOST_TEXT = 512 * 1024
"""Characters of all names and texts in a schema."""

DEEPEST = 100
MOST_NODES = 20_000


def is_within(schema: Any) -> bool:
    """Whether a schema can be compared at all."""
    waiting = [(schema, 1)]
    nodes = text = 0
    while waiting:
        node, depth = waiting.pop()
        nodes += 1
        if isinstance(node, dict):
            waiting.extend((child, depth + 1) for child in node.values())
            text += sum(map(len, node))
        elif isinstance(node, list):
            waiting.extend((child, depth + 1) for child in node)
        elif isinstance(node, str):
            text += len(node)
        if depth > DEEPEST or nodes > MOST_NODES or text > MOST_TEXT:
            return False
    return True
