"""What a new version of a bundle means: around the tools, and for the tools of each profile."""

from typing import Any

from bundles.compat.bundle_diff import compare
from bundles.compat.change import Compatibility, Diff
from bundles.compat.containment import compare as contains
from bundles.compat.rule import Override
from bundles.contract import Contract, files_contract

PINS = {
    "mcp_tools": [{"profile": "guest", "file": "g.json"}, {"profile": "member", "file": "m.json"}]
}


def tool(name: str, **properties: object) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}


def bundle(guest: object, member: object, **manifest: object) -> Contract:
    return files_contract(
        {"g.json": {"tools": guest}, "m.json": {"tools": member}},
        {"declarations": PINS, **manifest},
    )


def said(found: Diff) -> list[tuple[str, str, str, str]]:
    return [(c.rule, c.profile, c.file, c.verdict.word) for c in found.changes]


def test_the_same_bundle_under_another_version_is_identical() -> None:
    old = bundle([tool("a")], [tool("a")])
    new = bundle([tool("a")], [tool("a")], contract_version="1.0.1")
    assert compare(old, new, contains).verdict is Compatibility.IDENTICAL


def test_each_profile_is_compared_with_itself() -> None:
    old = bundle([tool("a")], [tool("a"), tool("b")])
    new = bundle([tool("a"), tool("b")], [tool("a")])
    found = compare(old, new, contains)
    assert said(found) == [
        ("tools.added", "guest", "g.json", "compatible"),
        ("tools.removed", "member", "m.json", "breaking"),
    ]
    assert found.by_tool == {"b": Compatibility.BREAKING}
    entry = found.to_dict()["changes"][1]
    assert (entry["profile"], entry["file"]) == ("member", "m.json")


def test_a_snapshot_that_cannot_be_read_is_conditional_and_the_others_are_compared() -> None:
    old, new = bundle([tool("a")], [tool("a")]), bundle([tool("a"), tool("a")], [])
    assert said(compare(old, new, contains)) == [
        ("snapshot.unreadable", "", "g.json", "conditional"),
        ("tools.removed", "member", "m.json", "breaking"),
    ]


def test_a_policy_overrides_rules_of_bundles_and_of_tools() -> None:
    old, new = bundle([tool("a")], [tool("a")]), bundle([], [tool("a")], observers=["files"])
    excuse = Override(Compatibility.COMPATIBLE, "reviewed")
    overrides = {"tools.removed": excuse, "manifest.changed": excuse}
    assert compare(old, new, contains).verdict is Compatibility.BREAKING
    assert compare(old, new, contains, overrides).verdict is Compatibility.COMPATIBLE
