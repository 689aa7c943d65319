"""Variables: `{"$var": "name"}` stands for a whole value, `${name}` inside a string for its text.

`{"$literal": value}` is the value as it stands, and `$${` in a string is `${` (`$$${name}` is a
dollar sign before a value): whatever JSON can say, a version-2 suite can send. Names of members are
never replaced. Explicit stacks throughout.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bundles.key_order import key_order
from bundles.report.cut import compact
from bundles.suite.assertions.registry import KINDS
from bundles.suite.javascript import type_name
from bundles.suite.model import Assertion, Case
from bundles.suite.paths import Path

VARIABLE = "$var"
LITERAL = "$literal"

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
"""What a variable may be called."""

# Dollar signs before a brace: each pair is one, and an odd one left over makes a variable.
_MARK = re.compile(r"(?<!\$)((?:\$\$)*)(?:\$\{([^{}]*)(\}?)|(?<=\$)\{)")


@dataclass(frozen=True, slots=True)
class Reference:
    """Where a suite uses a variable: its name, or None where what stands there names none."""

    path: Path
    name: str | None


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A case that cannot be made, and why, in one sentence."""

    why: str


def references(value: object, path: Path) -> Iterator[Reference]:
    """Every use of a variable in a value, in the order of the document."""
    frames: list[tuple[object, Path]] = [(value, path)]
    while frames:
        node, place = frames.pop()
        if isinstance(node, str):
            for name in _names_in(node):
                yield Reference(place, name)
        elif isinstance(node, list):
            frames.extend((node[at], place.item(at)) for at in reversed(range(len(node))))
        elif isinstance(node, dict):
            if len(node) == 1 and VARIABLE in node:
                name = node[VARIABLE]
                named = isinstance(name, str) and NAME.fullmatch(name)
                yield Reference(place.field(VARIABLE), name if named else None)
            elif not (len(node) == 1 and LITERAL in node):
                frames.extend((node[key], place.field(key)) for key in reversed(key_order(node)))


def _names_in(text: str) -> Iterator[str | None]:
    if "${" not in text:
        return
    for mark in _MARK.finditer(text):
        if mark[2] is not None:
            yield mark[2] if mark[3] and NAME.fullmatch(mark[2]) else None


def has_marks(value: object) -> bool:
    """Whether anything in a value stands for something else than itself."""
    nodes = [value]
    while nodes:
        node = nodes.pop()
        if isinstance(node, str):
            if "${" in node:
                return True
        elif isinstance(node, dict):
            if len(node) == 1 and (VARIABLE in node or LITERAL in node):
                return True
            nodes.extend(node.values())
        elif isinstance(node, list):
            nodes.extend(node)
    return False


MOST_FILLED_IN = 4 << 20
"""Characters that variables may bring into one case: a file of a few lines can ask for any number,
each time twice what the answer before it held.
"""

_SOUGHT = ("contains", "messageContains")
"""Members that are looked for in an answer: where variables empty them, every answer has them."""


class _CannotStand(Exception):
    """A value that has no place where the suite puts it."""


class _Values:
    """The values that variables have in one case, as many as fit into it."""

    def __init__(self, variables: Mapping[str, Any]) -> None:
        self._variables = variables
        self._sizes: dict[str, int] = {}
        self._left = MOST_FILLED_IN

    def take(self, name: str) -> Any:
        """The value of a variable, to stand in one more place."""
        if name not in self._variables:
            why = "the case that captures it got none, or was not run"
            msg = f"variable '{name}' has no value: {why}"
            raise _CannotStand(msg)
        value = self._variables[name]
        if name not in self._sizes:
            self._sizes[name] = len(value if isinstance(value, str) else compact(value))
        self._left -= self._sizes[name]
        if self._left < 0:
            msg = f"its variables would make it longer than {MOST_FILLED_IN} characters"
            raise _CannotStand(msg)
        return value


def resolved(case: Case, variables: Mapping[str, Any]) -> Case | Unresolved:
    """A case with its variables replaced by their values; of version 1, the case as it is.

    Args:
        case: as loaded.
        variables: what the cases before it captured.
    """
    if not case.templated:
        return case
    operation, values = case.operation, _Values(variables)
    try:
        given = _replaced(operation.input, values)
        arguments = _replaced(operation.arguments, values)
        _must(isinstance(given, dict), "the input of a tool", "an object", given)
        _must(isinstance(arguments, dict), "the arguments of a prompt", "an object", arguments)
        for name, argument in arguments.items():
            _must(isinstance(argument, str), f"argument {name!r} of a prompt", "a string", argument)
        return replace(
            case,
            templated=False,
            operation=replace(
                operation,
                input=given,
                arguments=arguments,
                uri=_replaced(operation.uri, values),
            ),
            assertions=tuple(_assertion(each, values) for each in case.assertions),
            answers=tuple(_replaced(list(case.answers), values)),
        )
    except _CannotStand as error:
        return Unresolved(str(error))


def _assertion(assertion: Assertion, values: _Values) -> Assertion:
    given = assertion.given
    named = [name for name in KINDS[assertion.type].variables_in if name in given]
    if not named:
        return assertion
    replaced = {name: _replaced(given[name], values) for name in named}
    for name in named:
        found = replaced[name]
        if name in _SOUGHT and found == "":
            msg = f"{name}: needs something to find, and the variables make it {compact(found)}"
            raise _CannotStand(msg)
    return replace(assertion, given={**given, **replaced})


def _must(holds: bool, what: str, expects: str, value: object) -> None:  # noqa: FBT001 - private
    if not holds:
        msg = f"{what}: needs {expects}, and the variables make it {type_name(value)}"
        raise _CannotStand(msg)


def _replaced(value: Any, values: _Values) -> Any:
    """A copy of a value with its variables replaced."""
    root: list[Any] = [None]
    frames: list[tuple[Any, Any, Any]] = [(value, root, 0)]
    while frames:
        node, owner, key = frames.pop()
        if isinstance(node, str):
            owner[key] = _text(node, values)
        elif isinstance(node, dict) and len(node) == 1 and VARIABLE in node:
            owner[key] = values.take(node[VARIABLE])
        elif isinstance(node, dict) and len(node) == 1 and LITERAL in node:
            owner[key] = node[LITERAL]
        elif isinstance(node, dict):
            owner[key] = made = dict.fromkeys(node)
            frames.extend((member, made, name) for name, member in node.items())
        elif isinstance(node, list):
            owner[key] = items = [None] * len(node)
            frames.extend((item, items, at) for at, item in enumerate(node))
        else:
            owner[key] = node
    return root[0]


def _text(text: str, values: _Values) -> str:
    if "${" not in text:
        return text

    def written(mark: re.Match[str]) -> str:
        dollars, name = mark[1][::2], mark[2]
        if name is None:
            return dollars + "{"
        value = values.take(name)
        if isinstance(value, str):
            return dollars + value
        _must(
            isinstance(value, bool | int | float), f"'${{{name}}}' in a string", "a scalar", value
        )
        return dollars + compact(value)

    return _MARK.sub(written, text)
