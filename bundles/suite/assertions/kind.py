"""What an assertion type is: where it may stand, what it is written with, how it is judged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bundles.suite.assertions.seen import Seen
from bundles.suite.issues import Issues
from bundles.suite.model import METHODS, Assertion
from bundles.suite.outcomes import AssertionOutcome
from bundles.suite.paths import Path

EVERY_OPERATION = tuple(METHODS)


@dataclass(frozen=True, slots=True)
class Kind:
    """An assertion type.

    Attributes:
        type: its name in a suite.
        operations: the operations it goes with.
        members: the JSON Schema of each member beside `type`, in the documented order.
        required: the members that must be there, and what each expects.
        judge: says how the assertion went. Called only when there is a result, unless
            `without_result`.
        validate: adds the issues of the members that are there; that of one that is missing, and
            of one nobody knows, is said elsewhere.
        without_result: whether it judges the call itself, with or without a result.
        variables_in: the members in which variables are replaced.
        one_of: members of which exactly one must be there; empty for no such rule.
    """

    type: str
    operations: tuple[str, ...]
    members: Mapping[str, Mapping[str, Any]]
    required: Mapping[str, str]
    judge: Callable[[Assertion, Seen], AssertionOutcome]
    validate: Callable[[Mapping[str, Any], Path, Issues], None]
    without_result: bool = False
    variables_in: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
