"""A whole suite from a list of tools, with what could not be covered beside it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bundles.errors import Refused
from bundles.mcp.schema import schema_problems, value_problems
from bundles.suite.axes import Coverage, coverage_of
from bundles.suite.fingerprint import fingerprint
from bundles.suite.generate.cases import ToolCases
from bundles.suite.generate.composition import composed
from bundles.suite.generate.fixtures import Fixtures, with_fixtures
from bundles.suite.generate.output_contract import response_schema
from bundles.suite.generate.refusals import (
    INVALID_FIXTURE_VALUE,
    INVALID_FIXTURES,
    INVALID_TOOL,
    UNSUPPORTED_SCHEMA,
    GenerationRefused,
    Unsupported,
    invalid_suite,
    unsupported,
)
from bundles.suite.generate.scope import Policy, Scope
from bundles.suite.generate.slugs import Ids, tool_slug
from bundles.suite.generate.supported import check_schema
from bundles.suite.generate.values import make_value
from bundles.suite.javascript import is_filled, sorted_names
from bundles.suite.model import DEFAULT_TIMEOUT_MS, load_suite

HEAVIEST = 64 << 20
"""Characters, about, of the largest suite that is generated."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A tool, or a part of one, that has no cases.

    Attributes:
        index: which tool it is in the list.
        tool: its name.
        path: where, as the suite format spells places, or the path of a field.
        message: why.
    """

    index: int
    tool: str
    path: str
    message: str

    def to_dict(self) -> Json:
        """{"index", "tool", "path", "message"}."""
        return {
            "index": self.index,
            "tool": self.tool,
            "path": self.path,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated suite and what it does not cover.

    Attributes:
        suite: the document, valid under the format's first version.
        policy: which cases were made.
        skipped: tools without any case, with the reason: UNSUPPORTED_SCHEMA each.
        uncovered_outputs: tools whose outputSchema no assertion checks.
        uncovered_fields: fields and branches that no case tries.
        coverage: what the suite checks of what the tools with cases declare.
        fingerprint: of the suite, as an approval records it.
    """

    suite: Json
    policy: Policy
    skipped: tuple[Skipped, ...]
    uncovered_outputs: tuple[Skipped, ...]
    uncovered_fields: tuple[Skipped, ...]
    coverage: Coverage
    fingerprint: str

    def to_dict(self) -> Json:
        """Everything, as plain JSON."""
        return {
            "suite": self.suite,
            "policy": self.policy.value,
            "fingerprint": self.fingerprint,
            "skipped": [left.to_dict() for left in self.skipped],
            "uncoveredOutputs": [left.to_dict() for left in self.uncovered_outputs],
            "uncoveredFields": [left.to_dict() for left in self.uncovered_fields],
            "coverage": self.coverage.to_dict(),
        }

    def written(self) -> str:
        """The suite as a file: the same tools always give the same bytes."""
        return json.dumps(self.suite, ensure_ascii=True, indent=2) + "\n"


def generate_suite(
    tools: Sequence[Mapping[str, Any]],
    *,
    suite_id: str = "generated",
    suite_name: str = "Generated from the tools' schemas",
    policy: Policy | str = Policy.V3,
    fixtures: Fixtures | None = None,
) -> Generated:
    """A suite that calls every tool as its inputSchema allows, and as it forbids.

    Nothing is called here; the suite says what to call. A tool whose schema cannot be followed is
    in `skipped`.

    Args:
        tools: definitions as tools/list returns them.
        suite_id: the suite's id.
        suite_name: the suite's name.
        policy: which cases to make; the newer ones by default.
        fixtures: values to use instead of made-up ones; refused with the older policy.

    Raises:
        GenerationRefused: INVALID_TOOL; INVALID_SCHEMA_CONSTRAINT where a schema contradicts
            itself; INVALID_FIXTURES, INVALID_FIXTURE_VALUE; UNSUPPORTED_SCHEMA where no tool can
            be followed; GENERATED_SUITE_INVALID.
    """
    chosen = Policy(policy)
    if fixtures and chosen is Policy.V2:
        raise GenerationRefused(INVALID_FIXTURES, f"{chosen} has no place for fixtures")
    making = _Making(chosen, fixtures or {})
    for index, tool in enumerate(tools):
        making.add(index, tool)
    making.check_fixtures()
    if making.skipped and not making.cases:
        first = making.skipped[0]
        all_of = f"none of {len(tools)} tools can be followed; first: " if tools[1:] else ""
        raise GenerationRefused(UNSUPPORTED_SCHEMA, all_of + first.message, path=first.path)
    suite: Json = {
        "schemaVersion": 1,
        "id": suite_id,
        "name": suite_name,
        "defaultTimeoutMs": DEFAULT_TIMEOUT_MS,
        "cases": making.cases,
    }
    try:
        loaded = load_suite(suite)
    except Refused as refusal:
        invalid_suite(refusal.detail, refusal.seen)
    left_out = {left.index for left in making.skipped}
    followed = [tool for index, tool in enumerate(tools) if index not in left_out]
    return Generated(
        suite,
        chosen,
        tuple(making.skipped),
        tuple(making.outputs),
        tuple(making.fields),
        coverage_of([loaded], followed),
        fingerprint(suite),
    )


class _Making:
    """Collects the cases of one tool after the other."""

    def __init__(self, policy: Policy, fixtures: Fixtures) -> None:
        self._policy = policy
        self._fixtures = fixtures
        self._prefixes = Ids()
        self._ids = Ids()
        self._names: set[str] = set()
        self._weight = 0
        self.cases: list[Json] = []
        self.skipped: list[Skipped] = []
        self.outputs: list[Skipped] = []
        self.fields: list[Skipped] = []

    def add(self, index: int, tool: object) -> None:
        name = tool.get("name") if isinstance(tool, Mapping) else None
        prefix = self._prefixes.unique(tool_slug(name if isinstance(name, str) else ""))
        if not isinstance(tool, Mapping) or not is_filled(name):
            path = f"tools[{index}].name" if isinstance(tool, Mapping) else f"tools[{index}]"
            raise GenerationRefused(INVALID_TOOL, "a tool is an object with a name", path=path)
        self._names.add(name)
        try:
            self._add_cases(index, tool, prefix)
        except Unsupported as refusal:
            self.skipped.append(Skipped(index, name, refusal.path, refusal.detail))

    def _add_cases(self, index: int, tool: Mapping[str, Any], prefix: str) -> None:
        name, schema, path = tool["name"], tool.get("inputSchema"), f"tools[{index}].inputSchema"
        scope = Scope(schema if isinstance(schema, dict) else {}, self._policy)
        check_schema(schema, path, scope)
        plain = self._plain(name, scope, path)
        building = ToolCases(name, plain, scope, self._fixtures.get(name, {}))
        ids = self._ids if scope.newer else Ids()
        cases = list(building.written(prefix, self._contract(index, tool, scope), ids))
        self._weight += sum(map(_weight, cases))
        if self._weight > HEAVIEST:
            invalid_suite(f"the suite would have more than {HEAVIEST} characters")
        self.cases += cases
        self.fields += [Skipped(index, name, *left) for left in building.unread]

    def _plain(self, name: str, scope: Scope, path: str) -> Json:
        """Arguments that the schema admits, with the fixtures of the tool in them."""
        followed = scope.newer and composed(scope.root)
        kind = "object" if followed else scope.root.get("type")
        made = make_value(scope.root, path, scope) if kind == "object" else None
        if not isinstance(made, dict):
            unsupported(f"{path}.type", "the arguments of a tool are an object")
        if not scope.newer:
            return made
        made = with_fixtures(made, self._fixtures.get(name, {}), path, scope)
        problems = schema_problems(scope.root) or value_problems(scope.root, made)
        if problems:
            unsupported(path, f"no valid arguments were found: {problems[0].message}")
        return made

    def _contract(self, index: int, tool: Mapping[str, Any], scope: Scope) -> Json | None:
        if not scope.newer or tool.get("outputSchema") is None:
            return None
        try:
            return response_schema(tool["outputSchema"], f"tools[{index}].outputSchema")
        except Unsupported as refusal:
            self.outputs.append(Skipped(index, tool["name"], refusal.path, refusal.detail))
            return None

    def check_fixtures(self) -> None:
        """A fixture for a tool that is not there is a mistake, not a wish."""
        for tool in self._fixtures:
            if tool not in self._names:
                raise GenerationRefused(
                    INVALID_FIXTURE_VALUE,
                    "there is no such tool",
                    path=f"tools.{tool}",
                    seen=tool,
                    expected=sorted_names(self._names),
                )


def _weight(value: object) -> int:
    """About how many characters a JSON value takes."""
    total, stack = 0, [value]
    while stack:
        item = stack.pop()
        total += len(item) + 8 if isinstance(item, str) else 8
        if isinstance(item, dict):
            stack += [*item, *item.values()]
        elif isinstance(item, list):
            stack += item
    return total
