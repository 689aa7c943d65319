"""Rules of compatibility and their registry.

A rule is one pure function that says where something of one kind changed. Its verdict is fixed, so
a policy can give it another one. `says` and `silent` are small befores and afters: they ARE its
unit test. Rules come in pairs: what is said of an addition is thought through for a removal, what
is said of inputs for outputs. An opposite that does not exist is excused with a reason, or a test
fails; so does an excuse for a rule that exists.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from importlib import import_module
from inspect import cleandoc
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

from bundles.compat.change import Change, Compatibility
from bundles.compat.verdict import NOTHING, Direction

_ID = re.compile(r"[a-z]+\.[a-z]+(-[a-z]+)*")
_OPPOSITES = (
    ("added", "removed"), ("narrowed", "widened"), ("allowed", "forbidden"),
    ("gained", "lost"), ("input", "output"),
)  # fmt: skip
_OPPOSITE = dict(_OPPOSITES) | {right: left for left, right in _OPPOSITES}


class Scope(StrEnum):
    """What a rule looks at, from `bundles.compat.subjects`."""

    BUNDLE = "bundle"  # BundlePair
    SNAPSHOT = "snapshot"  # SnapshotPair
    TOOL = "tool"  # ToolPair
    INPUT = "input"  # SchemaPair of inputs
    OUTPUT = "output"  # SchemaPair of outputs


@dataclass(frozen=True, slots=True)
class Said:
    """What a rule function yields for one change.

    Attributes:
        old, new: JSON pointers of the place on either side; None where that side has none.
        reason_code: where it is not the rule's own.
        tool, file: whose change it is, where the subject does not say.
    """

    old: str | None
    new: str | None
    witness: Any = NOTHING
    reason_code: str = ""
    tool: str = ""
    file: str = ""


RuleFunction = Callable[[Any], Iterator[Said]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A registered rule. See `rule` for the fields."""

    id: str
    scope: Scope
    verdict: Compatibility
    reason_code: str
    kind: str
    function: RuleFunction
    says: tuple[tuple[Any, Any], ...] = field(repr=False)
    silent: tuple[tuple[Any, Any], ...] = field(repr=False)
    unmirrored: Mapping[str, str] = field(repr=False)

    @property
    def title(self) -> str:
        """First line of the docstring: what happened."""
        return cleandoc(self.function.__doc__ or "").partition("\n")[0]

    @property
    def why(self) -> str:
        """The rest of the docstring, as one line: who is affected and how."""
        return " ".join(cleandoc(self.function.__doc__ or "").partition("\n")[2].split())

    @property
    def direction(self) -> str:
        """Who must understand whom; "" where nothing is read or written."""
        directions = {Scope.INPUT: Direction.BACKWARD, Scope.OUTPUT: Direction.FORWARD}
        return directions[self.scope].value if self.scope in directions else ""

    @property
    def mirrors(self) -> frozenset[str]:
        """Ids of the rules that say the opposite of this one: each word for its opposite."""
        words = re.split(r"([.-])", self.id)
        return frozenset(
            "".join([*words[:at], _OPPOSITE[word], *words[at + 1 :]])
            for at, word in enumerate(words)
            if word in _OPPOSITE
        )

    def changes(self, subject: Any) -> Iterator[Change]:
        """What the rule says of a subject of its scope."""
        for said in self.function(subject):
            yield Change(
                tool=said.tool or getattr(subject, "tool", ""),
                kind=self.kind,
                path=(said.old if said.new is None else said.new) or "",
                verdict=self.verdict,
                reason_code=said.reason_code or self.reason_code,
                rule=self.id,
                witness=said.witness,
                direction=self.direction,
                old_pointer=said.old,
                new_pointer=said.new,
                file=said.file,
            )


@dataclass(frozen=True, slots=True)
class Override:
    """What a policy makes of a rule, and why."""

    verdict: Compatibility
    reason: str


Overrides = Mapping[str, Override]
"""By rule id."""


def overridden(change: Change, overrides: Overrides) -> Change:
    """A change as a policy sees it; it keeps saying what the rule says by itself."""
    override = overrides.get(change.rule)
    if override is None:
        return change
    by_itself = {"verdict": change.verdict.word, "reason": override.reason}
    return replace(change, verdict=override.verdict, overridden=by_itself)


_RULES: dict[str, Rule] = {}


def rule(
    *,
    id: str,  # noqa: A002 - the word users see
    scope: Scope,
    verdict: Compatibility,
    reason_code: str,
    says: Sequence[tuple[Any, Any]],
    silent: Sequence[tuple[Any, Any]],
    kind: str = "",
    unmirrored: Mapping[str, str] | None = None,
) -> Callable[[RuleFunction], RuleFunction]:
    """Register a rule.

    Args:
        id: `area.what-happened`.
        scope: what the function is given.
        verdict: of each change it says.
        reason_code: published with `bundles.reasons.reason`.
        says: befores and afters it says a change of.
        silent: befores and afters it has nothing to say of.
        kind: of its changes; by default what happened, in the words of the id.
        unmirrored: id of an opposite that does not exist → why there is none.

    Raises:
        ValueError: at import, for a malformed or doubled id.
    """

    def register(function: RuleFunction) -> RuleFunction:
        if not _ID.fullmatch(id) or id in _RULES:
            msg = f"rule {id} is malformed or registered twice"
            raise ValueError(msg)
        _RULES[id] = Rule(
            id,
            scope,
            verdict,
            reason_code,
            kind or id.partition(".")[2],
            function,
            tuple(says),
            tuple(silent),
            MappingProxyType(dict(unmirrored or {})),
        )
        return function

    return register


@cache
def rules() -> Mapping[str, Rule]:
    """Every rule, by id, in the order of the folder they live in."""
    package = import_module("bundles.compat.rules")
    for module in sorted(found.name for found in iter_modules(package.__path__)):
        import_module(f"{package.__name__}.{module}")
    return MappingProxyType(_RULES)


@cache
def _in(scope: Scope) -> tuple[Rule, ...]:
    return tuple(each for each in rules().values() if each.scope is scope)


def apply(scope: Scope, subject: Any) -> Iterator[Change]:
    """What the rules of a scope say of a subject."""
    for each in _in(scope):
        yield from each.changes(subject)
