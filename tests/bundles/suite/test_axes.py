"""Coverage of contract axes: denominators, who covers what, and what is not counted."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.axes import Axis, AxisKind, axes_of, coverage_of
from bundles.suite.generate import generate_suite
from bundles.suite.input_contract import check_inputs
from bundles.suite.input_schema import InputSchema, read_input_schema
from bundles.suite.model import Assertion, Case, Operation, Suite, load_suite
from tests.servers.toolbox import TOOLS


def case(given: dict[str, Any], *expected: bool, name: str = "c", tool: str = "t") -> Case:
    assertions = tuple(Assertion("isError", expected=each) for each in expected)
    return Case(name, name, 1000, Operation("callTool", tool, given), assertions)


def tool(name: str = "t", **schema: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": {}, **schema}}


CITY = tool(properties={"city": {"type": "string"}}, required=["city"])


def test_the_first_case_that_covers_an_axis_is_named_over_all_suites() -> None:
    suites = [
        Suite("a", "a", (case({"city": 1}, True, name="first"),)),
        Suite("b", "b", (case({"city": 2}, True, name="later"), case({"city": "x"}, False))),
    ]
    (covered,) = coverage_of(suites, [CITY]).tools
    assert [(str(a.axis), a.case_id) for a in covered.axes] == [
        ("HAPPY_PATH:", "c"),
        ("REQUIRED_OMITTED:city", None),
        ("TYPE_VIOLATION:city", "first"),
    ]
    assert (covered.covered, covered.total) == (2, 3)
    assert covered.missing == (Axis(AxisKind.REQUIRED_OMITTED, "city"),)


def test_what_cannot_be_read_leaves_the_denominator_and_is_named() -> None:
    tools = [
        tool("z", anyOf=[]),
        tool("twice"),
        tool("half", properties={"a": {"type": "string"}, "b": {"$ref": "#"}}),
        tool("twice"),
        {"name": "\ud83d\ude00"},
        {"name": "\uff5a", "inputSchema": True},
        "no tool",
    ]
    coverage = coverage_of([], tools)
    assert [(each.tool, each.unreadable, each.total) for each in coverage.tools] == [
        ("half", "", 2),
        ("twice", "duplicateTool", 0),
        ("z", "anyOf", 0),
        ("\ud83d\ude00", "schema", 0),
        ("\uff5a", "schema", 0),
    ]
    assert coverage.tools[0].unread_fields == ("b",)
    assert (coverage.covered, coverage.total, coverage.ratio) == (0, 2, 0.0)
    assert len(coverage.unreadable) == 4


def test_without_any_axis_there_is_no_ratio() -> None:
    assert coverage_of([], []).ratio is None
    assert coverage_of([], [tool(oneOf=[])]).to_dict()["ratio"] is None


def test_the_happy_path_needs_an_input_that_keeps_every_rule() -> None:
    closed = tool(properties={"n": {"type": "integer", "maximum": 3}}, additionalProperties=False)
    for given_, covers in (({}, 1), ({"n": 3}, 1), ({"n": 4}, 0), ({"m": 1}, 0), ({"n": 1.5}, 0)):
        suite = Suite("s", "s", (case(given_, False),))
        assert coverage_of([suite], [closed]).covered == covers, given_


def test_calls_of_unknown_tools_and_lists_cover_nothing() -> None:
    listing = Case("l", "l", 1, Operation("listTools"), (Assertion("toolExists", tool="t"),))
    suite = Suite("s", "s", (listing, case({}, True, tool="u"), case({})))
    assert coverage_of([suite], [CITY]).covered == 0


def version_2(*cases: dict[str, Any]) -> Suite:
    head = {"schemaVersion": 2, "format": "bundlegate", "id": "s", "name": "S"}
    return load_suite(head | {"cases": list(cases)})


def v2_case(given_: dict[str, Any], *assertions: dict[str, Any], name: str = "c") -> dict[str, Any]:
    operation = {"type": "callTool", "tool": "t", "input": given_}
    return {"id": name, "name": name, "operation": operation, "assertions": list(assertions)}


def test_an_expected_protocol_error_is_a_rejection_too() -> None:
    suite = version_2(v2_case({}, {"type": "protocolError", "code": -32602}))
    (covered,) = coverage_of([suite], [CITY]).tools
    assert [str(a.axis) for a in covered.axes if a.case_id] == ["REQUIRED_OMITTED:city"]
    assert check_inputs(suite, []).total == 0


def test_an_input_that_is_known_only_while_the_suite_runs_is_not_compared() -> None:
    captures = v2_case({"city": "Oslo"}, {"type": "isError", "expected": False}, name="makes") | {
        "capture": [{"name": "it", "pointer": "/content/0/text"}]
    }
    uses = v2_case({"city": {"$var": "it"}}, {"type": "isError", "expected": False}, name="uses")
    suite = version_2(captures, uses)
    closed = tool(properties={"city": {"type": "integer"}})
    assert [f.case_id for f in check_inputs(suite, [closed]).findings] == ["makes"]


FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "integer", "number", "boolean", "array", "odd"]),
        "enum": st.lists(st.sampled_from(["a", 1, None]), max_size=2),
        "minimum": st.integers(-2, 2),
        "maxLength": st.integers(-1, 2),
        "minItems": st.integers(0, 1),
        "anyOf": st.just([{"type": "null"}, {"type": "string"}]),
    },
)
SCHEMAS = st.fixed_dictionaries(
    {"type": st.just("object"), "properties": st.dictionaries(st.text("ab", max_size=2), FIELDS)},
    optional={"required": st.lists(st.text("ab", max_size=2), max_size=3)},
)
VALUES = st.sampled_from([None, True, -3, 1, 1.5, "", "a", "abc", [], [1], {}])


@given(SCHEMAS, st.dictionaries(st.text("ab", max_size=2), VALUES, max_size=3))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_an_input_either_walks_the_happy_path_or_breaks_what_is_reported(
    schema: dict[str, Any], input_: dict[str, Any]
) -> None:
    read = read_input_schema(schema)
    assert isinstance(read, InputSchema)
    axes = list(axes_of(read))
    assert len(set(axes)) == len(axes)
    kinds = list(AxisKind)
    assert axes == sorted(axes, key=lambda axis: (kinds.index(axis.kind), axis.field))
    declared = {"name": "t", "inputSchema": schema}
    accepted = Suite("s", "s", (case(input_, False),))
    rejected = Suite("s", "s", (case(input_, True),))
    breaks = check_inputs(accepted, [declared]).total
    assert coverage_of([accepted], [declared]).covered == (0 if breaks else 1)
    assert bool(coverage_of([rejected], [declared]).covered) is bool(breaks)


def test_a_generated_suite_covers_everything_and_contradicts_nothing() -> None:
    # what is mirrored into a header no case can get wrong, so there it covers less
    text = json.dumps(TOOLS).replace(', "x-mcp-header": "City"', "")
    tools = json.loads(text)
    made = generate_suite(tools, suite_id="s", suite_name="S")
    suite = load_suite(made.suite)
    assert coverage_of([suite], tools).ratio == 1.0
    assert check_inputs(suite, tools).total == 0
    mirrored = generate_suite(list(TOOLS), suite_id="s", suite_name="S")
    assert mirrored.coverage.ratio < 1.0
    assert [skipped.path for skipped in mirrored.uncovered_fields] == ["city"]
