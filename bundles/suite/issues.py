"""What validation says about a suite, and the list it says it in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bundles.suite.javascript import as_double, is_filled, is_safe_integer, sorted_names, type_name
from bundles.suite.nearest import did_you_mean
from bundles.suite.paths import Path

_SHOWN_STRING = 32

NOT_BLANK = "a string that is not blank"
"""What most names of the format are expected to be."""


class IssueCode(StrEnum):
    """The 13 codes of version 1, and what version 2 adds to them."""

    MISSING_REQUIRED_FIELD = "MISSING_REQUIRED_FIELD"
    UNKNOWN_FIELD = "UNKNOWN_FIELD"
    UNSUPPORTED_SCHEMA_VERSION = "UNSUPPORTED_SCHEMA_VERSION"
    INVALID_TYPE = "INVALID_TYPE"
    INVALID_VALUE = "INVALID_VALUE"
    INVALID_JSON_VALUE = "INVALID_JSON_VALUE"
    INVALID_TIMEOUT = "INVALID_TIMEOUT"
    DUPLICATE_CASE_ID = "DUPLICATE_CASE_ID"
    EMPTY_CASES = "EMPTY_CASES"
    EMPTY_ASSERTIONS = "EMPTY_ASSERTIONS"
    INCOMPATIBLE_ASSERTION = "INCOMPATIBLE_ASSERTION"
    UNSUPPORTED_SCHEMA_KEYWORD = "UNSUPPORTED_SCHEMA_KEYWORD"
    SCHEMA_KEYWORD_REQUIRES_TYPE = "SCHEMA_KEYWORD_REQUIRES_TYPE"
    INVALID_SCHEMA = "INVALID_SCHEMA"
    UNDEFINED_VARIABLE = "UNDEFINED_VARIABLE"


ONLY_IN_VERSION_2 = frozenset((IssueCode.INVALID_SCHEMA, IssueCode.UNDEFINED_VARIABLE))
"""The codes that no issue of a version-1 suite has."""


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that is wrong with a suite document.

    Attributes:
        code: what kind of fault it is.
        path: where, as `cases[0].assertions[1].schema.properties.a`; "$" for the whole document.
        message: one sentence for a person, with what would have been accepted.
    """

    code: IssueCode
    path: str
    message: str

    def to_dict(self) -> dict[str, str]:
        """{"code", "path", "message"}."""
        return {"code": self.code.value, "path": self.path, "message": self.message}


class Issues:
    """The issues of one validation, in the order they are found."""

    def __init__(self) -> None:
        self.found: list[Issue] = []

    def add(self, code: IssueCode, path: Path, message: str) -> None:
        """Record an issue."""
        self.found.append(Issue(code, str(path), message))

    def missing(self, path: Path, expects: str) -> None:
        """A required member is absent."""
        self.add(IssueCode.MISSING_REQUIRED_FIELD, path, f"required; expects {expects}")

    def wrong_type(self, path: Path, expects: str, value: object) -> None:
        """A member has the wrong JSON type."""
        self.add(IssueCode.INVALID_TYPE, path, f"expects {expects}, got {type_name(value)}")

    def wrong_value(self, path: Path, expects: str, value: object) -> None:
        """A member has the right type and a value outside the format."""
        self.add(IssueCode.INVALID_VALUE, path, f"expects {expects}, got {_shown(value)}")

    def filled(self, path: Path, expects: str, value: object) -> None:
        """Unless the value is a string that is not blank, say so."""
        if not isinstance(value, str):
            self.wrong_type(path, expects, value)
        elif not is_filled(value):
            self.wrong_value(path, expects, value)

    def required_name(self, owner: Mapping[str, Any], name: str, path: Path, expects: str) -> None:
        """A member that must be there and must be a string that is not blank."""
        if name not in owner:
            self.missing(path.field(name), expects)
        elif not is_filled(owner[name]):
            self.filled(path.field(name), expects, owner[name])

    def wrong_choice(self, path: Path, known: Sequence[str], value: object) -> None:
        """A member has none of the values it may have."""
        expects = f"{' or '.join(known)}, got {_shown(value)}{did_you_mean(value, known)}"
        self.add(IssueCode.INVALID_VALUE, path, f"expects {expects}")

    def unknown(self, owner: Mapping[str, Any], names: Sequence[str], path: Path) -> None:
        """Every member that the format does not have, sorted by name."""
        for name in sorted_names(key for key in owner if key not in names):
            self.add(
                IssueCode.UNKNOWN_FIELD,
                path.field(name),
                f"not a field here{did_you_mean(name, names)}; this place takes {', '.join(names)}",
            )


def _shown(value: object) -> str:
    if isinstance(value, str):
        return repr(value) if len(value) <= _SHOWN_STRING else "a long string"
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_safe_integer(value):
        return str(value)
    return str(as_double(value)) if isinstance(value, int | float) else type_name(value)
