"""The coverage policy of a bundle: what its verification has to cover, beyond each check passing.

The document names under `suites` what is asked of the suites together, and beside it which
combinations of conditions are to be run:

    suites:
      contract_axes: {minimum: 0.8}    # of what the tools declare of their inputs, 0 < minimum <= 1
      determinism: required            # the suites are run twice and have to come out the same
    protocol_core: all_supported_bindings
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from bundles.json_walk import escape_pointer

ROOT_KEY = "coverage_policy"
"""A document may hold its policy under this one name, as the manifest does under its own."""

COMBINATIONS: Mapping[str, tuple[str, ...]] = {
    "protocol_core": ("all_supported_bindings",),
    "destructive_operations": ("exhaustive_security_matrix",),
    "read_only_operations": ("pairwise_plus_boundaries",),
    "prior_incidents": ("always",),
    "deprecated_versions": ("production_consumers_only",),
}
"""The rules about combinations, and the values each may have."""

REQUIRED = "required"


@dataclass(frozen=True, slots=True)
class CoveragePolicy:
    """What a bundle asks of its verification.

    Attributes:
        axes_minimum: least ratio of contract axes that the suites cover; None: none is asked for.
        determinism: whether the suites have to come out the same twice.
        combinations: rule → value, of those about combinations that are stated.
    """

    axes_minimum: float | None = None
    determinism: bool = False
    combinations: Mapping[str, str] = field(default_factory=dict)

    def of_suites(self) -> dict[str, Any]:
        """What is asked of the suites, in the document's own words; {} where nothing is."""
        asked: dict[str, Any] = {}
        if self.axes_minimum is not None:
            asked["contract_axes"] = {"minimum": self.axes_minimum}
        if self.determinism:
            asked["determinism"] = REQUIRED
        return asked


@dataclass(frozen=True, slots=True)
class PolicyIssue:
    """One thing wrong with a coverage policy, at a JSON pointer of its document."""

    pointer: str
    message: str
    seen: Any = None
    expected: Any = None


def read_coverage_policy(document: object) -> tuple[CoveragePolicy, tuple[PolicyIssue, ...]]:
    """The policy of a document and everything wrong with it; what is wrong asks for nothing."""
    reader = _Reader()
    policy = reader.read(document)
    return policy, tuple(reader.issues)


class _Reader:
    def __init__(self) -> None:
        self.issues: list[PolicyIssue] = []

    def read(self, document: object) -> CoveragePolicy:
        at = ""
        if isinstance(document, dict) and ROOT_KEY in document:
            self._members(document, (ROOT_KEY,), "")
            document, at = document[ROOT_KEY], f"/{ROOT_KEY}"
        members = self._members(document, ("suites", *COMBINATIONS), at)
        suites_at = f"{at}/suites"
        known = ("contract_axes", "determinism")
        suites = self._members(members["suites"], known, suites_at) if "suites" in members else {}
        return CoveragePolicy(
            self._minimum(suites, suites_at),
            self._one_of(suites, "determinism", (REQUIRED,), suites_at) == REQUIRED,
            dict(self._combinations(members, at)),
        )

    def _minimum(self, suites: Mapping[str, Any], at: str) -> float | None:
        if "contract_axes" not in suites:
            return None
        at = f"{at}/contract_axes"
        before = len(self.issues)
        axes = self._members(suites["contract_axes"], ("minimum",), at)
        if "minimum" not in axes:
            if len(self.issues) == before:
                self._issue(at, "contract_axes states no minimum", None, ["minimum"])
            return None
        minimum = axes["minimum"]
        if isinstance(minimum, int | float) and not isinstance(minimum, bool) and 0 < minimum <= 1:
            return float(minimum)
        self._issue(f"{at}/minimum", "minimum is no ratio", minimum, "a number above 0, at most 1")
        return None

    def _combinations(self, members: Mapping[str, Any], at: str) -> Iterator[tuple[str, str]]:
        for rule, values in COMBINATIONS.items():
            value = self._one_of(members, rule, values, at)
            if value is not None:
                yield rule, value

    def _one_of(
        self, members: Mapping[str, Any], key: str, values: tuple[str, ...], at: str
    ) -> str | None:
        if key not in members:
            return None
        value = members[key]
        if isinstance(value, str) and value in values:
            return value
        self._issue(f"{at}/{key}", f"{key} has no value that is known", value, list(values))
        return None

    def _members(self, stated: object, known: tuple[str, ...], at: str) -> Mapping[str, Any]:
        if not isinstance(stated, dict):
            self._issue(at, "expected a mapping", stated, list(known))
            return {}
        for key in stated:
            if key not in known:
                near = get_close_matches(key[:80], known, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                pointer = f"{at}/{escape_pointer(key)}"
                self._issue(pointer, f"unknown key {key[:80]!r}{hint}", key, near or list(known))
        return stated

    def _issue(self, pointer: str, message: str, seen: object, expected: object) -> None:
        self.issues.append(PolicyIssue(pointer, message, _shown(seen), expected))


def _shown(value: object) -> Any:
    """A value as findings show it: scalars cut, collections by kind."""
    if isinstance(value, str):
        return value[:100]
    if value is None or isinstance(value, bool | int | float):
        return value
    return "a mapping" if isinstance(value, dict) else "a list"
