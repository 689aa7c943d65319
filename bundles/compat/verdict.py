"""The verdicts of compatibility, mildest first, and why a pair of schemas got its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bundles.reasons import reason

CONTAINED = reason(
    "SCHEMA_CONTAINED",
    "Every value the writing side may produce is accepted by the reading side.",
    "nothing",
)
INPUT_NARROWED = reason(
    "INPUT_NARROWED",
    "A value that callers may send today is refused by the new schema.",
    "accept it again, or release the change under a new name",
)
OUTPUT_WIDENED = reason(
    "OUTPUT_WIDENED",
    "The new schema allows a value that today's readers refuse.",
    "keep to what the old schema allows, or release the change under a new name",
)
FORMAT_DECIDES = reason(
    "FORMAT_DECIDES",
    "The answer depends on whether `format` is checked or is a remark.",
    "say the rule with a pattern, or keep the format",
)
DIALECT_DECIDES = reason(
    "DIALECT_DECIDES",
    "The answer depends on the dialect of JSON Schema, and the schema does not name its own.",
    "name the dialect in $schema",
)
UNDECIDED = reason(
    "UNDECIDED",
    "Neither a proof nor a counterexample was found.",
    "simplify the change, or have it reviewed and say so in the policy",
)
BUDGET_EXCEEDED = reason(
    "BUDGET_EXCEEDED",
    "Comparing the two schemas takes more time or memory than a comparison may.",
    "make the schemas smaller: fewer alternatives of alternatives, less nesting",
)
SCHEMA_UNUSABLE = reason(
    "SCHEMA_UNUSABLE",
    "A schema cannot be compared: it is invalid, or refers to what is not in it.",
    "correct the schema; `bundlegate bundle lint` says where",
)


class Direction(StrEnum):
    """Who must understand whom.

    BACKWARD: the new schema reads what the old one's writers write (inputs). FORWARD: the old
    schema reads what the new one's writers write (outputs, errors).
    """

    BACKWARD = "backward"
    FORWARD = "forward"


class ContentModel(StrEnum):
    """OPEN: undeclared members count. CLOSED: a writer writes what it declares."""

    OPEN = "open"
    CLOSED = "closed"


class Word(StrEnum):
    """Verdict on one pair of schemas."""

    COMPATIBLE = "compatible"
    CONDITIONAL = "conditional"
    BREAKING = "breaking"


class _Nothing:
    """No witness: `null` is a value, and can be one."""


NOTHING = _Nothing()


@dataclass(frozen=True, slots=True)
class Answer:
    """Verdict on one pair.

    Attributes:
        witness: a value the writing side allows and the reading side refuses; NOTHING without one.
            Every BREAKING has one.
    """

    word: Word
    reason_code: str
    witness: Any = NOTHING

    def to_dict(self) -> dict[str, Any]:
        """{"verdict", "reason_code", "witness"?}."""
        entry: dict[str, Any] = {"verdict": self.word.value, "reason_code": self.reason_code}
        return entry if self.witness is NOTHING else entry | {"witness": self.witness}

    @staticmethod
    def from_dict(entry: Mapping[str, Any]) -> "Answer":
        """The answer behind `to_dict`."""
        witness = entry.get("witness", NOTHING)
        return Answer(Word(entry["verdict"]), entry["reason_code"], witness)
