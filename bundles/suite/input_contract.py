"""Before anything runs: do the inputs of a suite keep what the tools declare?

A failed case has three possible causes: the server, the suite's input, or the declaration. These
findings tell the second apart. They never change a verdict; only what can be read for certain is
compared (`bundles.suite.input_schema`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from bundles.report.cut import cut, escaped, shown
from bundles.suite.input_schema import InputSchema, Unreadable, read_tools
from bundles.suite.javascript import code_units, type_name
from bundles.suite.language import ENGLISH, Words
from bundles.suite.model import Case, Suite
from bundles.suite.nearest import suggested
from bundles.suite.rejection import expects_rejection
from bundles.suite.v2.variables import resolved

MOST_PER_CASE = 10
"""Findings listed of one case; all of them are counted."""


class InputCode(StrEnum):
    """How an input departs from its declaration, in the order findings of a case are listed."""

    TOOL_NOT_DECLARED = "TOOL_NOT_DECLARED"
    SCHEMA_NOT_ANALYZABLE = "SCHEMA_NOT_ANALYZABLE"
    REQUIRED_MISSING = "REQUIRED_MISSING"
    UNDECLARED_FIELD = "UNDECLARED_FIELD"
    TYPE_MISMATCH = "TYPE_MISMATCH"
    ENUM_MISMATCH = "ENUM_MISMATCH"
    RANGE_MISMATCH = "RANGE_MISMATCH"
    REJECTION_WITHOUT_VIOLATION = "REJECTION_WITHOUT_VIOLATION"


class InputSeverity(StrEnum):
    """BLOCKING contradicts the declaration; ADVISORY is a hint, or says what was not looked at."""

    BLOCKING = "blocking"
    ADVISORY = "advisory"


_ADVISORY = (
    InputCode.SCHEMA_NOT_ANALYZABLE,
    InputCode.RANGE_MISMATCH,
    InputCode.REJECTION_WITHOUT_VIOLATION,
)


@dataclass(frozen=True, slots=True)
class InputFinding:
    """One place where a case and a declaration do not fit.

    Attributes:
        code: how.
        case_id: the case.
        path: `operation.tool`, `operation.input` or `input.<field>`; names as they are.
        members: "expected", "actual" (plain JSON) and "suggestion" (a name), where there are any.
        reason: for SCHEMA_NOT_ANALYZABLE the keyword that ended the reading.
    """

    code: InputCode
    case_id: str
    path: str
    members: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""

    @property
    def severity(self) -> InputSeverity:
        """Follows from the code."""
        return InputSeverity.ADVISORY if self.code in _ADVISORY else InputSeverity.BLOCKING

    @property
    def message(self) -> str:
        """The sentence in English."""
        return self.sentence(ENGLISH)

    def sentence(self, words: Words) -> str:
        """One sentence in the words of a language, control characters escaped, values cut."""
        values = {name: _shown(value) for name, value in self.members.items()}
        told = words(
            f"finding.{self.code.value}",
            path=escaped(cut(self.path)),
            reason=escaped(cut(self.reason)),
            **{"expected": "", "actual": "", **values},
        )
        if "suggestion" in values:
            told = words("finding.suggestion", message=told, suggestion=values["suggestion"])
        return told

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, absent members left out."""
        stated: dict[str, Any] = {
            "code": self.code.value,
            "severity": self.severity.value,
            "caseId": self.case_id,
            "path": self.path,
            **self.members,
        }
        if self.reason:
            stated["reason"] = self.reason
        return stated | {"message": self.message}


def _shown(value: object) -> str:
    return f"'{escaped(cut(value))}'" if isinstance(value, str) else shown(value)


@dataclass(frozen=True, slots=True)
class InputFindings:
    """The findings of a suite: by case in the order written, then by code, then by path.

    Attributes:
        findings: at most ten of each case.
        total: all there are.
    """

    findings: tuple[InputFinding, ...] = ()
    total: int = 0

    @property
    def blocking(self) -> tuple[InputFinding, ...]:
        """The findings that contradict a declaration."""
        return tuple(f for f in self.findings if f.severity is InputSeverity.BLOCKING)

    def to_dict(self) -> dict[str, Any]:
        """{"total", "findings"} as plain JSON."""
        return {"total": self.total, "findings": [found.to_dict() for found in self.findings]}


def check_inputs(suite: Suite, tools: Iterable[object]) -> InputFindings:
    """Compare the inputs of a suite with what tools declare; no server is called.

    Args:
        suite: the suite.
        tools: tools as tools/list has them, in any order.
    """
    every = tuple(tools)
    declared, whole = read_tools(every), _WholeSchemas(every)
    listed: list[InputFinding] = []
    total = 0
    for case in calls_of(suite):
        found = _findings(case, declared, whole)
        total += len(found)
        given, known = case.operation.input, declared.get(case.operation.tool)
        listed += (_with_suggestion(one, given, known) for one in found[:MOST_PER_CASE])
    return InputFindings(tuple(listed), total)


def calls_of(suite: Suite) -> Iterator[Case]:
    """The cases that call a tool with an input that is known before anything runs."""
    for case in suite.everything:
        made = resolved(case, {}) if case.operation.type == "callTool" else None
        if isinstance(made, Case):
            yield made


def _findings(
    case: Case, declared: Mapping[str, InputSchema | Unreadable], whole: "_WholeSchemas"
) -> list[InputFinding]:
    if case.expects_protocol_error:  # of an unknown tool, or of an input that it refuses
        return []
    tool = case.operation.tool
    known = declared.get(tool)
    if known is None:
        members = {"actual": tool} | suggested(tool, declared)
        return [InputFinding(InputCode.TOOL_NOT_DECLARED, case.id, "operation.tool", members)]
    if isinstance(known, Unreadable):
        code = InputCode.SCHEMA_NOT_ANALYZABLE
        return [InputFinding(code, case.id, "operation.tool", {"actual": tool}, known.why)]
    found = sorted(_broken(case, known), key=lambda one: (_ORDER[one.code], code_units(one.path)))
    if not expects_rejection(case.assertions):
        return found
    # To break the declaration is what such a case is for; to break nothing is what needs a word.
    # What is not read here (nested members, patterns, …) may be what it breaks.
    if found or whole.may_refuse(tool, case.operation.input):
        return []
    code = InputCode.REJECTION_WITHOUT_VIOLATION
    return [InputFinding(code, case.id, "operation.input")]


class _WholeSchemas:
    """The schemas of tools with every rule in them, compiled when they are asked about."""

    def __init__(self, tools: Iterable[object]) -> None:
        self._schemas = {
            tool.get("name"): tool.get("inputSchema") for tool in tools if isinstance(tool, dict)
        }
        self._compiled: dict[str, Callable[[object], bool] | None] = {}

    def may_refuse(self, tool: str, given: Mapping[str, Any]) -> bool:
        """Whether an input breaks some rule of the tool's schema, or that cannot be told."""
        if tool not in self._compiled:
            from bundles.mcp.schema import acceptance_of  # noqa: PLC0415 - few suites need it

            self._compiled[tool] = acceptance_of(self._schemas[tool])
        accepts = self._compiled[tool]
        try:
            return accepts is None or not accepts(dict(given))
        except ValueError:  # nested deeper than the validator looks
            return True


_ORDER = {code: place for place, code in enumerate(InputCode)}


def _broken(case: Case, schema: InputSchema) -> Iterator[InputFinding]:
    """Everything an input breaks, without suggestions: most are never listed."""
    given = case.operation.input
    for name in schema.required:
        if name not in given:
            members = {"expected": name}
            yield InputFinding(InputCode.REQUIRED_MISSING, case.id, f"input.{name}", members)
    for name, value in given.items():
        known, path = schema.fields.get(name), f"input.{name}"
        if known is None:
            if schema.closed:
                yield InputFinding(InputCode.UNDECLARED_FIELD, case.id, path, {"actual": name})
            continue
        match known.broken_by(value):
            case "type":
                types = {"expected": known.type, "actual": type_name(value)}
                yield InputFinding(InputCode.TYPE_MISMATCH, case.id, path, types)
            case "enum":
                values = {"expected": list(known.enum or ()), "actual": value}
                yield InputFinding(InputCode.ENUM_MISMATCH, case.id, path, values)
            case "range":
                bounds = {"expected": known.range_for(value), "actual": value}
                yield InputFinding(InputCode.RANGE_MISMATCH, case.id, path, bounds)


def _with_suggestion(
    finding: InputFinding, given: Mapping[str, Any], known: InputSchema | Unreadable | None
) -> InputFinding:
    """The finding with the name or value that was probably meant, where there is one."""
    if not isinstance(known, InputSchema):
        return finding
    members = finding.members
    match finding.code:
        case InputCode.REQUIRED_MISSING:
            near = suggested(members["expected"], (n for n in given if n not in known.fields))
        case InputCode.UNDECLARED_FIELD:
            near = suggested(members["actual"], (n for n in known.fields if n not in given))
        case InputCode.ENUM_MISMATCH if isinstance(members["actual"], str):
            values = (one for one in members["expected"] if isinstance(one, str))
            near = suggested(members["actual"], values)
        case _:
            near = {}
    return replace(finding, members={**members, **near}) if near else finding
