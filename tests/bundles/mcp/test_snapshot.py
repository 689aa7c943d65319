"""Snapshots as documents: what is read, what is kept, and what is refused."""

import json
from typing import Any

import pytest

from bundles.errors import Refused
from bundles.mcp.snapshot import read_snapshot, read_tools, snapshot_document

A = {"name": "a", "inputSchema": {"type": "object"}, "description": "A"}
B = {"name": "b", "inputSchema": {"type": "object"}}


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


def test_a_snapshot_keeps_its_conditions_and_the_digests_of_its_bytes() -> None:
    facts: dict[str, Any] = {"profile": "p", "revision": "2026-07-28", "capabilities": {}}
    text = json.dumps(snapshot_document((A, B), **facts), indent=2)
    read = read_snapshot(json.loads(text), text)
    assert (read.profile, read.revision, read.capabilities) == ("p", "2026-07-28", {})
    assert set(read.byte_digests) == {"a", "b"}
    recorded = json.dumps(snapshot_document((A,), byte_digests={"a": "sha256:1"}))
    assert read_snapshot(json.loads(recorded), recorded).byte_digests == {"a": "sha256:1"}


def test_a_bare_list_has_no_conditions() -> None:
    read = read_snapshot([A], json.dumps([A]))
    assert (read.profile, read.revision, read.capabilities) == ("", "", None)
