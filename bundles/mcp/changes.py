"""The vocabulary of snapshot comparisons: kinds of changes, their verdicts and reason codes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from bundles.reasons import reason

TOOL_ADDED = reason(
    "SNAPSHOT_TOOL_ADDED",
    "A tool is in the new snapshot only.",
    "nothing: consumers of the old snapshot are not affected",
)
TOOL_REMOVED = reason(
    "SNAPSHOT_TOOL_REMOVED",
    "A tool is in the old snapshot only.",
    "keep the tool until no consumer calls it",
)
TOOL_RENAMED = reason(
    "SNAPSHOT_TOOL_RENAMED",
    "A tool is gone, and one with the same description and schemas has another name.",
    "offer it under its old name too until no consumer calls that",
)
TOOL_CHANGED = reason(
    "SNAPSHOT_TOOL_CHANGED",
    "A tool is defined differently.",
    "review the member named, and take a new snapshot when consumers can live with it",
)
ORDER_CHANGED = reason(
    "SNAPSHOT_ORDER_CHANGED",
    "The same tools are listed in another order.",
    "list tools in a fixed order, so that prompt caches of clients hold",
)
ANNOTATION_CHANGED = reason(
    "SNAPSHOT_ANNOTATION_CHANGED",
    "A tool says something else of its effects, defaults counted.",
    "verify the behaviour again: hosts ask, or do not ask, a person by it",
)
TEXT_COSMETIC = reason(
    "SNAPSHOT_TEXT_COSMETIC",
    "A text that models read changed without new instructions, addresses or names of other tools.",
    "read it once; a model may still act differently",
)
TEXT_RELEVANT = reason(
    "SNAPSHOT_TEXT_SECURITY_RELEVANT",
    "A text that models read gives new instructions, names other tools or addresses, or hides "
    "characters.",
    "have somebody review the text as if it were code",
)
HIDDEN_CHARACTERS = reason(
    "SNAPSHOT_HIDDEN_CHARACTERS",
    "A new definition holds characters a reader cannot see and a model reads.",
    "remove the characters",
)
DIALECT_CHANGED = reason(
    "SNAPSHOT_DIALECT_CHANGED",
    "A schema names another dialect of JSON Schema.",
    "nothing, unless the schema uses keywords that mean something else in it",
)
SURROUNDINGS_CHANGED = reason(
    "SNAPSHOT_SERVER_CHANGED",
    "The server speaks another revision, or declares other capabilities or extensions.",
    "run the conformance and security stages again",
)


class Compatibility(IntEnum):
    """Verdicts of a diff, mildest first."""

    IDENTICAL = 0
    COMPATIBLE = 1
    RISK = 2
    BREAKING = 3

    @property
    def word(self) -> str:
        """The verdict as it is printed."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    Attributes:
        tool: its name, the old one where it was renamed; "" for the list as a whole.
        kind: added, removed, renamed, reordered, changed, annotation, text, hidden, dialect or
            server.
        path: JSON pointer into the tool, "" for the whole tool.
        witness: what shows it, where there is something: {"old", "new"}, {"class", "why"?}, {"to"}
            or {"characters"}.
    """

    tool: str
    kind: str
    path: str
    verdict: Compatibility
    reason_code: str
    witness: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """{"tool", "kind", "path", "verdict", "reason_code", "witness"?}."""
        entry: dict[str, Any] = {
            "tool": self.tool,
            "kind": self.kind,
            "path": self.path,
            "verdict": self.verdict.word,
            "reason_code": self.reason_code,
        }
        return entry if self.witness is None else entry | {"witness": dict(self.witness)}


@dataclass(frozen=True, slots=True)
class SnapshotDiff:
    """All differences: removed and renamed, changed and added tools in name order, then the list.

    `normalised` counts tools that differ in spelling alone, by what does: "whitespace",
    "key_order", "schema_dialect", "annotation_defaults". These are no changes.
    """

    changes: tuple[Change, ...]
    normalised: Mapping[str, int] = field(default_factory=dict)

    @property
    def verdict(self) -> Compatibility:
        """The gravest of the changes."""
        return max((c.verdict for c in self.changes), default=Compatibility.IDENTICAL)

    def to_dict(self) -> dict[str, Any]:
        """{"verdict", "changes": […], "normalised": {…}}."""
        return {
            "verdict": self.verdict.word,
            "changes": [c.to_dict() for c in self.changes],
            "normalised": dict(self.normalised),
        }
