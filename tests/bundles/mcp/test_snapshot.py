"""What changed between two snapshots of a tool list."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.errors import Refused
from bundles.mcp.snapshot import Compatibility, diff, read_tools, snapshot_document

A = {"name": "a", "inputSchema": {"type": "object"}, "description": "A"}
B = {"name": "b", "inputSchema": {"type": "object"}}


def kinds(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(change.tool, change.kind, change.path) for change in diff(old, new).changes]


def test_formatting_and_spelled_out_defaults_make_no_difference() -> None:
    spelled = {
        "description": "A",
        "annotations": {"readOnlyHint": False},
        "inputSchema": {"type": "object"},
        "name": "a",
    }
    found = diff([A, B], [spelled, B])
    assert found.to_dict() == {"verdict": "identical", "changes": []}


@pytest.mark.parametrize(
    ("old", "new", "verdict", "changes"),
    [
        ([A], [A, B], Compatibility.COMPATIBLE, [("b", "added", "")]),
        ([A, B], [A], Compatibility.BREAKING, [("b", "removed", "")]),
        ([A], [B], Compatibility.BREAKING, [("a", "removed", ""), ("b", "added", "")]),
        ([A], [{**A, "description": "B"}], Compatibility.RISK, [("a", "changed", "/description")]),
        ([A], [{**A, "x~/y": 1}], Compatibility.RISK, [("a", "changed", "/x~0~1y")]),
        ([A, B], [B, A], Compatibility.COMPATIBLE, [("", "reordered", "")]),
    ],
)
def test_the_gravest_change_gives_the_verdict(
    old: list[dict[str, Any]],
    new: list[dict[str, Any]],
    verdict: Compatibility,
    changes: list[tuple[str, str, str]],
) -> None:
    assert diff(old, new).verdict is verdict
    assert kinds(old, new) == changes


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        ("x", ""),
        ({}, "/tools"),
        ({"tools": {}}, "/tools"),
        ([A, None], "/1"),
        ([{"description": "no name"}], "/0"),
        ({"tools": [A, B, A]}, "/tools/2"),
    ],
)
def test_a_document_that_is_no_snapshot_is_refused(document: object, pointer: str) -> None:
    with pytest.raises(Refused) as caught:
        read_tools(document)
    assert (caught.value.reason_code, caught.value.pointer) == ("SNAPSHOT_SHAPE", pointer)


def test_a_kept_snapshot_reads_back_as_its_tools() -> None:
    document = snapshot_document((A, B), revision="2026-07-28")
    assert read_tools(document) == (A, B)
    assert set(document["tool_digests"]) == {"a", "b"}


_TOOLS = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from("abcd"), "description": st.sampled_from("xy")}),
    unique_by=lambda tool: tool["name"],
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(_TOOLS, _TOOLS)
def test_a_diff_is_identical_exactly_when_the_lists_are(
    old: list[dict[str, Any]], new: list[dict[str, Any]]
) -> None:
    assert (diff(old, new).verdict is Compatibility.IDENTICAL) is (old == new)
