"""Coverage of contract axes: of what the tools declare of their inputs, what does a suite check?

Every declared rule is an axis: valid input is accepted, a missing required field is rejected, and
so are values outside type, enumeration and range. A case covers an axis by its input and by whether
it expects an error, whatever its id. What cannot be read leaves the denominator and is named.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bundles.suite.input_contract import calls_of
from bundles.suite.input_schema import InputSchema, Unreadable, read_tools
from bundles.suite.javascript import code_units, sorted_names
from bundles.suite.model import Case, Suite


class AxisKind(StrEnum):
    """The kinds of axes, in the order they are listed."""

    HAPPY_PATH = "HAPPY_PATH"
    REQUIRED_OMITTED = "REQUIRED_OMITTED"
    TYPE_VIOLATION = "TYPE_VIOLATION"
    ENUM_VIOLATION = "ENUM_VIOLATION"
    RANGE_VIOLATION = "RANGE_VIOLATION"


@dataclass(frozen=True, slots=True)
class Axis:
    """One rule that a tool declares. HAPPY_PATH has no field."""

    kind: AxisKind
    field: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.field}"


@dataclass(frozen=True, slots=True)
class AxisCoverage:
    """An axis and the first case that covers it; None: nobody looks."""

    axis: Axis
    case_id: str | None

    def to_dict(self) -> dict[str, Any]:
        """{"kind", "field", "caseId"}, null where there is none."""
        field = self.axis.field if self.axis.kind is not AxisKind.HAPPY_PATH else None
        return {"kind": self.axis.kind.value, "field": field, "caseId": self.case_id}


@dataclass(frozen=True, slots=True)
class ToolCoverage:
    """What a suite checks of one tool.

    Attributes:
        tool: its name.
        axes: by kind, then by field; empty where the schema cannot be read.
        unreadable: why it cannot be read (`Unreadable.why`); "" where it can.
        unread_fields: fields whose axes are unknown and not counted.
    """

    tool: str
    axes: tuple[AxisCoverage, ...]
    unreadable: str = ""
    unread_fields: tuple[str, ...] = ()

    @property
    def covered(self) -> int:
        """Number of axes that a case covers."""
        return sum(axis.case_id is not None for axis in self.axes)

    @property
    def total(self) -> int:
        """Number of axes; 0 where the schema cannot be read."""
        return len(self.axes)

    @property
    def missing(self) -> tuple[Axis, ...]:
        """The axes that nobody looks at."""
        return tuple(axis.axis for axis in self.axes if axis.case_id is None)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "tool": self.tool,
            "analyzable": not self.unreadable,
            "unanalyzableReason": self.unreadable or None,
            "covered": self.covered,
            "total": self.total,
            "axes": [axis.to_dict() for axis in self.axes],
            "unanalyzedFields": list(self.unread_fields),
        }


@dataclass(frozen=True, slots=True)
class Coverage:
    """What suites check of every declared tool, tools in the order of their names."""

    tools: tuple[ToolCoverage, ...]

    @property
    def covered(self) -> int:
        """Number of axes that a case covers, over all tools."""
        return sum(tool.covered for tool in self.tools)

    @property
    def total(self) -> int:
        """Number of axes, over all tools that could be read."""
        return sum(tool.total for tool in self.tools)

    @property
    def ratio(self) -> float | None:
        """Covered of total, 0 to 1; None where there is no axis: nothing can be said."""
        return self.covered / self.total if self.total else None

    @property
    def unreadable(self) -> tuple[ToolCoverage, ...]:
        """The tools that are not in the denominator."""
        return tuple(tool for tool in self.tools if tool.unreadable)

    def to_dict(self) -> dict[str, Any]:
        """{"covered", "total", "ratio", "tools"} as plain JSON."""
        return {
            "covered": self.covered,
            "total": self.total,
            "ratio": self.ratio,
            "tools": [tool.to_dict() for tool in self.tools],
        }


def coverage_of(suites: Iterable[Suite], tools: Iterable[object]) -> Coverage:
    """What suites check of tools, by what they are written to call; no server is called.

    Args:
        suites: the suites, whose cases count in the order given.
        tools: tools as tools/list has them, in any order.
    """
    declared = read_tools(tools)
    first: dict[tuple[str, Axis], str] = {}
    for suite in suites:
        for case in calls_of(suite):
            known = declared.get(case.operation.tool)
            if isinstance(known, InputSchema):
                for axis in covered_by(case, known):
                    first.setdefault((case.operation.tool, axis), case.id)
    return Coverage(tuple(_of_tool(name, declared[name], first) for name in sorted_names(declared)))


def _of_tool(
    name: str, known: InputSchema | Unreadable, first: dict[tuple[str, Axis], str]
) -> ToolCoverage:
    if isinstance(known, Unreadable):
        return ToolCoverage(name, (), known.why)
    axes = tuple(AxisCoverage(axis, first.get((name, axis))) for axis in axes_of(known))
    return ToolCoverage(name, axes, unread_fields=known.unread)


def axes_of(schema: InputSchema) -> Iterator[Axis]:
    """The axes of a tool: by kind, then by field in the order of code units."""
    yield Axis(AxisKind.HAPPY_PATH)
    yield from (Axis(AxisKind.REQUIRED_OMITTED, name) for name in schema.required)
    fields = schema.fields.items()
    yield from (Axis(AxisKind.TYPE_VIOLATION, name) for name, f in fields if f.type is not None)
    yield from (Axis(AxisKind.ENUM_VIOLATION, name) for name, f in fields if f.enum is not None)
    yield from (Axis(AxisKind.RANGE_VIOLATION, name) for name, f in fields if f.range is not None)


def covered_by(case: Case, schema: InputSchema) -> tuple[Axis, ...]:
    """The axes of its tool that a case covers, by kind and then by field.

    A case that says nothing of errors covers none, nor does one that asks for both answers: it
    does not say whether the server is to reject.
    """
    expected = {a.expected for a in case.assertions if a.type == "isError"}
    if case.expects_protocol_error:
        expected |= {True}
    given = case.operation.input
    broken = sorted(_broken(given, schema), key=lambda a: (_ORDER[a.kind], code_units(a.field)))
    if expected == {True}:
        return tuple(broken)
    undeclared = schema.closed and any(name not in schema.fields for name in given)
    happy = expected == {False} and not broken and not undeclared
    return (Axis(AxisKind.HAPPY_PATH),) if happy else ()


_ORDER = {kind: place for place, kind in enumerate(AxisKind)}
_KIND_OF_BREACH = {
    "type": AxisKind.TYPE_VIOLATION,
    "enum": AxisKind.ENUM_VIOLATION,
    "range": AxisKind.RANGE_VIOLATION,
}


def _broken(given: Mapping[str, Any], schema: InputSchema) -> Iterator[Axis]:
    yield from (Axis(AxisKind.REQUIRED_OMITTED, n) for n in schema.required if n not in given)
    for name, value in given.items():
        known = schema.fields.get(name)
        if known is not None and (breach := known.broken_by(value)):
            yield Axis(_KIND_OF_BREACH[breach], name)
