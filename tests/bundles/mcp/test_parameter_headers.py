"""Annotated parameters, held to the SDK's reading of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp.shared.inbound import (
    decode_header_value,
    encode_header_value,
    find_invalid_x_mcp_header,
    mcp_param_headers,
    x_mcp_header_map,
)

from bundles.mcp.parameter_headers import (
    annotation_problems,
    annotations,
    as_field_value,
    in_base64,
    mirrored,
    sounds_secret,
)

NAMES = st.sampled_from("abc")
HEADERS = st.sampled_from(["City", "city", "Day", "", "no token", "x\r\ny", "ü"]) | st.just(7)
VALUES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6)
)


def schemas() -> st.SearchStrategy[object]:
    leaf = st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "integer", "boolean", "number", "object"])},
        optional={"x-mcp-header": HEADERS, "default": st.just({"x-mcp-header": "Day"})},
    )
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.fixed_dictionaries(
                {
                    "type": st.just("object"),
                    "properties": st.dictionaries(NAMES, inner, max_size=3),
                },
                optional={"$defs": st.dictionaries(NAMES, inner, max_size=1)},
            ),
            st.builds(lambda s: {"type": "array", "items": s}, inner),
            st.builds(lambda s: {"anyOf": [s, True]}, inner),
        ),
        max_leaves=6,
    )


def arguments() -> st.SearchStrategy[dict[str, object]]:
    return st.dictionaries(NAMES, VALUES | st.dictionaries(NAMES, VALUES, max_size=3), max_size=3)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(schema=schemas(), given_arguments=arguments())
def test_what_is_wrong_and_what_is_mirrored_is_what_the_sdk_says(
    schema: object, given_arguments: dict[str, object]
) -> None:
    wrong = find_invalid_x_mcp_header(schema) is not None
    assert bool(list(annotation_problems(schema))) is wrong
    if not wrong:
        headers = mcp_param_headers(x_mcp_header_map(schema), given_arguments)
        assert mirrored(schema, given_arguments) == {k.lower(): v for k, v in headers.items()}
    else:
        assert mirrored(schema, given_arguments) == {}


@settings(max_examples=100, deadline=None, derandomize=True)
@given(text=st.text(max_size=20) | st.sampled_from(["=?base64?YQ==?=", "=?x", " a ", "a  b", ""]))
def test_a_field_value_is_written_as_the_sdk_writes_it_and_comes_out_again(text: str) -> None:
    assert as_field_value(text) == encode_header_value(text)
    assert decode_header_value(as_field_value(text)) == text
    assert decode_header_value(in_base64(text)) == text


def test_half_a_character_can_be_written() -> None:
    assert as_field_value("\ud83c").startswith("=?base64?")
    assert (
        mirrored({"properties": {"a": {"type": "integer", "x-mcp-header": "A"}}}, {"a": 10**5000})
        == {}
    )


def test_a_problem_says_where_it_is() -> None:
    day = {"type": "string", "x-mcp-header": "Day"}
    schema = {"properties": {"a/b": {"type": "array", "items": day}, "c": day}}
    assert [p.pointer for p in annotation_problems(schema)] == ["/properties/a~1b/items"]
    assert [found.names for found in annotations(schema)] == [None, ("c",)]


@pytest.mark.parametrize(
    "name",
    [
        "token",
        "accessToken",
        "API_KEY",
        "apikey",
        "key",
        "client-secret",
        "userPassword",
        "authKey",
    ],
)
def test_names_that_read_like_secrets(name: str) -> None:
    assert sounds_secret(name)


@pytest.mark.parametrize(
    "name",
    ["keyword", "monkey", "sortKey", "pageToken", "nextToken", "tokens", "maxTokens", "Region"],
)
def test_names_that_do_not(name: str) -> None:
    assert not sounds_secret(name)
