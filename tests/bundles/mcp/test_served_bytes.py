"""The very text of each tool in a document."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.mcp.served_bytes import byte_digests, tool_texts


def test_each_tool_is_cut_out_as_it_stands() -> None:
    text = '{"x": [1, {"tools": 2}], "tools" : [ {"name": "a" } , {"b":1,"name":"b"}]}'
    assert tool_texts(text) == {"a": '{"name": "a" }', "b": '{"b":1,"name":"b"}'}
    assert tool_texts('[{"name":"a"}, 1]') == {"a": '{"name":"a"}'}
    answer = '{"jsonrpc": "2.0", "result": {"tools": [{"name": "a"}]}}'
    assert tool_texts(answer, ("result",)) == {"a": '{"name": "a"}'}


def test_two_spellings_have_two_digests() -> None:
    one, other = (byte_digests(tool_texts(t)) for t in ('[{"name":"a"}]', '[{"name": "a"}]'))
    assert one.keys() == other.keys() == {"a"}
    assert one != other


@pytest.mark.parametrize(
    "text", ["", "{}", "[", '{"tools": 1}', '{"tools": [}', "1", '{"tools"', "[" * 100_000, '{"a":']
)
def test_a_text_without_such_a_list_has_none(text: str) -> None:
    assert tool_texts(text) == {}


_TOOLS = st.lists(
    st.dictionaries(st.text(max_size=4), st.text(max_size=4) | st.integers(), max_size=3).map(
        lambda more: {**more, "name": more.get("name", "n")}
    ),
    max_size=4,
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(_TOOLS, st.sampled_from([None, 0, 2]))
def test_what_is_cut_out_parses_to_the_tool_it_came_from(
    tools: list[dict[str, Any]], indent: int | None
) -> None:
    texts = tool_texts(json.dumps({"a": {"tools": 0}, "tools": tools}, indent=indent))
    named: dict[str, dict[str, Any]] = {}
    for tool in tools:
        named.setdefault(str(tool["name"]), tool)
    assert {name: json.loads(text) for name, text in texts.items()} == named
