"""Builders of suites: what they make is the format, and what the format refuses they refuse."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundlegate import suite as face
from bundlegate.suite import v2
from bundles.errors import Invalid, Refused
from bundles.suite.assertions.registry import KINDS
from bundles.suite.model import METHODS
from bundles.suite.v2.validate import ROOT_FIELDS
from bundles.suite.v2.validate_case import CASE_FIELDS

ROOT = Path(__file__).parents[3]
NAMES = st.text(min_size=1).filter(lambda text: any(c.isalnum() for c in text))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)

EVERYTHING = v2.suite(
    "all",
    v2.case("t", v2.list_tools(), v2.tool_exists("a")),
    v2.case("p", v2.list_prompts(), v2.prompt_exists("a")),
    v2.case("r", v2.list_resources(), v2.resource_exists("a:b")),
    v2.case("rt", v2.list_resource_templates(), v2.resource_template_exists("a:{b}")),
    v2.case("g", v2.get_prompt("a", b=v2.variable("v")), v2.value_at("/messages", absent=True)),
    v2.case(
        "c",
        v2.call_tool("a", given={"b": v2.literal({"$var": "no"})}),
        v2.is_error(expected=False),
        v2.body_matches({"type": "object"}),
        v2.structured_content_matches({"type": "object"}),
        v2.json_matches({"type": "object"}, at="/content/0", within="result"),
        v2.value_at("", within="body", contains="x"),
        v2.max_latency(5),
        name="all of a call",
        tags=["a"],
        profiles=["north"],
        independent=True,
        timeout_ms=9,
        retries=v2.retries(2, reason="cold"),
        answers=[{"elicitation/create": {"action": "accept", "content": {}}}],
        captures=[v2.capture("w", "/content", within="result")],
    ),
    v2.case("e", v2.read_resource("a:b"), v2.protocol_error(-32602, message_contains="b")),
    name="All there is",
    description="every member",
    timeout_ms=7,
    concurrency=3,
    setup=[
        v2.case("s", v2.list_tools(), v2.tool_exists("a"), captures=[v2.capture("v", "/tools")])
    ],
    teardown=[v2.case("z", v2.list_tools(), v2.tool_exists("a"))],
)


def test_every_operation_assertion_and_member_of_version_2_can_be_built() -> None:
    cases = [*EVERYTHING["setup"], *EVERYTHING["cases"], *EVERYTHING["teardown"]]
    assert {case["operation"]["type"] for case in cases} == METHODS.keys()
    assert {a["type"] for case in cases for a in case["assertions"]} == KINDS.keys()
    assert {member for case in cases for member in case} == set(CASE_FIELDS)
    assert EVERYTHING.keys() == set(ROOT_FIELDS) - {"approval"}


def test_every_name_of_the_second_version_is_offered() -> None:
    made_here = {n for n, x in vars(v2).items() if getattr(x, "__module__", "") == v2.__name__}
    assert made_here <= set(v2.__all__)
    assert all(hasattr(v2, name) for name in v2.__all__)


@settings(max_examples=50, deadline=None)
@given(NAMES, st.dictionaries(st.text(), JSON, max_size=3), st.booleans())
def test_what_is_given_arrives_in_the_document_and_in_the_model(
    name: str, arguments: dict[str, Any], expected: bool
) -> None:
    made = face.suite(
        name, face.case(name, face.call_tool(name, arguments), face.is_error(expected=expected))
    )
    assert json.loads(json.dumps(made)) == made
    (case,) = face.load_suite(made).cases
    assert (case.id, case.operation.tool, case.operation.input) == (name, name, arguments)
    assert case.assertions[0].expected is expected


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: face.suite("s"), "SUITE_VALIDATION_FAILED"),
        (lambda: face.suite(" ", *EVERYTHING["setup"][:0]), "SUITE_VALIDATION_FAILED"),
        (lambda: v2.suite("s", v2.case("c", v2.list_tools())), "SUITE_V2_VALIDATION_FAILED"),
        (
            lambda: v2.suite(
                "s", v2.case("c", v2.call_tool("t", a=v2.variable("v")), v2.is_error())
            ),
            "SUITE_V2_VALIDATION_FAILED",
        ),
    ],
)
def test_what_the_format_refuses_is_refused_as_it_is_built(make: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        make()
    assert refused.value.reason_code == code
    assert refused.value.seen


def test_a_type_checker_refuses_an_assertion_of_another_operation(tmp_path: Path) -> None:
    lines = (
        "from bundlegate.suite import v2",
        "v2.case('a', v2.list_tools(), v2.tool_exists('t'), v2.max_latency(5))",
        "v2.case('b', v2.call_tool('t'), v2.is_error(), v2.value_at('/a', equals=1))",
        "v2.case('c', v2.list_tools(), v2.is_error())",
        "v2.case('d', v2.call_tool('t'), v2.prompt_exists('t'))",
    )
    (tmp_path / "typed.py").write_text("\n".join(lines) + "\n")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "typed.py"],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    wrong = {line.split(":")[1] for line in checked.stdout.splitlines() if ": error:" in line}
    assert wrong == {"4", "5"}, checked.stdout


HOLDS_ITSELF: list[Any] = []
HOLDS_ITSELF.append(HOLDS_ITSELF)


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (object(), "object"),
        ({1, 2}, "set"),
        (b"text", "bytes"),
        ({"a": [Path("x")]}, "PosixPath"),
        ({1: "a"}, "a member named by int"),
        (HOLDS_ITSELF, "a value that holds itself"),
    ],
)
@pytest.mark.parametrize("version", [face, v2])
def test_what_is_no_json_is_refused_where_it_is_written(
    version: Any, value: object, seen: str
) -> None:
    made = version.case("c", version.call_tool("a", b=value), version.is_error())
    with pytest.raises(Refused) as refused:
        version.suite("s", made)
    first = refused.value.seen[0]
    assert (first["code"], first["message"]) == ("INVALID_JSON_VALUE", f"expects JSON, got {seen}")
    assert first["path"].startswith("cases[0].operation.input.b")


def test_tuples_and_mappings_are_the_arrays_and_objects_that_json_makes_of_them() -> None:
    given = MappingProxyType({"b": (v2.variable("v"), "x")})
    setup = v2.case("s", v2.call_tool("a"), v2.is_error(), captures=[v2.capture("v", "/isError")])
    made = v2.suite("s", v2.case("c", v2.call_tool("a", given), v2.is_error()), setup=[setup])
    assert made["cases"][0]["operation"]["input"] == {"b": [{"$var": "v"}, "x"]}
    assert json.loads(json.dumps(made)) == made


@pytest.mark.parametrize("argument", ["tags", "profiles"])
def test_one_string_for_several_is_refused_not_read_by_letters(argument: str) -> None:
    with pytest.raises(Invalid, match=f"SUITE_ARGUMENT_MISTAKEN: {argument} takes several"):
        v2.case("c", v2.list_tools(), v2.max_latency(5), **{argument: "smoke"})


@pytest.mark.parametrize("version", [face, v2])
def test_a_blank_name_is_not_taken_for_none(version: Any) -> None:
    with pytest.raises(Refused, match="INVALID_VALUE at cases"):
        version.suite("s", version.case("c", version.call_tool("a"), version.is_error(), name=""))
