"""What the parts of the generator share about one tool: its root schema, the policy, the bounds.

Schemas come from servers that nobody has checked yet, so following one is bounded: references and
branches can multiply, and a length can ask for more memory than there is.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from bundles.suite.generate.refusals import too_large

Schema = Mapping[str, Any]

DEEPEST = 100
"""Levels a schema, with its references followed, may be nested."""
MOST_NODES = 50_000
"""Nodes of one tool's schemas that are looked at."""
LONGEST_TEXT = 65_536
"""Characters of one generated string."""
MOST_ITEMS = 1_000
"""Elements of one generated array."""


class Policy(StrEnum):
    """Which cases are generated.

    `V2` is what the tool the format comes from could be run with. `V3` adds its newer rules:
    bounds apart, undeclared fields, valid branches, nested fields, output contracts, fixtures,
    patterns, local references and alternatives.
    """

    V2 = "schema-baseline-v2"
    V3 = "schema-baseline-v3"


class Scope:
    """The root schema that local references start from, and what is left of the budget."""

    def __init__(self, root: Schema, policy: Policy) -> None:
        self.root = root
        self.policy = policy
        self._left = MOST_NODES

    @property
    def newer(self) -> bool:
        """Whether the newer rules apply."""
        return self.policy is Policy.V3

    def enter(self, path: str, depth: int) -> None:
        """Count one node.

        Raises:
            TooLarge: it is nested too deep, or too many have been looked at.
        """
        self._left -= 1
        if depth > DEEPEST:
            too_large(path, f"the schema is nested deeper than {DEEPEST} levels")
        if self._left < 0:
            too_large(path, f"following the schema takes more than {MOST_NODES} steps")
