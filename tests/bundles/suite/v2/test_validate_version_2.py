"""Version 2 of the format: what its validator accepts, and every issue it has with the rest."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.errors import Refused
from bundles.suite.model import METHODS, load_suite
from bundles.suite.validate import validate_suite

Json = dict[str, Any]

PASSES = {"type": "isError", "expected": False}


def called(case_id: str = "c", **members: Any) -> Json:
    call = {"type": "callTool", "tool": "t", "input": {}}
    return {"id": case_id, "name": "C", "operation": call, "assertions": [PASSES], **members}


def asking(operation: Json, *assertions: Json, **members: Any) -> Json:
    expected = assertions or ({"type": "maxLatencyMs", "ms": 5},)
    return called(operation=operation, assertions=list(expected), **members)


def calling(given_input: Json, **members: Any) -> Json:
    return called(operation={"type": "callTool", "tool": "t", "input": given_input}, **members)


def suite(*cases: Any, **members: Any) -> Json:
    listed = list(cases) or [called()]
    head = {"schemaVersion": 2, "format": "bundlegate", "id": "s", "name": "S"}
    return {**head, "cases": listed, **members}


def issues(document: object) -> list[tuple[str, str]]:
    return [(issue.code.value, issue.path) for issue in validate_suite(document)]


CALL = {"type": "callTool", "tool": "t", "input": {}}
LIST = {"type": "listTools"}
ERROR = {"type": "protocolError", "code": -32602}
VALID_OPERATIONS: tuple[Json, ...] = (
    CALL,
    LIST,
    {"type": "listPrompts"},
    {"type": "getPrompt", "prompt": "p"},
    {"type": "getPrompt", "prompt": "p", "arguments": {"a": "b"}},
    {"type": "listResources"},
    {"type": "listResourceTemplates"},
    {"type": "readResource", "uri": "file:///a"},
)


def test_the_examples_cover_every_operation() -> None:
    assert {operation["type"] for operation in VALID_OPERATIONS} == set(METHODS)


@pytest.mark.parametrize("operation", VALID_OPERATIONS, ids=lambda operation: operation["type"])
@pytest.mark.parametrize(
    "assertion",
    [
        {"type": "maxLatencyMs", "ms": 100},
        {"type": "protocolError", "code": -32602, "messageContains": "unknown"},
        {"type": "valueAt", "pointer": "/a/0/~0~1", "equals": None},
        {"type": "valueAt", "pointer": "", "contains": 1},
        {"type": "valueAt", "in": "result", "pointer": "/a", "absent": False},
        {"type": "jsonMatchesSchema", "schema": {"$ref": "#/$defs/a", "$defs": {"a": {"not": {}}}}},
        {"type": "jsonMatchesSchema", "pointer": "/a", "schema": {"pattern": "^a"}},
    ],
    ids=lambda assertion: assertion["type"],
)
def test_every_operation_takes_the_assertions_about_any_answer(
    operation: Json, assertion: Json
) -> None:
    assert issues(suite(asking(operation, assertion))) == []


def test_everything_a_suite_can_hold_is_accepted_together() -> None:
    document = suite(
        called(
            tags=["smoke"],
            profiles=["a", "b"],
            independent=True,
            timeoutMs=9.0,
            retries={"attempts": 3, "reason": "the cache warms up"},
            answers=[{"elicitation/create": {"action": "accept"}}, {"key": {}}],
            capture=[{"name": "note", "in": "body", "pointer": "/id"}],
        ),
        description="words",
        defaultTimeoutMs=5,
        concurrency=100,
        approval={"fingerprint": "a" * 64},
        setup=[called("up")],
        teardown=[calling({"id": {"$var": "note"}}, id="down")],
    )
    assert issues(document) == []


def test_without_the_name_of_the_format_2_is_no_version_this_reads() -> None:
    document = suite()
    del document["format"]
    assert issues(document) == [("UNSUPPORTED_SCHEMA_VERSION", "schemaVersion")]
    assert issues({**suite(), "format": "another"}) == [
        ("UNSUPPORTED_SCHEMA_VERSION", "schemaVersion"),
        ("UNKNOWN_FIELD", "format"),
    ]
    assert issues({**suite(), "schemaVersion": 1}) == [("UNKNOWN_FIELD", "format")]
    assert issues({**suite(), "schemaVersion": 2.0}) == []


def test_the_issues_of_the_whole_come_in_the_documented_order() -> None:
    document = {
        **suite(),
        "id": " ",
        "name": 1,
        "description": "",
        "defaultTimeoutMs": 0,
        "concurrency": 0,
        "approval": {},
        "z": 1,
        "a": 1,
        "setup": [],
        "cases": [],
        "teardown": {},
    }
    assert issues(document) == [
        ("INVALID_VALUE", "id"),
        ("INVALID_TYPE", "name"),
        ("INVALID_VALUE", "description"),
        ("INVALID_TIMEOUT", "defaultTimeoutMs"),
        ("INVALID_VALUE", "concurrency"),
        ("MISSING_REQUIRED_FIELD", "approval.fingerprint"),
        ("UNKNOWN_FIELD", "a"),
        ("UNKNOWN_FIELD", "z"),
        ("EMPTY_CASES", "setup"),
        ("EMPTY_CASES", "cases"),
        ("INVALID_TYPE", "teardown"),
    ]
    assert issues({"schemaVersion": 2, "format": "bundlegate"}) == [
        ("MISSING_REQUIRED_FIELD", "id"),
        ("MISSING_REQUIRED_FIELD", "name"),
        ("MISSING_REQUIRED_FIELD", "cases"),
    ]
    assert issues(suite(7)) == [("INVALID_TYPE", "cases[0]")]


def test_the_issues_of_a_case_come_in_the_documented_order() -> None:
    case = {
        "id": "c",
        "name": "",
        "tags": [],
        "profiles": "a",
        "independent": 1,
        "timeoutMs": 1.5,
        "retries": {"attempts": 1, "reason": "", "more": 1},
        "extra": 1,
        "operation": {"type": "getPrompt", "prompt": "", "arguments": {"a": 1}, "input": {}},
        "answers": [],
        "assertions": [],
        "capture": [],
    }
    assert issues(suite(called(), case)) == [
        ("INVALID_VALUE", "cases[1].name"),
        ("DUPLICATE_CASE_ID", "cases[1].id"),
        ("INVALID_VALUE", "cases[1].tags"),
        ("INVALID_TYPE", "cases[1].profiles"),
        ("INVALID_TYPE", "cases[1].independent"),
        ("INVALID_TIMEOUT", "cases[1].timeoutMs"),
        ("INVALID_VALUE", "cases[1].retries.attempts"),
        ("INVALID_VALUE", "cases[1].retries.reason"),
        ("UNKNOWN_FIELD", "cases[1].retries.more"),
        ("UNKNOWN_FIELD", "cases[1].extra"),
        ("INVALID_VALUE", "cases[1].operation.prompt"),
        ("INVALID_TYPE", "cases[1].operation.arguments.a"),
        ("UNKNOWN_FIELD", "cases[1].operation.input"),
        ("INVALID_VALUE", "cases[1].answers"),
        ("EMPTY_ASSERTIONS", "cases[1].assertions"),
        ("INVALID_VALUE", "cases[1].capture"),
    ]


@pytest.mark.parametrize(
    ("case", "found"),
    [
        (called(tags=["a", "a"]), [("INVALID_VALUE", "tags[1]")]),
        (called(tags=[1, " "]), [("INVALID_TYPE", "tags[0]"), ("INVALID_VALUE", "tags[1]")]),
        (called(profiles=[]), [("INVALID_VALUE", "profiles")]),
        (called(retries=3), [("INVALID_TYPE", "retries")]),
        (
            called(retries={}),
            [
                ("MISSING_REQUIRED_FIELD", "retries.attempts"),
                ("MISSING_REQUIRED_FIELD", "retries.reason"),
            ],
        ),
        (
            called(retries={"attempts": 11, "reason": "r"}),
            [("INVALID_VALUE", "retries.attempts")],
        ),
        (called(answers={}), [("INVALID_TYPE", "answers")]),
        (called(answers=[1]), [("INVALID_TYPE", "answers[0]")]),
        (called(answers=[{"k": 1}]), [("INVALID_TYPE", "answers[0].k")]),
        (
            called(answers=[{"k": {"n": float("inf")}}]),
            [("INVALID_JSON_VALUE", "answers[0].k.n")],
        ),
        (asking(LIST, answers=[{}]), [("INVALID_VALUE", "answers")]),
        (called(capture={}), [("INVALID_TYPE", "capture")]),
        (called(capture=[1]), [("INVALID_TYPE", "capture[0]")]),
        (
            called(capture=[{}]),
            [
                ("MISSING_REQUIRED_FIELD", "capture[0].name"),
                ("MISSING_REQUIRED_FIELD", "capture[0].pointer"),
            ],
        ),
        (
            called(capture=[{"name": "1", "pointer": "a", "in": "head", "x": 1}]),
            [
                ("INVALID_VALUE", "capture[0].name"),
                ("INVALID_VALUE", "capture[0].in"),
                ("INVALID_VALUE", "capture[0].pointer"),
                ("UNKNOWN_FIELD", "capture[0].x"),
            ],
        ),
        (
            called(capture=[{"name": 1, "pointer": 1, "in": 1}]),
            [
                ("INVALID_TYPE", "capture[0].name"),
                ("INVALID_TYPE", "capture[0].in"),
                ("INVALID_TYPE", "capture[0].pointer"),
            ],
        ),
        (
            called(capture=[{"name": "a", "pointer": ""}, {"name": "a", "pointer": ""}]),
            [("INVALID_VALUE", "capture[1].name")],
        ),
        (
            asking(LIST, capture=[{"name": "a", "pointer": "", "in": "body"}]),
            [("INVALID_VALUE", "capture[0].in")],
        ),
        (
            called(assertions=[ERROR], capture=[{"name": "a", "pointer": ""}]),
            [("INVALID_VALUE", "capture")],
        ),
    ],
)
def test_a_member_of_a_case_is_refused(case: Json, found: list[tuple[str, str]]) -> None:
    assert issues(suite(case)) == [(code, f"cases[0].{path}") for code, path in found]


@pytest.mark.parametrize(
    ("operation", "found"),
    [
        ({}, [("MISSING_REQUIRED_FIELD", "operation.type")]),
        ([], [("INVALID_TYPE", "operation")]),
        ({"type": "listTools", "tool": "t"}, [("UNKNOWN_FIELD", "operation.tool")]),
        (
            {"type": "callTool"},
            [
                ("MISSING_REQUIRED_FIELD", "operation.tool"),
                ("MISSING_REQUIRED_FIELD", "operation.input"),
            ],
        ),
        ({"type": "getPrompt"}, [("MISSING_REQUIRED_FIELD", "operation.prompt")]),
        (
            {"type": "getPrompt", "prompt": "p", "arguments": []},
            [("INVALID_TYPE", "operation.arguments")],
        ),
        ({"type": "readResource"}, [("MISSING_REQUIRED_FIELD", "operation.uri")]),
        ({"type": "readResource", "uri": " "}, [("INVALID_VALUE", "operation.uri")]),
    ],
)
def test_an_operation_is_refused(operation: Any, found: list[tuple[str, str]]) -> None:
    assert issues(suite(asking(operation))) == [(code, f"cases[0].{path}") for code, path in found]


def test_an_operation_nobody_knows_takes_no_assertion() -> None:
    assert issues(suite(asking({"type": "ping", "a": 1}))) == [
        ("INVALID_VALUE", "cases[0].operation.type"),
        ("UNKNOWN_FIELD", "cases[0].operation.a"),
        ("INCOMPATIBLE_ASSERTION", "cases[0].assertions[0]"),
    ]


@pytest.mark.parametrize(
    ("operation", "assertion", "found"),
    [
        (LIST, {"type": "isError", "expected": True}, [("INCOMPATIBLE_ASSERTION", "")]),
        (CALL, {"type": "toolExists", "tool": "t"}, [("INCOMPATIBLE_ASSERTION", "")]),
        (LIST, {"type": "promptExists", "prompt": "p"}, [("INCOMPATIBLE_ASSERTION", "")]),
        (CALL, 1, [("INVALID_TYPE", "")]),
        (
            {"type": "listPrompts"},
            {"type": "promptExists", "name": "p"},
            [("MISSING_REQUIRED_FIELD", ".prompt"), ("UNKNOWN_FIELD", ".name")],
        ),
        (
            {"type": "listResources"},
            {"type": "resourceExists", "uri": 1},
            [("INVALID_TYPE", ".uri")],
        ),
        (
            {"type": "listResourceTemplates"},
            {"type": "resourceTemplateExists", "uriTemplate": " "},
            [("INVALID_VALUE", ".uriTemplate")],
        ),
        (CALL, {"type": "valueAt", "pointer": "/a"}, [("INVALID_VALUE", "")]),
        (
            CALL,
            {"type": "valueAt", "equals": 1, "contains": 1},
            [("MISSING_REQUIRED_FIELD", ".pointer"), ("INVALID_VALUE", "")],
        ),
        (
            CALL,
            {"type": "valueAt", "pointer": "a", "contains": ""},
            [("INVALID_VALUE", ".pointer"), ("INVALID_VALUE", ".contains")],
        ),
        (CALL, {"type": "valueAt", "pointer": "", "absent": 1}, [("INVALID_TYPE", ".absent")]),
        (
            CALL,
            {"type": "valueAt", "pointer": "", "equals": [float("inf")]},
            [("INVALID_JSON_VALUE", ".equals[0]")],
        ),
        (
            LIST,
            {"type": "valueAt", "in": "body", "pointer": "", "absent": True},
            [("INVALID_VALUE", ".in")],
        ),
        (CALL, {"type": "protocolError"}, [("MISSING_REQUIRED_FIELD", ".code")]),
        (CALL, {"type": "protocolError", "code": "1"}, [("INVALID_TYPE", ".code")]),
        (
            CALL,
            {"type": "protocolError", "code": 1.5, "messageContains": ""},
            [("INVALID_VALUE", ".code"), ("INVALID_VALUE", ".messageContains")],
        ),
        (CALL, {"type": "maxLatencyMs", "ms": 0}, [("INVALID_TIMEOUT", ".ms")]),
        (CALL, {"type": "maxLatencyMs", "ms": 10_000}, [("INVALID_VALUE", ".ms")]),
        (
            CALL,
            {
                "type": "jsonMatchesSchema",
                "schema": {
                    "requried": ["a"],
                    "properties": {"requried": {"anyOf": [{"x-note": 1, "dependencies": {}}]}},
                    "const": {"any": "value"},
                },
            },
            [
                ("UNSUPPORTED_SCHEMA_KEYWORD", ".schema.requried"),
                (
                    "UNSUPPORTED_SCHEMA_KEYWORD",
                    ".schema.properties.requried.anyOf[0].dependencies",
                ),
            ],
        ),
        (CALL, {"type": "maxLatencyMs"}, [("MISSING_REQUIRED_FIELD", ".ms")]),
        (CALL, {"type": "jsonMatchesSchema"}, [("MISSING_REQUIRED_FIELD", ".schema")]),
        (CALL, {"type": "jsonMatchesSchema", "schema": True}, [("INVALID_TYPE", ".schema")]),
        (CALL, {"type": "jsonMatchesSchema", "schema": {}}, [("INVALID_VALUE", ".schema")]),
        *(
            (CALL, {"type": "jsonMatchesSchema", "schema": schema}, [("INVALID_VALUE", ".schema")])
            for schema in (
                {"$comment": "all of it"},
                {"title": "a", "x-note": 1},
                {"$defs": {"a": {"type": "null"}}},
            )
        ),
        (
            CALL,
            {"type": "jsonMatchesSchema", "schema": {"items": {"format": "datetime"}}},
            [("INVALID_VALUE", ".schema.items.format")],
        ),
        *(
            (CALL, {"type": "jsonMatchesSchema", "schema": schema}, [("INVALID_SCHEMA", ".schema")])
            for schema in (
                {"$ref": "#"},
                {"not": {"$ref": "#"}},
                {
                    "$defs": {"a": {"properties": {f"m{n}": True for n in range(2_000)}}},
                    "anyOf": [{"$ref": "#/$defs/a"}] * 1_000,
                },
                {
                    "$ref": "#/$defs/a",
                    "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
                },
                {"$ref": "#/x-parts/a", "x-parts": {"a": {"type": "null"}}},
                {
                    "$ref": "#/$defs/a0",
                    "$defs": {
                        **{
                            f"a{n}": {"anyOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2}
                            for n in range(40)
                        },
                        "a40": {"type": "null"},
                    },
                },
            )
        ),
        (
            CALL,
            {"type": "jsonMatchesSchema", "schema": {"type": "strin"}},
            [("INVALID_SCHEMA", ".schema")],
        ),
        (
            CALL,
            {"type": "jsonMatchesSchema", "schema": {"$ref": "https://example.org/a"}},
            [("INVALID_SCHEMA", ".schema")],
        ),
        (
            CALL,
            {"type": "jsonMatchesSchema", "schema": {"$ref": "#/$defs/none"}},
            [("INVALID_SCHEMA", ".schema")],
        ),
        (
            CALL,
            {
                "type": "jsonMatchesSchema",
                "schema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "null"},
            },
            [("INVALID_VALUE", ".schema.$schema")],
        ),
        (
            CALL,
            {"type": "jsonMatchesSchema", "schema": {"const": float("inf")}},
            [("INVALID_JSON_VALUE", ".schema.const")],
        ),
        (
            CALL,
            {"type": "bodyMatchesSchema", "schema": {"pattern": "a"}},
            [("UNSUPPORTED_SCHEMA_KEYWORD", ".schema.pattern")],
        ),
    ],
)
def test_an_assertion_is_refused(
    operation: Json, assertion: Any, found: list[tuple[str, str]]
) -> None:
    place = "cases[0].assertions[0]"
    assert issues(suite(asking(operation, assertion))) == [
        (code, f"{place}{path}") for code, path in found
    ]


def test_a_limit_is_below_the_timeout_that_holds_for_its_case() -> None:
    limit = {"type": "maxLatencyMs", "ms": 50}
    assert issues(suite(asking(CALL, limit, timeoutMs=51))) == []
    assert issues(suite(asking(CALL, limit, timeoutMs=51), defaultTimeoutMs=5)) == []
    found = [("INVALID_VALUE", "cases[0].assertions[0].ms")]
    assert issues(suite(asking(CALL, limit), defaultTimeoutMs=50)) == found


def test_a_slip_is_answered_with_the_name_that_was_probably_meant() -> None:
    document = suite(
        asking({"type": "readResources", "uri": "x:y"}),
        asking(CALL, {"type": "valueAtt", "pointer": "", "equals": 1}, id="d"),
        asking(CALL, {"type": "jsonMatchesSchema", "schema": {"maxitems": 1}}, id="e"),
    )
    said = " ".join(issue.message for issue in validate_suite(document))
    for meant in ("readResource", "valueAt", "maxItems"):
        assert f"did you mean '{meant}'?" in said


def test_a_case_that_expects_a_protocol_error_asserts_nothing_of_a_result() -> None:
    latency = {"type": "maxLatencyMs", "ms": 5}
    assert issues(suite(called(assertions=[ERROR, latency]))) == []
    assert issues(suite(called(assertions=[PASSES, ERROR]))) == [
        ("INCOMPATIBLE_ASSERTION", "cases[0].assertions[0]")
    ]


def test_setup_and_teardown_run_in_order_and_cannot_be_chosen() -> None:
    document = suite(setup=[called("up", independent=True, tags=["a"])], teardown=[called("up")])
    assert issues(document) == [
        ("UNKNOWN_FIELD", "setup[0].independent"),
        ("UNKNOWN_FIELD", "setup[0].tags"),
        ("DUPLICATE_CASE_ID", "teardown[0].id"),
    ]


def sets(name: str = "v") -> Json:
    return {"capture": [{"name": name, "pointer": ""}]}


def uses(name: str = "v") -> Json:
    return {"operation": {"type": "callTool", "tool": "t", "input": {"a": {"$var": name}}}}


UNDEFINED = ("UNDEFINED_VARIABLE", "cases[1].operation.input.a.$var")


def test_a_variable_is_set_before_it_is_used() -> None:
    assert issues(suite(called("a", **sets()), called("b", **uses()))) == []
    assert issues(suite(called("a"), called("b", **uses()), called("c", **sets()))) == [UNDEFINED]
    assert issues(suite(called("a", **uses(), **sets()))) == [
        ("UNDEFINED_VARIABLE", "cases[0].operation.input.a.$var")
    ]


def test_an_independent_case_sees_setup_alone_and_only_teardown_sees_it() -> None:
    free: Json = {"independent": True}
    up = [called("up", **sets())]
    assert issues(suite(called("b", **uses(), **free), setup=up)) == []
    assert issues(suite(called("a", **sets()), called("b", **uses(), **free))) == [UNDEFINED]
    assert issues(suite(called("a", **sets(), **free), called("b", **uses()))) == [UNDEFINED]
    down = [called("down", **uses())]
    assert issues(suite(called("a", **sets(), **free), teardown=down)) == []


def test_a_variable_has_one_source_under_each_profile() -> None:
    twice = suite(called("a", **sets()), called("b", **sets()))
    assert issues(twice) == [("INVALID_VALUE", "cases[1].capture[0].name")]
    by_profile = suite(
        called("a", **sets(), profiles=["one"]), called("b", **sets(), profiles=["two"])
    )
    assert issues(by_profile) == []


@pytest.mark.parametrize(
    ("given_input", "found"),
    [
        ({"a": "${v}-$${w}"}, []),
        ({"a": "${w}"}, [("UNDEFINED_VARIABLE", ".a")]),
        ({"a": "${"}, [("INVALID_VALUE", ".a")]),
        ({"a": "${1}"}, [("INVALID_VALUE", ".a")]),
        ({"a": ["$", "{v}", "$v"]}, []),
        ({"a": {"$var": 1}}, [("INVALID_VALUE", ".a.$var")]),
        ({"a": {"$var": "w", "b": 1}}, []),
        ({"a": {"$literal": {"$var": "${"}}}, []),
        ({"$var": "v"}, []),
        ({"${": 1}, []),
    ],
)
def test_variables_are_written_one_way(given_input: Json, found: list[tuple[str, str]]) -> None:
    document = suite(called("a", **sets()), calling(given_input, id="b"))
    assert issues(document) == [(code, f"cases[1].operation.input{path}") for code, path in found]


def test_variables_are_found_wherever_they_are_replaced() -> None:
    use = {"$var": "none"}
    document = suite(
        called("a", answers=[{"k": use}]),
        asking({"type": "readResource", "uri": "x:${none}"}) | {"id": "b"},
        asking({"type": "getPrompt", "prompt": "p", "arguments": {"a": use}}) | {"id": "c"},
        called("d", assertions=[{"type": "valueAt", "pointer": "", "equals": [use]}]),
        called(
            "e", assertions=[{"type": "protocolError", "code": 1, "messageContains": "${none}"}]
        ),
    )
    assert issues(document) == [
        ("UNDEFINED_VARIABLE", "cases[0].answers[0].k.$var"),
        ("UNDEFINED_VARIABLE", "cases[1].operation.uri"),
        ("UNDEFINED_VARIABLE", "cases[2].operation.arguments.a.$var"),
        ("UNDEFINED_VARIABLE", "cases[3].assertions[0].equals[0].$var"),
        ("UNDEFINED_VARIABLE", "cases[4].assertions[0].messageContains"),
    ]


def test_depth_is_no_obstacle() -> None:
    deep: Any = {"$var": "none"}
    schema: Json = {"type": "null"}
    for _ in range(20_000):
        deep, schema = [deep], {"items": schema}
    whole = {"type": "jsonMatchesSchema", "schema": schema}
    found = validate_suite(
        suite(called("a", **{**uses(), "assertions": [whole]}), calling({"a": deep}, id="b"))
    )
    assert [issue.code.value for issue in found] == [
        "UNDEFINED_VARIABLE",
        "INVALID_SCHEMA",
        "UNDEFINED_VARIABLE",
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=10,
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    JSON,
    st.sampled_from(
        ["tags", "profiles", "retries", "answers", "capture", "operation", "assertions"]
    ),
)
def test_whatever_stands_in_a_member_there_is_an_answer(value: Any, member: str) -> None:
    for issue in validate_suite(suite(called(**{member: value}))):
        assert issue.path.startswith("cases[0]")
        assert issue.message


def test_an_invalid_document_is_refused_as_version_2() -> None:
    with pytest.raises(Refused) as refusal:
        load_suite(suite(retries=1), path="suites/a.json")
    assert refusal.value.reason_code == "SUITE_V2_VALIDATION_FAILED"
    assert "UNKNOWN_FIELD at retries" in refusal.value.detail
