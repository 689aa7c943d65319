"""Only a refusal that a known validator wrote is verified; the verdict stays out of it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.suite.model import Assertion
from bundles.suite.rejection import expects_rejection, rejection_basis

MOCK_ENDS = (
    "→ 이 툴이 tools/list 로 선언한 inputSchema 가 그렇게 요구합니다.\n"
    "→ 거절이 의도한 것이면 responses 에 이 인자를 넣어 응답을 지정하세요."
)


def refusal(text: str, *, is_error: object = True) -> dict[str, Any]:
    return {"isError": is_error, "content": [{"type": "text", "text": text}]}


@pytest.mark.parametrize(
    "text",
    [
        "MCP error -32602: Invalid arguments",
        "MCP error -32602:",
        "Input validation error: 'a' is a required property",
        "\ufeff\n\u00a0 Input validation error: x",
        "Error executing tool add: 1 validation error for addArguments",
        "Error executing tool add: 12 validation errors for addArguments\na\n  Field required",
        f"→ 툴 'add' 호출에 필수 필드 'a' 이(가) 없습니다. 받은 인자: {{}}\n{MOCK_ENDS}",
        f"→ 툴 'add' 의 'a' 은(는) number 이어야 합니다. 받은 값: \"1\" (string)\n{MOCK_ENDS}",
        f"→ 툴 'add' 의 'a' 은(는) 선언된 값 중 하나여야 합니다: 1, 2. 받은 값: 3\n{MOCK_ENDS}",
        f"→ 툴 'add' 의 'a' 은(는) 2자 이상이어야 합니다. 받은 값의 길이: 1\n{MOCK_ENDS}",
        f"→ 툴 'add' 의 'a' 은(는) 원소가 1개 이하여야 합니다. 받은 개수: 2\n{MOCK_ENDS}",
        f"→ 툴 'add' 의 'a' 은(는) 7 이하여야 합니다. 받은 값: 8\n{MOCK_ENDS}\n",
        (
            "→ 툴 'add' 의 'a' 은(는) 0 이상이어야 합니다. 받은 값: -1\n"
            f"→ 툴 'add' 호출에 필수 필드 'b' 이(가) 없습니다. 받은 인자: {{}}\n{MOCK_ENDS}"
        ),
    ],
)
def test_a_validator_that_names_itself_verifies_a_refusal(text: str) -> None:
    assert rejection_basis("add", refusal(text)) == "verified"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "MCP error -32603: Internal error",
        "MCP error -32602 Invalid arguments",
        "mcp error -32602: Invalid arguments",
        "It said: MCP error -32602: Invalid arguments",
        "\u200bMCP error -32602: a zero-width space is no white space",
        "Error executing tool add: 0 validation errors for addArguments",
        "Error executing tool add: many validation errors for addArguments",
        "Error executing tool add: 1 validation error for addArguments-b",
        "Error executing tool add: 1 validation error for addArguments_b",
        "Error executing tool add: 1 validation error for addArgumentsB",
        "Error executing tool add: 1 validation error for addArguments.b",
        "Error executing tool add: 1 validation error for adXArguments",
        "Error executing tool sub: 1 validation error for subArguments",
        "Error executing tool add: division by zero",
        MOCK_ENDS,
        f"→ 툴 'add' 의 'a' 은(는) number.\n{MOCK_ENDS}",
        (
            "→ 툴 'add' 의 'a' 은(는) number 이어야 합니다. 받은 값: \"1\" (string)\n"
            f"internal error\n{MOCK_ENDS}"
        ),
        f"→ 툴 'sub' 호출에 필수 필드 'a' 이(가) 없습니다. 받은 인자: {{}}\n{MOCK_ENDS}",
        f"→ 툴 'add' 호출에 필수 필드 'a' 이(가) 없습니다. 받은 인자: {{}}\n{MOCK_ENDS}\nmore",
        f"first\n→ 툴 'add' 호출에 필수 필드 'a' 이(가) 없습니다. 받은 인자: {{}}\n{MOCK_ENDS}",
        "→ 툴 'add' 호출에 필수 필드 'a' 이(가) 없습니다. 받은 인자: {}",
        '{"error": "MCP error -32602: Invalid arguments"}',
        '["Input validation error: x"]',
        '"Input validation error: x"',
    ],
)
def test_any_other_words_verify_nothing(text: str) -> None:
    assert rejection_basis("add", refusal(text)) == "unverified"


def test_a_name_with_signs_is_taken_as_it_is() -> None:
    said = "Error executing tool {0}: 1 validation error for {1}Arguments"
    assert rejection_basis("a.b", refusal(said.format("a.b", "a.b"))) == "verified"
    assert rejection_basis("a.b", refusal(said.format("a.b", "aXb"))) == "unverified"


@pytest.mark.parametrize("is_error", [False, None, "true", 1])
def test_an_accepted_call_was_not_refused_whatever_it_says(is_error: object) -> None:
    said = refusal("MCP error -32602: Invalid arguments", is_error=is_error)
    assert rejection_basis("add", said) == "unverified"


@pytest.mark.parametrize(
    "result",
    [
        None,
        [],
        {"isError": True},
        {"isError": True, "content": []},
        {"isError": True, "content": [{"type": "image", "text": "MCP error -32602: x"}]},
        {"isError": True, "content": [{"type": "text", "text": "MCP error -32602: x"}] * 2},
        {"content": [{"type": "text", "text": "MCP error -32602: x"}]},
    ],
)
def test_a_result_without_one_text_verifies_nothing(result: object) -> None:
    assert rejection_basis("add", result) == "unverified"


def asserts(*expected: bool) -> list[Assertion]:
    return [Assertion("isError", expected=one) for one in expected]


def test_a_case_expects_a_refusal_when_it_says_so_and_does_not_contradict_itself() -> None:
    schema = Assertion("bodyMatchesSchema", schema={"type": "string"})
    assert expects_rejection([*asserts(True, True), schema])
    assert not expects_rejection(asserts(True, False))
    assert not expects_rejection(asserts(False))
    assert not expects_rejection([schema])


@given(st.text(), st.text(), st.sampled_from([False, None, 0, "yes"]))
@settings(max_examples=50, deadline=None)
def test_no_text_verifies_a_call_that_was_accepted(tool: str, text: str, is_error: object) -> None:
    assert rejection_basis(tool, refusal(text, is_error=is_error)) == "unverified"


def test_a_long_text_made_to_be_slow_is_read_once() -> None:
    line = "→ 툴 'add' 의 '" + "' 은(는) " * 200_000 + " 이어야 합니다. " * 200_000
    assert rejection_basis("add", refusal(f"{line}\n{MOCK_ENDS}")) == "unverified"
