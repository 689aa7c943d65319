"""The cases of one tool: the plain call, its variants that have to work, and those that must not.

Every case changes the plain arguments in one place. Under the newer rules each is checked against
the schema itself before it is kept: what has to work is valid, what must be refused is not.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from bundles.mcp.schema import value_problems
from bundles.suite.generate.branches import branches_at
from bundles.suite.generate.fields import Field, Fields, Unread, fields_of
from bundles.suite.generate.outside import (
    Found,
    above_range,
    at_upper_bound,
    below_range,
    of_wrong_type,
    outside_enum,
    type_of,
)
from bundles.suite.generate.places import GONE, changed_at, value_at
from bundles.suite.generate.refusals import TooLarge, Unsupported
from bundles.suite.generate.scope import Scope
from bundles.suite.generate.slugs import Ids, field_slug
from bundles.suite.generate.values import PLAIN_TEXT
from bundles.suite.schema import equal

UNDECLARED = "__mcpeak_undeclared__"
"""The member that no tool declares; suites of the tool the format comes from use the same."""

Json = dict[str, Any]


class Variant(NamedTuple):
    """Arguments that differ from the plain ones in one place.

    Attributes:
        kind: what the case's id says it is, such as `type` or `bound-upper`.
        slug: what its id ends with; "" for nothing.
        path: of the field that differs; "" for none.
        name: the case in words.
        arguments: what to call with.
        refused: whether the server has to refuse them.
    """

    kind: str
    slug: str
    path: str
    name: str
    arguments: Json
    refused: bool


class ToolCases:
    """Builds the cases of one tool.

    `given` are the fields whose values somebody vouches for: other text for them is a guess.

    Attributes:
        unread: what was left out, and why, in the order it was met.
    """

    def __init__(
        self, tool: str, plain: Mapping[str, Any], scope: Scope, given: Collection[str] = ()
    ) -> None:
        self._tool = tool
        self._plain = dict(plain)
        self._scope = scope
        self._given = given
        self._fields: Fields = fields_of(scope)
        self.unread: list[Unread] = list(self._fields.unread) if scope.newer else []

    def written(self, prefix: str, contract: Mapping[str, Any] | None, ids: Ids) -> Iterator[Json]:
        """The cases as a suite holds them: valid ones first, then those to be refused."""
        for variant in self._variants():
            if not self._holds(variant):
                continue
            end = f"-{variant.slug}" if variant.slug else ""
            assertions: list[Json] = [{"type": "isError", "expected": variant.refused}]
            if contract is not None and not variant.refused:
                assertions.append({"type": "structuredContentMatchesSchema", "schema": contract})
            yield {
                "id": ids.unique(f"{prefix}-{variant.kind}{end}"),
                "name": variant.name,
                "operation": {
                    "type": "callTool",
                    "tool": self._tool,
                    "input": variant.arguments,
                },
                "assertions": assertions,
            }

    def _holds(self, variant: Variant) -> bool:
        """Whether the schema agrees with what the case will expect."""
        if not self._scope.newer or variant.kind == "success":
            return True
        refused = bool(value_problems(self._scope.root, variant.arguments))
        if refused is variant.refused:
            return True
        says = "refuses" if refused else "admits"
        self._leave_out(variant.path, f"the schema {says} the {variant.kind} case")
        return False

    def _leave_out(self, path: str, reason: str) -> None:
        self.unread.append(Unread(path, reason))

    def _variants(self) -> Iterator[Variant]:
        tool = self._tool
        yield Variant(
            "success", "", "", f"{tool} answers without an error", self._plain, refused=False
        )
        fields = self._fields.fields
        if self._scope.newer:
            yield from self._upper_bounds()
            yield from self._branches()
        for field in fields:
            if field.required:
                yield from self._refusing(field, "missing", (GONE,), "without {}")
        for field in fields:
            wrong = of_wrong_type(field.schema)
            yield from self._refusing(field, "type", wrong, "with {} of another type")
        for field in fields:
            unlisted = outside_enum(field.schema)
            yield from self._refusing(field, "enum", unlisted, "with {} outside its enum")
        for field in fields:
            yield from self._ranges(field)
            if self._scope.newer and field.schema.get("additionalProperties") is False:
                self._leave_out(field.path, "undeclared members inside of it are not tried")
        if self._scope.newer and self._scope.root.get("additionalProperties") is False:
            yield self._undeclared()

    def _refusing(self, field: Field, kind: str, found: Found, words: str) -> Iterator[Variant]:
        for value in found:
            arguments = changed_at(self._plain, field.steps, value, self._scope)
            if arguments is not None:
                name = f"{self._tool} refuses arguments {words.format(repr(field.path))}"
                slug = field_slug(field.path)
                yield Variant(kind, slug, field.path, name, arguments, refused=True)
            elif self._scope.newer:
                self._leave_out(field.path, f"the {kind} case has no place in the arguments")

    def _ranges(self, field: Field) -> Iterator[Variant]:
        below = self._made(field, below_range)
        if not self._scope.newer:  # one case for both ends: the lower where there is one
            outside = below or self._made(field, above_range)
            yield from self._refusing(field, "range", outside, "with {} outside its range")
            return
        yield from self._refusing(field, "range-lower", below, "with {} below its range")
        above = self._made(field, above_range)
        yield from self._refusing(field, "range-upper", above, "with {} above its range")

    def _made(self, field: Field, make: Callable[[Any, str, Scope], Found]) -> Found:
        try:
            return make(field.schema, field.path, self._scope)
        except TooLarge:
            raise
        except Unsupported as refusal:
            self._leave_out(field.path, refusal.detail)
            return ()

    def _upper_bounds(self) -> Iterator[Variant]:
        for field in self._fields.fields:
            vouched = field.steps[0] in self._given and type_of(field.schema) == "string"
            for value in self._made(field, at_upper_bound):
                if vouched:
                    self._leave_out(field.path, "no longest text: only the fixture surely works")
                    continue
                now = value_at(self._plain, field.steps)
                arguments = changed_at(self._plain, field.steps, value, self._scope)
                if arguments is None or (now is not GONE and equal(now, value)):
                    continue
                name = f"{self._tool} accepts {field.path!r} at its upper bound"
                slug = field_slug(field.path)
                yield Variant("bound-upper", slug, field.path, name, arguments, refused=False)

    def _branches(self) -> Iterator[Variant]:
        for branch in branches_at(self._scope):
            if branch.why:
                self._leave_out(branch.field, branch.why)
            elif not equal(self._plain.get(branch.field, GONE), branch.value):
                arguments = {**self._plain, branch.field: branch.value}
                name = f"{self._tool} accepts {branch.words}"
                yield Variant(
                    branch.kind, branch.slug, branch.field, name, arguments, refused=False
                )

    def _undeclared(self) -> Variant:
        declared = self._scope.root.get("properties", {})
        name, occurrence = UNDECLARED, 2
        while name in declared or name in self._plain:
            name, occurrence = f"{UNDECLARED}_{occurrence}", occurrence + 1
        words = f"{self._tool} refuses arguments with the undeclared {name!r}"
        return Variant("undeclared", "", "", words, {**self._plain, name: PLAIN_TEXT}, refused=True)
