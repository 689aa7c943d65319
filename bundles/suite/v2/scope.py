"""What is known at a place of a suite while it is validated: ids taken, and variables set."""

from collections.abc import Collection, Mapping
from typing import Any

from bundles.suite.issues import IssueCode, Issues
from bundles.suite.javascript import is_filled
from bundles.suite.paths import Path
from bundles.suite.v2.variables import LITERAL, VARIABLE, has_marks, references


class Scope:
    """Goes through a suite beside its validator, part by part and case by case.

    Setup runs in order, then the cases, then teardown. An independent case may run before or after
    any other, so it sees only what setup has set, and only teardown sees what it sets.
    """

    def __init__(self, default_timeout_ms: object) -> None:
        self.part = ""
        self.timeout_ms: object = default_timeout_ms
        self._default_timeout_ms = default_timeout_ms
        self._ids: set[str] = set()
        self._independent = False
        self._profiles: frozenset[str] = frozenset()
        self._set_by: dict[str, list[frozenset[str]]] = {}
        self._from_setup: frozenset[str] = frozenset()
        self._in_order: set[str] = set()

    def enter(self, part: str) -> None:
        """Go on to "setup", "cases" or "teardown"."""
        self.part = part
        self._in_order = set(self._set_by)
        if part == "cases":
            self._from_setup = frozenset(self._set_by)

    def begin(self, case: Mapping[str, Any]) -> None:
        """Go on to the next case of the part."""
        self.timeout_ms = case.get("timeoutMs", self._default_timeout_ms)
        self._independent = self.part == "cases" and case.get("independent") is True
        profiles = case.get("profiles")
        self._profiles = frozenset(
            profile
            for profile in (profiles if isinstance(profiles, list) else ())
            if isinstance(profile, str)
        )

    def takes_id(self, name: object) -> bool:
        """Whether an id is new, noting it; what is no id is somebody else's issue."""
        if not is_filled(name):
            return True
        new = name not in self._ids
        self._ids.add(name)
        return new

    def check(self, value: object, path: Path, issues: Issues) -> None:
        """Add an issue for every variable in a value of the case that cannot have been set."""
        if not has_marks(value):
            return  # of most values, at a fraction of the price
        visible: Collection[str] = self._from_setup if self._independent else self._in_order
        for used in references(value, path):
            if used.name is None:
                issues.add(
                    IssueCode.INVALID_VALUE,
                    used.path,
                    f'names no variable; write "$${{" for the characters themselves, or '
                    f'{{"{LITERAL}": …}} for an object with the member {VARIABLE}',
                )
            elif used.name not in visible:
                issues.add(IssueCode.UNDEFINED_VARIABLE, used.path, self._why_undefined(used.name))

    def _why_undefined(self, name: str) -> str:
        if not self._independent or name not in self._in_order:
            return f"no case that runs before captures '{name}'"
        return f"an independent case may run before '{name}' is captured; capture it in setup"

    def sets(self, name: str) -> bool:
        """Note that the case sets a variable; False when another case under its profiles does too.

        Cases that never run under one profile may set the same variable.
        """
        others = self._set_by.setdefault(name, [])
        alone = all(self._profiles and other and not self._profiles & other for other in others)
        others.append(self._profiles)
        if not self._independent:
            self._in_order.add(name)
        return alone
