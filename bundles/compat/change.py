"""What a diff says: changes with their verdicts, places, reasons and witnesses."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

from bundles.compat.verdict import NOTHING


class Compatibility(IntEnum):
    """Verdicts of a diff, mildest first."""

    IDENTICAL = 0
    COMPATIBLE = 1
    RISK = 2
    CONDITIONAL = 3
    BREAKING = 4

    @property
    def word(self) -> str:
        """The verdict as it is printed."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    Attributes:
        tool: its name, the old one where it was renamed; "" for what is no tool's.
        kind: what happened: added, removed, renamed, narrowed, widened, required-added, ….
        path: JSON pointer into the tool (or the snapshot, or the bundle's file), "" for the whole.
        rule: id of the rule that says so (`bundles.compat.rule`).
        witness: what shows it; NOTHING without one. Of a schema: a value that one side allows and
            the other refuses. Else {"old", "new"}, {"class", "why"?}, {"to"}, {"missing"} or
            {"characters"}.
        direction: "backward" of inputs, "forward" of outputs, "" of what is neither.
        old_pointer, new_pointer: the place on either side; None where that side has none.
        overridden: {"verdict", "reason"}: what the rule says by itself, and why a policy decided
            otherwise.
        profile, file: in a diff of bundles, where the change is; "" elsewhere.
    """

    tool: str
    kind: str
    path: str
    verdict: Compatibility
    reason_code: str
    rule: str
    witness: Any = NOTHING
    direction: str = ""
    old_pointer: str | None = None
    new_pointer: str | None = None
    overridden: Mapping[str, str] | None = None
    profile: str = ""
    file: str = ""

    def to_dict(self) -> dict[str, Any]:
        """{"tool", "kind", "path", "verdict", "reason_code", "witness"?, "rule", "direction"?,
        "old_pointer"?, "new_pointer"?, "overridden"?, "profile"?, "file"?}.
        """
        entry: dict[str, Any] = {
            "tool": self.tool,
            "kind": self.kind,
            "path": self.path,
            "verdict": self.verdict.word,
            "reason_code": self.reason_code,
        }
        if self.witness is not NOTHING:
            entry["witness"] = self.witness
        entry["rule"] = self.rule
        for name in ("direction", "profile", "file"):
            if said := getattr(self, name):
                entry[name] = said
        for name in ("old_pointer", "new_pointer"):
            if (pointer := getattr(self, name)) is not None:
                entry[name] = pointer
        return entry if self.overridden is None else entry | {"overridden": dict(self.overridden)}


def worst(changes: "tuple[Change, ...]") -> Compatibility:
    """The gravest of some changes."""
    return max((c.verdict for c in changes), default=Compatibility.IDENTICAL)


@dataclass(frozen=True, slots=True)
class Diff:
    """All differences, in the order they were found: lists, then tools by name, then the server.

    `normalised` counts tools that differ in spelling alone, by what does: "whitespace",
    "key_order", "schema_dialect", "annotation_defaults". These are no changes.
    """

    changes: tuple[Change, ...]
    normalised: Mapping[str, int] = field(default_factory=dict)

    @property
    def verdict(self) -> Compatibility:
        """The gravest of the changes."""
        return worst(self.changes)

    @property
    def by_tool(self) -> dict[str, Compatibility]:
        """One verdict for each tool that changed, in name order; of a bundle, over its profiles."""
        names = sorted({change.tool for change in self.changes} - {""})
        return {n: worst(tuple(c for c in self.changes if c.tool == n)) for n in names}

    def to_dict(self) -> dict[str, Any]:
        """{"verdict", "changes": […], "tools": {name: verdict}, "normalised": {…}}."""
        return {
            "verdict": self.verdict.word,
            "changes": [c.to_dict() for c in self.changes],
            "tools": {name: verdict.word for name, verdict in self.by_tool.items()},
            "normalised": dict(self.normalised),
        }

    def located(self, **where: str) -> "Diff":
        """The same with a `profile` or a `file` on every change."""
        return replace(self, changes=tuple(replace(c, **where) for c in self.changes))  # type: ignore[arg-type] # texts alone
