"""Comparing two stored bundles over HTTP."""

import json
from uuid import uuid4

import pytest

from tests.fixtures.house import EVERY_SCOPE, House, Visitor, bundle_files, problem


def version(name: str, number: str, *tools: dict[str, object]) -> dict[str, bytes]:
    files = bundle_files(name, number)
    files["bundle.yaml"] += b"  declarations:\n    mcp_tools: tools.json\n"
    return {**files, "tools.json": json.dumps({"tools": tools}).encode()}


def tool(**schema: object) -> dict[str, object]:
    return {"name": "a", "description": "Reads.", "inputSchema": {"type": "object", **schema}}


def test_two_versions_are_compared_with_a_call_that_breaks(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    name = f"c-{uuid4().hex[:8]}"
    old, new = (
        visitor.push(files)["bundle"]["digest"]
        for files in (
            version(name, "1.0.0", tool(properties={"days": {"type": "integer"}})),
            version(name, "2.0.0", tool(properties={"days": {"type": "integer", "maximum": 5}})),
        )
    )
    answer = visitor.http.get(f"/v1/bundles/{new}/diff", params={"against": old})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert (body["old"], body["new"], body["verdict"]) == (old, new, "breaking")
    (change,) = body["changes"]
    assert (change["tool"], change["path"]) == ("a", "/inputSchema/properties/days")
    assert change["witness"] == {"days": 6}
    assert body["tools"] == {"a": "breaking"}
    back = visitor.http.get(f"/v1/bundles/{old}/diff", params={"against": new}).json()
    assert back["verdict"] == "compatible"
    tag = {"If-None-Match": answer.headers["etag"]}
    again = visitor.http.get(f"/v1/bundles/{new}/diff", params={"against": old}, headers=tag)
    assert again.status_code == 304


def test_a_bundle_is_identical_to_itself(visitor: Visitor) -> None:
    digest = visitor.push(bundle_files())["bundle"]["digest"]
    same = visitor.http.get(f"/v1/bundles/{digest}/diff", params={"against": digest})
    assert same.json()["verdict"] == "identical"


@pytest.mark.parametrize("unknown", ["sha256:" + "0" * 64, "x"])
def test_a_bundle_nobody_knows_is_404_on_either_side(visitor: Visitor, unknown: str) -> None:
    digest = visitor.push(bundle_files())["bundle"]["digest"]
    for one, other in ((digest, unknown), (unknown, digest)):
        answer = visitor.http.get(f"/v1/bundles/{one}/diff", params={"against": other})
        problem(answer, 404, "BUNDLE_UNKNOWN")


def test_another_namespace_learns_nothing(house: House, visitor: Visitor) -> None:
    digest = visitor.push(bundle_files())["bundle"]["digest"]
    stranger = house.visitor(*EVERY_SCOPE)
    answer = stranger.http.get(f"/v1/bundles/{digest}/diff", params={"against": digest})
    problem(answer, 404, "BUNDLE_UNKNOWN")


def test_a_schema_made_to_be_slow_costs_bounded_time_and_is_no_yes(visitor: Visitor) -> None:
    name = f"c-{uuid4().hex[:8]}"
    choices = [{"anyOf": [{"required": [f"{n}{side}"]} for side in "ab"]} for n in range(24)]
    slow = tool(allOf=choices), tool(allOf=[*choices, {"maxProperties": 40}])
    old, new = (
        visitor.push(version(name, f"{n}.0.0", each))["bundle"]["digest"]
        for n, each in enumerate(slow, 1)
    )
    answer = visitor.http.get(f"/v1/bundles/{new}/diff", params={"against": old})
    assert answer.json()["verdict"] in ("conditional", "breaking")
